/* The bytes as what a checkpoint says and holds, put into a file with a right checksum, because changed bytes of a file
 * of ours seldom get past it (fuzz_safetensors reads those). What is restored, written and restored again must be the
 * same; the config that it names is read as --resume does.
 *
 * An input is lines: which model, followed by a digit for each tensor that has a fault or comes before one that has;
 * then the metadata's values, a key a line ("!": the key is missing), of which the config's takes all that is left. */
#include "core/base/memory.h"
#include "core/files/safetensors.h"
#include "layers/model.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/input_file.h"
#include "tests/fuzz/input_text.h"
#include "train/checkpoint.h"
#include "train/config.h"
#include "train/setup.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MODELS = 2, MOST_TENSORS = 128, MOST_NUMBERS = 1 << 10, NAME = 160 };

#define SMALLEST                                              \
    "[task]\nname = identity_copy\nlength = 2\nsymbols = 2\n" \
    "[model]\nlayers = 1\nd_model = 2\nheads = 1\nd_ff = 2\n"
static const char *const configs[MODELS] = { SMALLEST, SMALLEST "tie_embedding = true\n[optimizer]\nname = sgd\n" };

/* ---- the models, made once ---- */

static hl_status parse(const char *text, hl_config *config)
{
    hl_problems problems = { 0 };
    hl_status status = hl_config_parse((hl_config_options){ .path = "fuzz" }, text, strlen(text), config, &problems);
    hl_problems_free(&problems);
    return status;
}

static hl_optimizer *optimizer_of(int which)
{
    static struct {
        hl_model model;
        hl_optimizer optimizer;
    } all[MODELS], *its;
    its = &all[which];
    if (its->optimizer.parameters == NULL) {
        hl_config config;
        fuzz_require(parse(configs[which], &config).code == HL_OK);
        hl_model_config shape = hl_setup_model(&config);
        fuzz_require(hl_model_init(&its->model, &shape).code == HL_OK);
        fuzz_require(hl_model_allocate(&its->model, 1).code == HL_OK);
        fuzz_require(hl_optimizer_init(&its->optimizer, &its->model.parameters, config.optimizer.update).code == HL_OK);
    }
    return &its->optimizer;
}

/* ---- the file ---- */

typedef struct tensors {
    hl_named_tensor list[MOST_TENSORS];
    char names[MOST_TENSORS][NAME];
    int n;
} tensors;

/* The tensor as it should be, or as the digit says without it, of another shape, under another name, or not finite. */
static void add(tensors *to, int fault, const char *prefix, const char *name, hl_shape shape)
{
    enum { MISSING = 1, LONGER = 2, ONE_MORE_DIMENSION = 3, OTHER_NAME = 4, NOT_FINITE = 5, OTHER_NUMBERS = 6 };
    static hl_real whole[MOST_NUMBERS], others[MOST_NUMBERS], infinite[MOST_NUMBERS];
    others[0] = 1;
    infinite[0] = (hl_real)INFINITY;
    if (fault == MISSING) {
        return;
    }
    if (fault == LONGER) {
        shape.size[0]++;
    } else if (fault == ONE_MORE_DIMENSION) {
        shape.size[shape.n_dims++] = 1;
    }
    fuzz_require(to->n < MOST_TENSORS && hl_shape_count(shape) <= MOST_NUMBERS);
    snprintf(to->names[to->n], NAME, "%s%s%s", prefix, name, fault == OTHER_NAME ? "s" : "");
    const hl_real *data = fault == NOT_FINITE ? infinite : fault == OTHER_NUMBERS ? others : whole;
    to->list[to->n] = (hl_named_tensor){ .name = to->names[to->n], .shape = shape, .data = data };
    to->n++;
}

/* The next of the line's faults; 0, none, follows the last. */
static int next_fault(char **text)
{
    return **text == '\n' || **text == '\0' ? 0 : *(*text)++ - '0';
}

static void add_all(tensors *to, const hl_optimizer *optimizer, char **text)
{
    static const char *const prefixes[] = { "", "optimizer.m.", "optimizer.v." };
    const hl_parameters *parameters = optimizer->parameters;
    for (int p = 0; p < (optimizer->m != NULL ? 3 : 1); p++) {
        for (int i = 0; i < parameters->n; i++) {
            add(to, next_fault(text), prefixes[p], parameters->list[i].name, parameters->list[i].tensor->shape);
        }
    }
    for (int i = 0; i < parameters->n_aliases; i++) {
        const hl_parameter_alias *alias = &parameters->aliases[i];
        add(to, next_fault(text), "", alias->name, parameters->list[alias->parameter].tensor->shape);
    }
}

