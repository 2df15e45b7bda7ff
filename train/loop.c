#include "train/loop.h"

#include "core/base/clock.h"
#include "core/base/memory.h"
#include "core/files/files.h"
#include "core/files/folders.h"
#include "train/checkpoint.h"

static int64_t step_of(const hl_loop *loop)
{
    return loop->trainer->optimizer.step;
}

bool hl_loop_patience_lost(const hl_config *config, const hl_train_state *state)
{
    int64_t patience = config->train.patience;
    return patience > 0 && state->since_best >= patience;
}

bool hl_loop_finished(const hl_loop *loop)
{
    bool over = step_of(loop) >= loop->config->train.steps || hl_loop_patience_lost(loop->config, &loop->state);
    return over && !loop->state.unvalidated;
}

/* Whether this rank writes (train/ranks/ranks.h). */
static bool leads(const hl_loop *loop)
{
    return hl_ranks_leads(loop->trainer->ranks);
}

/* True every `every` steps; never if `every` is 0. */
static bool is_due(int64_t step, int64_t every)
{
    return every > 0 && step % every == 0;
}

static hl_metrics_row row_of(const hl_loop *loop, const char *split, hl_scores scores, double tokens_per_second)
{
    return (hl_metrics_row){
        .step = step_of(loop),
        .split = split,
        .kind = loop->trainer->scored,
        .scores = scores,
        .learning_rate = -1,
        .grad_norm = -1,
        .tokens_per_second = tokens_per_second,
    };
}

/* The mean since the last row, as a row. */
static hl_metrics_row training_row(const hl_loop *loop, const hl_update *update)
{
    const hl_train_state *state = &loop->state;
    hl_scores mean = HL_NO_SCORES;
    mean.loss = state->loss_sum / (double)state->n_updates;
    mean.accuracy = (double)state->correct / (double)(state->scored > 0 ? state->scored : 1);
    double seconds = hl_clock_seconds() - loop->interval_started;
    hl_metrics_row row = row_of(loop, "train", mean, seconds > 0 ? (double)loop->interval_tokens / seconds : 0);
    row.learning_rate = update->learning_rate;
    row.grad_norm = update->grad_norm;
    return row;
}

static hl_status write_row(hl_loop *loop, hl_metrics_row row)
{
    HL_TRY(leads(loop) ? hl_metrics_csv_append(&loop->metrics, row) : hl_ok());
    HL_TRY(hl_tensorboard_row(loop->board, &row));
    hl_progress_row(&loop->progress, row);
    return hl_ok();
}

static hl_status update(hl_loop *loop)
{
    hl_update found;
    HL_TRY(hl_trainer_update(loop->trainer, &found));
    hl_train_state *state = &loop->state;
    state->loss_sum += found.loss;
    state->n_updates++;
    state->scored += found.scored;
    state->correct += found.correct;
    hl_cadence_update(&state->cadence, found.loss);
    loop->interval_tokens += found.tokens;
    hl_metrics_row row = training_row(loop, &found);
    hl_progress_step(&loop->progress, row);
    if (is_due(step_of(loop), loop->config->train.log_every) || step_of(loop) == loop->config->train.steps) {
        HL_TRY(write_row(loop, row));
        state->loss_sum = 0;
        state->n_updates = state->scored = state->correct = 0;
        loop->interval_started = hl_clock_seconds();
        loop->interval_tokens = 0;
    }
    return hl_ok();
}

static bool snapshot_due(const hl_loop *loop)
{
    return loop->sums != NULL &&
           (hl_loop_finished(loop) ||
            hl_cadence_records(loop->cadence, &loop->state.cadence, step_of(loop), loop->config->train.steps));
}

/* Writes model.safetensors. If the file system has no hard links, nothing is kept: a resumed run then counts the best
 * weights from its checkpoint on. */
static hl_status write_best(hl_loop *loop)
{
    if (loop->best_in_checkpoint) {
        (void)!hl_file_calls_get()->link(loop->folder->model, loop->folder->model_before);
        loop->best_in_checkpoint = false;
    }
    return hl_checkpoint_write_model(loop->folder->model, &loop->trainer->model.parameters, step_of(loop),
                                     loop->config_text);
}

/* *sums: what was gathered for a snapshot that may follow, or NULL. After a signal, the step stays unvalidated. */
static hl_status validate(hl_loop *loop, const hl_validation_sums **sums)
{
    int64_t patience = loop->config->train.patience;
    bool may_lose_patience = loop->sums != NULL && patience > 0 && loop->state.since_best + 1 >= patience;
    hl_validation_sums_pass *pass = snapshot_due(loop) || may_lose_patience ? loop->sums : NULL;
    HL_TRY(hl_trainer_evaluate(loop->trainer, pass, &loop->evaluation));
    loop->state.unvalidated = loop->evaluation.dropped;
    if (loop->state.unvalidated) {
        return hl_ok();
    }
    *sums = pass != NULL ? hl_validation_sums_pass_end(pass) : NULL;
    HL_TRY(write_row(loop, row_of(loop, "validation", loop->evaluation.scores, loop->evaluation.tokens_per_second)));
    hl_train_state *state = &loop->state;
    state->since_best++;
    if (!state->has_best || loop->evaluation.scores.loss < state->best_loss) {
        state->has_best = true;
        state->best_loss = loop->evaluation.scores.loss;
        state->best_step = step_of(loop);
        state->since_best = 0;
        HL_TRY(hl_trainer_check_finite(loop->trainer));
        HL_TRY(leads(loop) ? write_best(loop) : hl_ok());
    }
    return hl_ok();
}

