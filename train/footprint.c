#include "train/footprint.h"

#include "core/base/memory.h"
#include "core/kernels/private/attention_block.h"
#include "core/kernels/small_matmul.h"
#include "data/batch_storage.h"
#include "data/examples_storage.h"
#include "heads/head_pass.h"
#include "heads/head_set.h"
#include "heads/heads_csv.h"
#include "heads/private/effect_losses.h"
#include "heads/recorder.h"
#include "heads/writes.h"
#include "show/report.h"
#include "show/report_maps.h"
#include "train/private/trainer_holds.h"
#include "train/setup.h"
#include "train/trainer.h"

#include <string.h>

enum { ALWAYS = HL_STANDS_TRAINING | HL_STANDS_END, OF_MODEL = HL_STANDS_MODEL | ALWAYS };
#define PART(part) offsetof(hl_footprint, part)
const hl_footprint_part hl_footprint_parts[HL_FOOTPRINT_PARTS] = {
    { "weights", "weights", PART(weights), OF_MODEL },
    { "gradients", "gradients", PART(gradients), HL_STANDS_TRAINING },
    { "moments", "the optimizer's moments", PART(moments), HL_STANDS_TRAINING },
    { "step", "a step's activations, their gradients, scratch", PART(step), HL_STANDS_TRAINING },
    { "batches", "batches of training and validation", PART(batches), HL_STANDS_TRAINING },
    { "recorder", "recorder: patterns and logits of a snapshot", PART(recorder), HL_STANDS_TRAINING },
    { "treebank", "the treebank, and what is counted on it", PART(treebank), HL_STANDS_TRAINING },
    { "statistics", "statistics of heads over the validation set", PART(validation_sums), HL_STANDS_TRAINING },
    { "positions", "table of positions", PART(positions), OF_MODEL },
    { "vocabulary", "vocabulary", PART(vocabulary), OF_MODEL },
    { "libraries", "the program and its libraries, about", PART(libraries), ALWAYS },
    { "generated", "code for examples of every length, about", PART(generated), HL_STANDS_TRAINING | HL_STANDS_ON },
    { "figures", "drawing heads for TensorBoard, about", PART(figures), HL_STANDS_TRAINING | HL_STANDS_ON },
    { "training", "training", PART(training), 0 },
    { "readings", "metrics and maps of snapshots, at most", PART(readings), 0 },
    { "extra", "  and of more where the loss falls, up to", PART(extra), 0 },
    { "measures", "the last snapshot and the effects of its heads", PART(measures), 0 },
    { "end", "measuring heads at the end, weights with it", PART(end), 0 },
    { "total", "in all (the larger of the two)", PART(total), 0 },
    { "most", "  with snapshots where the loss falls, up to", PART(most), 0 },
};

size_t hl_footprint_part_bytes(const hl_footprint *footprint, int part)
{
    return *(const size_t *)(const void *)((const char *)footprint + hl_footprint_parts[part].place);
}

size_t hl_footprint_sum(const hl_footprint *footprint, unsigned when)
{
    size_t sum = 0;
    for (int i = 0; i < HL_FOOTPRINT_PARTS; i++) {
        bool stands = (hl_footprint_parts[i].when & when) != 0;
        sum = hl_size_sum(sum, stands ? hl_footprint_part_bytes(footprint, i) : 0);
    }
    return sum;
}

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

static size_t tensor_bytes(const char *name, const hl_parameter *parameter)
{
    enum { ENTRY = 80 }; /* a header's "<name>":{"dtype":...,"shape":[...],"data_offsets":[...]}, without the name */
    return strlen(name) + ENTRY + (size_t)parameter->count * sizeof(hl_real);
}

/* Counts one tensor per parameter; the names have `before` additional characters. */
static size_t tensors_bytes(const hl_parameters *parameters, size_t before)
{
    size_t bytes = 0;
    for (int i = 0; i < parameters->n; i++) {
        bytes = hl_size_sum(bytes, before + tensor_bytes(parameters->list[i].name, &parameters->list[i]));
    }
    return bytes;
}

/* Counts weights under all their names. */
static size_t model_file_bytes(const hl_parameters *parameters)
{
    size_t bytes = tensors_bytes(parameters, 0);
    for (int i = 0; i < parameters->n_aliases; i++) {
        const hl_parameter_alias *alias = &parameters->aliases[i];
        bytes = hl_size_sum(bytes, tensor_bytes(alias->name, &parameters->list[alias->parameter]));
    }
    return bytes;
}

