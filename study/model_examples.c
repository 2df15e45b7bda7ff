#include "study/model_examples.h"

#include "core/arena.h"
#include "core/base/memory.h"
#include "heads/norm_shares.h"
#include "train/memory_check.h"

/* The least number of examples by which a head is measured, one that chooses and one that scores; and how many it is
 * measured by where the model says none. */
enum { LEAST = 2, USUAL = 32, STEPS = 2 };

int64_t hl_opened_model_longest(const hl_opened_model *run)
{
    int32_t T = 1;
    for (int64_t e = 0; e < run->examples.n_examples; e++) {
        T = run->examples.lengths[e] > T ? run->examples.lengths[e] : T;
    }
    return T;
}

hl_status hl_opened_model_examine(hl_opened_model *run, const char *path, const hl_data_options *options)
{
    if (hl_dataset_text(run->source.dataset) == NULL) {
        return hl_error(HL_INVALID, "%s: does not read text: its examples are those of its task", run->source.path);
    }
    if (run->written != NULL) {
        return hl_error(HL_INVALID, "%s: is examined on sentences already", run->source.path);
    }
    HL_TRY(hl_setup_sentences(&run->source.config, path, options, run->source.dataset, false, &run->written));
    int64_t there = hl_dataset_sizes(run->written)->examples[HL_VALIDATION],
            asked = run->source.config.patterns.examples;
    asked = asked == 0 ? USUAL : asked < LEAST ? LEAST : asked;
    HL_TRY(hl_dataset_make_examples(run->written, HL_VALIDATION, 0, asked < there ? asked : there, &run->examples));
    hl_examples *e = &run->examples;
    size_t allowed = hl_size_product((size_t)run->source.config.patterns.budget_mb, (size_t)1 << 20);
    while (allowed > 0 && e->n_examples > LEAST &&
           hl_size_product(STEPS, hl_recorder_bytes(&run->source.shape, e->n_examples, hl_opened_model_longest(run),
                                                    0)) > allowed) {
        e->n_examples--;
    }
    /* The step of its own weights; a model whose step nobody knows is one step from its null. */
    int64_t step = 1;
    if (run->source.open == NULL) {
        HL_TRY(hl_opened_model_load(run, -1));
        step = run->weights_step >= 0 ? run->weights_step : step;
    }
    hl_free(run->steps);
    run->n_steps = 0;
    run->steps = hl_calloc(STEPS, sizeof *run->steps);
    HL_NEED(run->steps != NULL, run->source.path);
    run->n_steps = step > 0 ? STEPS : 1;
    run->steps[run->n_steps - 1] = step;
    run->file = path;
    return hl_ok();
}

/* ---- running the model ---- */

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

hl_status hl_model_maps_to_norms(hl_opened_model *run, const hl_snapshot *maps)
{
    hl_snapshot own = *maps; /* whose memory is that of the maps */
    return hl_norm_shares_take(&own, &run->model, run->source.rows_at_once, run->source.threads);
}

hl_status hl_opened_model_record(hl_opened_model *run, int64_t step, hl_snapshot *snapshot)
{
    HL_TRY(hl_opened_model_load(run, step));
    HL_TRY(hl_model_maps_run(run, &run->examples, snapshot));
    snapshot->step = step;
    return hl_ok();
}

static hl_status tell_writes(void *context, int64_t done, int64_t total)
{
    const hl_opened_model *run = context;
    return run->progress != NULL ? run->progress(run->context, "what heads write", done, total) : hl_ok();
}

hl_writes_options hl_opened_model_writes_options(const hl_opened_model *run)
{
    return (hl_writes_options){ .rows = run->source.rows_at_once,
                                .threads = run->source.threads,
                                .seed = (uint64_t)run->source.config.train.seed,
                                .progress = tell_writes,
                                .context = (void *)run };
}