/* Writes the checkpoint; the previous one stays under its own name if the config says so. */
static hl_status write_checkpoint(hl_loop *loop)
{
    if (!leads(loop) || loop->checkpoint_step == step_of(loop)) {
        return hl_ok();
    }
    HL_TRY(hl_trainer_check_finite(loop->trainer));
    HL_TRY(hl_metrics_csv_sync(&loop->metrics));
    HL_TRY(hl_tensorboard_sync(loop->board));
    HL_TRY(loop->syntax != NULL ? hl_syntax_csv_sync(loop->syntax) : hl_ok());
    loop->state.metrics = loop->metrics.sum;
    int64_t keep = loop->config->train.keep_checkpoints;
    char *kept = NULL;
    if (keep > 0 && loop->checkpoint_step >= 0) {
        kept = hl_run_folder_kept_checkpoint(loop->folder, loop->checkpoint_step);
        HL_NEED(kept != NULL, loop->folder->checkpoint);
    }
    hl_status status =
        hl_checkpoint_write(loop->folder->checkpoint, kept, &loop->trainer->optimizer, &loop->state, loop->config_text);
    hl_free(kept);
    HL_TRY(status);
    loop->checkpoint_step = step_of(loop);
    loop->best_in_checkpoint = loop->state.has_best;
    HL_TRY(hl_file_remove(loop->folder->model_before));
    return keep > 0 ? hl_run_folder_prune(loop->folder, keep) : hl_ok();
}

/* Takes the snapshot if one is due, with the sums of the validation at this step, if there was one. Also draws the
 * watched layer, then and as often as allowed in between. */
static hl_status record(hl_loop *loop, const hl_validation_sums *sums)
{
    hl_trainer *trainer = loop->trainer;
    bool snapshot = loop->recorder != NULL && snapshot_due(loop);
    if (!snapshot && (loop->watch == NULL || !hl_watch_due(loop->watch, &loop->progress))) {
        return hl_ok();
    }
    HL_TRY(snapshot ? hl_recorder_record(loop->recorder, step_of(loop), sums, &trainer->arena)
                    : hl_recorder_run(loop->recorder, &trainer->arena));
    HL_TRY(snapshot ? hl_tensorboard_snapshot(loop->board, step_of(loop)) : hl_ok());
    if (snapshot && loop->syntax != NULL) {
        HL_TRY(hl_syntax_csv_append(loop->syntax, step_of(loop), &trainer->arena));
    }
    return loop->watch != NULL ? hl_watch_show(loop->watch, step_of(loop), &loop->progress) : hl_ok();
}

static hl_status write_table(const char *path, const hl_trainer *trainer,
                             void (*print)(const hl_class_counts *counts, const hl_vocabulary *names, hl_text *text))
{
    hl_text table = { 0 };
    print(&trainer->classes, hl_dataset_targets(trainer->dataset), &table);
    return hl_file_replace_text(path, &table, HL_VOLATILE);
}

/* Writes the scores of each class in the last validation. */
static hl_status write_scores(const hl_loop *loop)
{
    const hl_trainer *trainer = loop->trainer;
    if (trainer->scored != HL_METRICS_CLASSES || !leads(loop)) {
        return hl_ok();
    }
    HL_TRY(write_table(loop->folder->scores, trainer, hl_scores_csv_print));
    return trainer->classes.confusion != NULL ? write_table(loop->folder->confusion, trainer, hl_confusion_csv_print)
                                              : hl_ok();
}

/* Does everything that follows the updates up to the current step. Its time does not count in the training rate. */
static hl_status after_update(hl_loop *loop)
{
    double begin = hl_clock_seconds();
    const hl_config_train *train = &loop->config->train;
    int64_t step = step_of(loop);
    const hl_validation_sums *sums = NULL;
    loop->state.unvalidated = false;
    if (step == 0 || step == train->steps || is_due(step, train->eval_every)) {
        HL_TRY(validate(loop, &sums));
    }
    if (loop->state.unvalidated) {
        return hl_ok();
    }
    HL_TRY(record(loop, sums));
    if (hl_loop_finished(loop)) {
        HL_TRY(write_scores(loop));
    }
    if (hl_loop_finished(loop) || (step > 0 && is_due(step, train->checkpoint_every))) {
        HL_TRY(write_checkpoint(loop));
    }
    loop->interval_started += hl_clock_seconds() - begin;
    return hl_ok();
}

static hl_status run(hl_loop *loop)
{
    loop->interval_started = hl_clock_seconds();
    loop->best_in_checkpoint = loop->state.has_best; /* as restored */
    if (loop->state.unvalidated) {
        loop->checkpoint_step = -1; /* the checkpoint in the folder is of an unvalidated step: it is replaced, never
                                       kept */
    }
    if (loop->checkpoint_step < 0) {
        HL_TRY(after_update(loop));
    }
    while (!hl_loop_finished(loop) && hl_ranks_signal(loop->trainer->ranks) == 0) {
        HL_TRY(update(loop));
        HL_TRY(after_update(loop));
    }
    hl_progress_end(&loop->progress);
    return hl_loop_finished(loop) ? hl_ok() : write_checkpoint(loop);
}

hl_status hl_loop_run(hl_loop *loop)
{
    return hl_ranks_agree(loop->trainer->ranks, run(loop));
}