static void set_files(const hl_config *config, const hl_model *model, hl_footprint *f)
{
    int moments = config->optimizer.update.name != HL_SGD ? 2 : 0;
    f->model = model_file_bytes(&model->parameters);
    size_t moment = tensors_bytes(&model->parameters, sizeof "optimizer.m." - 1);
    f->checkpoint = hl_size_sum(f->model, hl_size_product((size_t)moments, moment));
    int64_t every = config->train.checkpoint_every, steps = config->train.steps;
    int64_t written = every > 0 ? (steps + every - 1) / every : 1, kept = config->train.keep_checkpoints;
    f->n_checkpoints = written < kept + 1 ? written : kept + 1;
    f->snapshots = hl_snapshot_budget_of(config);
}

/* Measured on x86-64 (tests/runs/test_memory.c): the pages of programs and libraries that are read, and their
 * allocations, 8.2 MiB and 1.3; LIBXSMM's list of kernels; cairo, its fonts, and the figures of a snapshot as PNG. */
enum { MIB = 1 << 20, LIBRARIES = 19 * MIB / 2, LIBXSMM_KERNELS = 10 * MIB, FIGURES = 7 * MIB / 2 };

/* The code that LIBXSMM generates before the first step if examples differ in length (hl_trainer_init): for every
 * number of rows that may remain for a linear layer, and for attention over each length up to a block. Also measured,
 * with 64 to 512 numbers per token: 2.9 MiB for 24 lengths, 5.0 for 41, 6 to 8 for 64 and more. */
enum { CODE = 1 << 20, CODE_OF_A_LENGTH = 100 << 10 };

/* A token's text, pointer and position in the order. Tokens of text are also in their own tables, and in the JSON from
 * which they are read and to which they are written. The JSON's memory is then free, but the process keeps it. */
enum { VOCABULARY_ENTRY = 32, TEXT_ENTRY = 512 };

/* A batch of up to B examples, and room for one example that is being made. */
static size_t batch_bytes(const hl_data_sizes *sizes, int64_t B)
{
    int64_t T = sizes->longest;
    return hl_size_sum(hl_batch_storage_bytes(B, B * T), hl_examples_bytes(1, T, sizes->relations + 2 * sizes->words));
}

/* What a model that is only evaluated needs too. */
static void set_model(const hl_config *config, const hl_model *model, hl_footprint *f)
{
    size_t entry = hl_config_is_text(config, NULL) ? TEXT_ENTRY : VOCABULARY_ENTRY;
    f->weights = hl_size_product((size_t)model->parameters.count, sizeof(hl_real));
    f->positions = hl_model_position_bytes(model);
    f->vocabulary = hl_size_product((size_t)model->config.vocabulary, entry);
    f->kernels = hl_small_matmul_generates() ? LIBXSMM_KERNELS : 0;
    f->libraries = LIBRARIES + f->kernels;
}

/* The most that any of `processes` processes has: leaves at once, and the values of sums over them besides the
 * first. */
static int most_at_once(const hl_config *config, int processes)
{
    int most = 1;
    for (int rank = 0; rank < processes; rank++) {
        int at_once = hl_trainer_at_once(config, processes, rank);
        most = at_once > most ? at_once : most;
    }
    return most;
}

static size_t most_values(const hl_config *config, int processes, bool at_once)
{
    int most = 0, leaves = (int)config->train.leaves;
    for (int rank = 0; rank < processes; rank++) {
        int values =
            hl_leaf_sum_values(leaves, at_once ? hl_trainer_at_once(config, processes, rank) : 1, processes, rank);
        most = values > most ? values : most;
    }
    return 1 + (size_t)most;
}