/* Cuts the text into lines; the last is all that is left. */
static int items_of(char *text, hl_metadata_item *items)
{
    static const char *const keys[] = { "step",
                                        "state.has_best",
                                        "state.best_loss",
                                        "state.best_step",
                                        "state.since_best",
                                        "state.loss_sum",
                                        "state.n_updates",
                                        "state.scored",
                                        "state.correct",
                                        "state.rows",
                                        "state.rows_crc32",
                                        "config" };
    enum { KEYS = sizeof keys / sizeof *keys };
    int n = 0;
    for (int i = 0; i < KEYS; i++) {
        char *end = i < KEYS - 1 ? strchr(text, '\n') : NULL;
        if (end != NULL) {
            *end = '\0';
        }
        if (strcmp(text, "!") != 0) {
            items[n++] = (hl_metadata_item){ keys[i], text };
        }
        text = end != NULL ? end + 1 : text + strlen(text);
    }
    return n;
}

static bool write_file(const hl_optimizer *optimizer, char *text)
{
    static tensors all;
    hl_metadata_item items[16];
    hl_file file;
    all.n = 0;
    add_all(&all, optimizer, &text);
    text += strcspn(text, "\n");
    int n_items = items_of(text + (*text != '\0'), items);
    hl_file_create(&file, "fuzz.safetensors");
    hl_safetensors_write(&file, all.list, all.n, items, n_items);
    return hl_file_commit(&file, HL_DURABLE).code == HL_OK; /* not where a value is no UTF-8 */
}

/* ---- what must hold ---- */

static void require_same(const hl_train_state *a, const hl_train_state *b)
{
    fuzz_require(a->has_best == b->has_best && a->best_loss == b->best_loss && a->best_step == b->best_step);
    fuzz_require(a->since_best == b->since_best && a->loss_sum == b->loss_sum && a->n_updates == b->n_updates);
    fuzz_require(a->scored == b->scored && a->correct == b->correct);
    fuzz_require(a->metrics.rows == b->metrics.rows && a->metrics.crc == b->metrics.crc);
}

static void write_again(hl_optimizer *optimizer, const hl_train_state *state, const char *config)
{
    int64_t step = optimizer->step;
    fuzz_require(step >= 0);
    fuzz_require(hl_checkpoint_write("fuzz.safetensors", NULL, optimizer, state, config).code == HL_OK);
    hl_checkpoint *checkpoint;
    hl_train_state again;
    fuzz_require(hl_checkpoint_open("fuzz.safetensors", &checkpoint).code == HL_OK);
    fuzz_require(strcmp(checkpoint->config, config) == 0);
    fuzz_require(hl_checkpoint_restore(checkpoint, optimizer, &again).code == HL_OK && optimizer->step == step);
    require_same(state, &again);
    hl_checkpoint_free(checkpoint);
}

static void load_weights(hl_parameters *parameters)
{
    int64_t step;
    fuzz_require(hl_checkpoint_read_step("fuzz.safetensors", &step).code == HL_OK && step >= -1);
    hl_checkpoint *weights;
    if (hl_checkpoint_open("fuzz.safetensors", &weights).code == HL_OK) {
        bool fits = hl_checkpoint_fits(weights, parameters).code == HL_OK;
        fuzz_require(hl_checkpoint_load(weights, parameters).code != HL_OK || fits);
        fuzz_require(hl_checkpoint_judge(weights, hl_error(HL_INVALID, "no")).code == HL_INVALID);
        hl_checkpoint_free(weights);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = input_text(data, size);
    hl_optimizer *optimizer = optimizer_of(size > 0 && data[0] % 2 == 1);
    input_file_set(NULL, 0);
    hl_checkpoint *checkpoint;
    if (write_file(optimizer, text + (*text != '\0'))) {
        load_weights(optimizer->parameters);
        if (hl_checkpoint_open("fuzz.safetensors", &checkpoint).code == HL_OK) {
            hl_config config;
            hl_train_state state;
            if (checkpoint->config != NULL) {
                parse(checkpoint->config, &config);
            }
            if (hl_checkpoint_restore(checkpoint, optimizer, &state).code == HL_OK) {
                write_again(optimizer, &state, checkpoint->config);
            }
            hl_checkpoint_free(checkpoint);
        }
    }
    free(text);
    return 0;
}
