#include "study/model_maps.h"

#include "core/arena.h"
#include "core/memory.h"
#include "study/study.h"
#include "train/memory_check.h"
#include "train/setup.h"
#include "train/trainer.h"

#include <string.h>

/* How many numbers there are; SIZE_MAX where they do not fit. */
static size_t count_numbers(const hl_model_maps *made)
{
    const hl_model_config *config = made->maps.config;
    int64_t E = made->maps.examples.n_examples, T = made->maps.examples.n_tokens;
    size_t maps, logits, per_example, count;
    bool fits = hl_multiply_sizes((size_t)(T * T), (size_t)hl_heads_count(config), &maps) &&
                hl_multiply_sizes((size_t)T, (size_t)config->vocabulary, &logits) &&
                !__builtin_add_overflow(maps, logits, &per_example) &&
                hl_multiply_sizes(per_example, (size_t)E, &count);
    return fits ? count : SIZE_MAX;
}

/* Where there is room for the numbers, and for a pass beside them. */
static hl_status allocate(hl_model_maps *made, const char *run, size_t pass)
{
    const hl_model_config *config = made->maps.config;
    int64_t E = made->maps.examples.n_examples, T = made->maps.examples.n_tokens;
    size_t count = count_numbers(made), bytes, all;
    bool fits = hl_multiply_sizes(count, sizeof(hl_real), &bytes) && !__builtin_add_overflow(bytes, pass, &all);
    HL_TRY(hl_memory_check(fits ? all : SIZE_MAX, hl_memory_at_hand_now(), run, "its model needs, on these examples,",
                           "fewer or shorter ones need less"));
    hl_real *next = made->numbers = hl_calloc(count, sizeof *next);
    if (next == NULL) {
        return hl_error_memory("the patterns of examples");
    }
    for (int l = 0; l < config->n_layers; l++) {
        made->maps.weights[l] = next;
        next += E * config->heads[l] * T * T;
    }
    made->maps.logits = next;
    return hl_ok();
}

/* Where the arrays of example `first` begin. */
static hl_real *weights_at(const hl_model_maps *made, int layer, int64_t first)
{
    int64_t T = made->maps.examples.n_tokens;
    return made->numbers + (made->maps.weights[layer] - made->numbers) +
           first * made->maps.config->heads[layer] * T * T;
}

static hl_real *logits_at(const hl_model_maps *made, int64_t first)
{
    return made->numbers + (made->maps.logits - made->numbers) +
           first * made->maps.examples.n_tokens * made->maps.config->vocabulary;
}

static hl_status run_part(const hl_model_maps *made, const hl_model *model, hl_arena *arena, hl_tape_options options,
                          int64_t first, int64_t count)
{
    hl_batch part = hl_batch_part(&made->maps.examples, first, count);
    hl_head_probe probes[HL_MAX_LAYERS] = { 0 };
    for (int l = 0; l < made->maps.config->n_layers; l++) {
        probes[l].weights = weights_at(made, l, first);
    }
    hl_tape tape;
    hl_tape_begin(&tape, arena, options);
    const hl_tensor *logits = hl_model_logits(&tape, model, &part, probes);
    HL_TRY(hl_tape_status(&tape));
    memcpy(logits_at(made, first), logits->data, (size_t)hl_shape_count(logits->shape) * sizeof *logits->data);
    hl_arena_rewind(arena, 0);
    return hl_ok();
}

static hl_status run_all(hl_model_maps *made, const hl_opened_run *run)
{
    int64_t E = made->maps.examples.n_examples, most = hl_trainer_evaluation_part(&run->config);
    int64_t part = most < E ? most : E;
    hl_tape_options options = { .threads = hl_setup_threads(&run->config) };
    hl_model_plan plan;
    HL_TRY(hl_model_plan_pass(&run->model, part, made->maps.examples.n_tokens, options, &plan));
    HL_TRY(allocate(made, run->path, plan.bytes));
    hl_arena arena;
    HL_TRY(hl_arena_init(&arena, plan.bytes));
    hl_status status = hl_ok();
    for (int64_t first = 0; first < E && status.code == HL_OK; first += part) {
        status = run_part(made, &run->model, &arena, options, first, E - first < part ? E - first : part);
    }
    hl_arena_free(&arena);
    return status;
}

hl_status hl_model_maps_run(hl_model_maps *made, const hl_opened_run *run, const hl_batch *examples)
{
    *made = (hl_model_maps){ .maps = { .step = run->weights_step, .examples = *examples, .config = &run->shape } };
    hl_status status = run_all(made, run);
    if (status.code != HL_OK) {
        hl_model_maps_free(made);
    }
    return status;
}

void hl_model_maps_free(hl_model_maps *made)
{
    hl_free(made->numbers);
    *made = (hl_model_maps){ 0 };
}