static void set_memory(const hl_config *config, const hl_model *model, int processes, hl_footprint *f)
{
    int64_t T = config->sizes.longest, R = hl_setup_example_arrays(config),
            examples = hl_snapshot_budget_examples(config);
    set_model(config, model, f);
    f->gradients = hl_size_product(most_values(config, processes, true), f->weights);
    f->moments = config->optimizer.update.name != HL_SGD ? hl_size_product(2, f->weights) : 0;
    f->moments = hl_size_sum(f->moments, hl_trainer_holds_bytes(config, model));
    f->batches = hl_size_sum(batch_bytes(&config->sizes, config->train.batch_size),
                             batch_bytes(&config->sizes, config->train.eval_examples));
    hl_text_task task;
    if (hl_config_is_text(config, &task) && (task == HL_TEXT_TAGS || task == HL_TEXT_CLASSES)) {
        f->batches = hl_size_sum(f->batches, hl_class_counts_bytes(config->sizes.targets));
    }
    f->recorder = examples > 0 ? hl_size_sum(hl_recorder_bytes(&model->config, examples, T, R),
                                             hl_batch_storage_bytes(examples, examples * T))
                               : 0;
    f->validation_sums =
        examples > 0 ? hl_size_sum(hl_validation_sums_pass_bytes(&model->config, hl_trainer_evaluation_rows(config), T),
                                   hl_size_product(most_values(config, processes, false),
                                                   hl_validation_sums_pass_value_bytes(&model->config, T)))
                     : 0;
    f->treebank = (size_t)config->sizes.treebank;
    int64_t lengths = config->sizes.longest < HL_ATTENTION_BLOCK ? config->sizes.longest : HL_ATTENTION_BLOCK;
    f->generated =
        hl_small_matmul_generates() && config->sizes.n_lengths > 1 ? CODE + (size_t)lengths * CODE_OF_A_LENGTH : 0;
    f->figures = config->train.tensorboard && examples > 0 ? FIGURES : 0;
    f->training = hl_footprint_sum(f, HL_STANDS_TRAINING);
}

/* The levels of all maps and their corrections, deflated and in base64, rarely need more than one byte together. */
static size_t maps_bytes(const hl_model_config *model, int64_t n_snapshots, int64_t examples, int64_t T)
{
    size_t shown = examples < HL_REPORT_EXAMPLES ? (size_t)examples : HL_REPORT_EXAMPLES;
    size_t levels = hl_size_product(hl_size_product((size_t)n_snapshots, shown),
                                    hl_size_product((size_t)hl_heads_count(model), (size_t)(T * T)));
    return levels < HL_REPORT_LEVELS ? levels : HL_REPORT_LEVELS;
}

/* What the page needs besides metrics and maps: the heads' computations and the pass that makes them, then what they
 * write and the pass that measures it. */
static hl_status page_bytes(const hl_config *config, const hl_model *model, int64_t examples, int64_t T, size_t *bytes)
{
    int64_t shown = examples < HL_REPORT_EXAMPLES ? examples : HL_REPORT_EXAMPLES;
    bool whole = hl_head_pass_bytes(model, shown, T, true) <= HL_REPORT_PASS_BYTES;
    size_t pass, working, writes;
    HL_TRY(hl_recorder_pass_bytes(model, shown * T, T, hl_setup_threads(config), &pass));
    hl_examples sizes = { .n_examples = examples, .n_tokens = T };
    hl_writes_options options = { .rows = hl_trainer_evaluation_rows(config), .threads = hl_setup_threads(config) };
    HL_TRY(hl_writes_bytes(model, &sizes, &options, &writes));
    HL_TRY(hl_head_pass_working_bytes(model, shown, T, whole, &working));
    pass = hl_size_sum(pass, working);
    *bytes = hl_size_sum(hl_head_pass_bytes(model, shown, T, whole), larger(pass, writes));
    return hl_ok();
}

/* Metrics and maps of n snapshots, and the memory to compare all pairs of heads. */
static size_t readings_bytes(const hl_config *config, const hl_model_config *model, const hl_footprint *f, int64_t n,
                             int64_t examples)
{
    int64_t T = config->sizes.longest;
    size_t pairs = hl_heads_csv_bytes(hl_heads_count(model), model->max_length, hl_setup_threads(config));
    return hl_size_sum(hl_size_sum(hl_size_product((size_t)n, f->rows), pairs), maps_bytes(model, n, examples, T));
}

/* What the end of a run needs with these readings, apart from training. */
static size_t end_bytes(const hl_footprint *f, size_t readings)
{
    size_t earlier = hl_size_sum(f->snapshot, readings), effects = f->measures - f->snapshot;
    size_t most = larger(larger(earlier, effects), hl_size_sum(f->page, readings));
    return hl_size_sum(hl_size_sum(f->snapshot, most), hl_footprint_sum(f, HL_STANDS_END));
}

