#include "study/model_maps.h"

#include "core/arena.h"
#include "core/base/memory.h"
#include "study/model_examples.h"
#include "train/memory_check.h"

static hl_status tell(void *context, int64_t done, int64_t total)
{
    const hl_opened_model *run = context;
    const char *what = hl_opened_model_is_null(run, run->weights_step) ? "random weights" : "the model";
    return run->progress(run->context, what, done, total);
}

/* Fails before running where there is no room for the maps and a pass beside them. */
static hl_status record(hl_recorder *recorder, const hl_opened_model *run, const hl_examples *examples)
{
    int64_t E = examples->n_examples, T = examples->n_tokens,
            rows = run->source.rows_at_once < E * T ? run->source.rows_at_once : E * T;
    size_t pass, maps = hl_recorder_bytes(&run->source.shape, E, T, examples->n_relations);
    HL_TRY(hl_recorder_pass_bytes(&run->model, rows, T, run->source.threads, &pass));
    HL_TRY(hl_memory_check(hl_size_sum(maps, pass), hl_memory_at_hand_now(), run->source.path,
                           "its model needs, on these examples,", "fewer or shorter ones need less"));
    HL_TRY(hl_recorder_init(recorder, &run->model, examples, rows, run->source.threads, NULL));
    if (examples == &run->examples) { /* whose answers are shown at masks and other targets */
        HL_TRY(hl_recorder_answer_targets_alone(recorder));
    }
    recorder->progress = run->progress != NULL ? tell : NULL;
    recorder->context = (void *)run;
    hl_arena arena;
    HL_TRY(hl_arena_init(&arena, recorder->plan.bytes));
    hl_status status = hl_recorder_run(recorder, &arena);
    hl_arena_free(&arena);
    return status.code == HL_OK && run->progress != NULL ? tell((void *)run, E, E) : status;
}

hl_status hl_model_maps_run(const hl_opened_model *run, const hl_examples *examples, hl_snapshot *maps)
{
    hl_recorder *recorder = hl_calloc(1, sizeof *recorder);
    *maps = (hl_snapshot){ .step = run->weights_step,
                           .layers = hl_calloc((size_t)run->source.shape.n_layers, sizeof *maps->layers),
                           .config = &run->source.shape,
                           .recorder = recorder };
    if (recorder == NULL || maps->layers == NULL) {
        hl_snapshot_free(maps);
        return hl_error_memory("the patterns of examples");
    }
    hl_status status = record(recorder, run, examples);
    if (status.code != HL_OK) {
        hl_snapshot_free(maps);
        return status;
    }
    maps->examples = recorder->examples;
    maps->answers = hl_recorder_answers(recorder);
    for (int l = 0; l < run->source.shape.n_layers; l++) {
        maps->layers[l] = hl_recorder_patterns(recorder, l, 0);
    }
    return status;
}