/* `taken`: how many snapshots there are; negative: as many as the config says. */
static hl_status set_end(const hl_config *config, const hl_model *model, int64_t taken, bool effects_too,
                         hl_footprint *f)
{
    int64_t examples = hl_snapshot_budget_examples(config);
    f->total = f->most = f->training;
    if (examples == 0) {
        return hl_ok();
    }
    int64_t T = config->sizes.longest, R = hl_setup_example_arrays(config);
    int64_t n = taken >= 0 ? taken : f->snapshots.n - f->snapshots.extra, most = taken >= 0 ? taken : f->snapshots.n;
    size_t effects = 0;
    if (effects_too) {
        HL_TRY(hl_effect_losses_plan(model, (examples + 1) / 2, hl_trainer_evaluation_slice(config), T,
                                     hl_setup_threads(config), &effects));
    }
    f->snapshot = hl_recorder_file_bytes(&model->config, examples, T, R);
    /* The rows of heads.csv for one validated snapshot: each head's offsets, twice, some more, and every pair. */
    enum { SOME = 32 };
    size_t heads = (size_t)hl_heads_count(&model->config);
    size_t rows =
        hl_size_sum(hl_size_product(heads, hl_size_sum(hl_size_product(2, (size_t)(2 * T - 1)), SOME + (size_t)R)),
                    hl_size_product(heads, heads - 1) / 2);
    f->rows = hl_size_product(rows, sizeof(hl_heads_csv_row));
    f->readings = readings_bytes(config, &model->config, f, n, examples);
    size_t with_extra = readings_bytes(config, &model->config, f, most, examples);
    f->extra = with_extra - f->readings;
    f->measures = hl_size_sum(f->snapshot, effects);
    HL_TRY(page_bytes(config, model, examples, T, &f->page));
    f->end = end_bytes(f, f->readings);
    size_t stays = hl_footprint_sum(f, HL_STANDS_ON);
    f->total = larger(f->training, hl_size_sum(f->end, stays));
    f->most = larger(f->training, hl_size_sum(end_bytes(f, with_extra), stays));
    return hl_ok();
}

static hl_status set_all(const hl_config *config, const hl_model *model, int processes, int64_t taken, hl_footprint *f)
{
    int64_t rows = hl_trainer_evaluation_rows(config);
    int threads = hl_setup_threads(config);
    size_t pass = 0;
    HL_TRY(hl_trainer_plan(model, config, most_at_once(config, processes), &f->step, &f->flops));
    if (config->sizes.treebank > 0) {
        HL_TRY(hl_recorder_pass_bytes(model, rows, config->model.max_length, threads, &pass));
        f->step = larger(f->step, pass);
    }
    f->parameters = hl_parameters_count(&model->parameters);
    set_memory(config, model, processes, f);
    set_files(config, model, f);
    HL_TRY(set_end(config, model, taken, true, f));
    HL_TRY(hl_recorder_pass_bytes(model, rows, config->sizes.longest, threads, &pass));
    f->evaluation = hl_size_sum(pass, hl_batch_storage_bytes(rows, rows));
    return hl_ok();
}

hl_status hl_footprint_of(const hl_config *config, hl_footprint_use use, int processes, int64_t taken,
                          hl_footprint *footprint)
{
    hl_model_config shape = hl_setup_model(config);
    hl_model *model = hl_malloc(sizeof *model); /* with the shape, too large for the stack of some threads */
    HL_NEED(model != NULL, "the model's sizes");
    *footprint = (hl_footprint){ 0 };
    hl_status status = hl_model_init(model, &shape);
    if (use == HL_FOR_TRAINING) {
        HL_THEN(status, set_all(config, model, processes, taken, footprint));
    } else if (status.code == HL_OK) {
        set_model(config, model, footprint);
        status = use == HL_FOR_LOOKING ? set_end(config, model, taken, false, footprint) : hl_ok();
    }
    hl_model_free(model);
    hl_free(model);
    return status;
}

hl_status hl_footprint_of_config(const hl_config *config, hl_footprint *footprint)
{
    return hl_footprint_of(config, HL_FOR_TRAINING, 1, -1, footprint);
}
