#include "programs/train/program_run.h"
#include "programs/beside.h"

#include "core/base/memory.h"
#include "core/base/units.h"
#include "core/files/files.h"
#include "data/examples_storage.h"
#include "data/text/word_forms.h"
#include "heads/recorder.h"
#include "heads/validation_sums_pass.h"
#include "programs/expected_time.h"
#include "programs/print_line.h"
#include "programs/signal_handlers.h"
#include "programs/train/first_weights.h"
#include "programs/train/resume.h"
#include "study/heads_table.h"
#include "study/report.h"
#include "train/footprint.h"
#include "train/setup.h"
#include "train/snapshot_budget.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>

/* What a run is trained and recorded in. The loop points to the other parts that are in use, and is what most of the
 * functions below need; all is freed by free_training. */
typedef struct training {
    hl_trainer trainer;
    hl_recorder recorder;
    hl_word_forms words;          /* of text: of the recorder's examples */
    hl_validation_sums_pass sums; /* for the recorder */
    hl_syntax_csv syntax;         /* where there is a treebank */
    hl_tensorboard board;         /* where the config asks for it */
    hl_watch watch;
    hl_loop loop;
    char *result_text; /* for the metadata of weights */
    bool best_is_kept; /* the best weights that the checkpoint knows are in model-before.safetensors */
} training;

/* What rank 0 records, and what all gather for it on their leaves of the validation set. The examples are the first of
 * the validation set, or of patterns.file, as many as the budget has room for. */
static hl_status init_recorder(training *t, const hl_dataset *written, FILE *err)
{
    hl_trainer *trainer = &t->trainer;
    const hl_config *config = trainer->config;
    if (config->patterns.examples == 0) {
        return hl_ok();
    }
    char notice[HL_SNAPSHOT_BUDGET_TEXT];
    if (hl_snapshot_budget_notice(config, notice) != NULL) {
        hl_print_line(err, "%s", notice);
    }
    int64_t n = hl_snapshot_budget_examples(config);
    if (n == 0) {
        return hl_ok();
    }
    int64_t rows = hl_trainer_evaluation_rows(config), longest = hl_dataset_sizes(trainer->dataset)->longest;
    HL_TRY(hl_validation_sums_pass_init(&t->sums, &trainer->model.config, rows, longest));
    HL_TRY(hl_trainer_reserve_sums(trainer, &t->sums));
    t->loop.sums = &t->sums;
    if (!hl_ranks_leads(trainer->ranks)) {
        return hl_ok();
    }
    hl_examples examples;
    if (written != NULL && hl_dataset_sizes(written)->examples[HL_VALIDATION] < n) {
        n = hl_dataset_sizes(written)->examples[HL_VALIDATION];
    }
    const hl_dataset *from = written != NULL ? written : trainer->dataset;
    HL_TRY(hl_dataset_make_examples(from, HL_VALIDATION, 0, n, &examples));
    hl_status status =
        hl_recorder_init(&t->recorder, &trainer->model, &examples, rows, trainer->threads, t->loop.folder->patterns);
    hl_examples_free(&examples);
    HL_TRY(status);
    t->loop.recorder = &t->recorder;
    const hl_text_data *text = hl_dataset_text(trainer->dataset);
    HL_TRY(text != NULL ? hl_word_forms_make(&t->recorder.examples, hl_text_data_tokens(text), &t->words) : hl_ok());
    hl_word_forms_tell(&t->words, &t->recorder.examples);
    return hl_ok();
}

static hl_status tell_time(const hl_train_command *command, const hl_config *config, const hl_run_folder *folder,
                           int64_t processes, FILE *out)
{
    int64_t steps;
    hl_footprint footprint;
    HL_TRY(hl_resume_steps_left(config, folder, &steps));
    HL_TRY(hl_footprint_of_config(config, &footprint));
    char what[HL_CONFIG_MAX_PATH + 2 * HL_UNITS_TEXT], n[HL_UNITS_TEXT], flops[HL_UNITS_TEXT];
    snprintf(what, sizeof what, "%s: %s steps of %s", command->config.path, hl_units_count(steps, n),
             hl_units_flops(hl_expected_flops(config, footprint.flops), flops));
    int64_t leaves = config->train.leaves;
    int64_t most = (leaves + processes - 1) / processes; /* of one of them, which the others wait for */
    return hl_expected_time_tell(hl_expected_work(config, footprint.flops, steps), hl_setup_threads(config),
                                 (double)leaves / (double)most, what, command->yes, out);
}

static hl_status init_watch(training *t, const hl_train_command *command)
{
    if (command->watch < 0) {
        return hl_ok();
    }
    if (t->loop.recorder == NULL) {
        return hl_error(HL_INVALID, "command line: --watch: no example is recorded; raise patterns.budget_mb");
    }
    t->loop.watch = &t->watch;
    return hl_watch_init(&t->watch, &t->recorder, command->watch, command->pace,
                         hl_dataset_relations(t->trainer.dataset));
}

/* The memory of the training; on rank 0 also what the folder holds, and the weights that the run begins with. */
static hl_status prepare(training *t, const hl_train_command *command, hl_config *config, hl_train_data *data,
                         hl_run_folder *folder, hl_ranks *ranks, hl_train_shown shown)
{
    bool leads = hl_ranks_leads(ranks);
    if (leads) {
        HL_TRY(folder->path == NULL ? hl_run_folder_open(folder, config->train.out, command->mode) : hl_ok());
        HL_TRY(tell_time(command, config, folder, hl_ranks_count(ranks), shown.out));
    }
    t->result_text = hl_config_result_text(config);
    HL_NEED(t->result_text != NULL, "the config");
    hl_dataset *dataset = data->dataset;
    data->dataset = NULL;
    HL_TRY(hl_trainer_reserve(&t->trainer, config, dataset, ranks));
    t->loop = (hl_loop){ .config = config,
                         .folder = folder,
                         .trainer = &t->trainer,
                         .cadence = hl_snapshot_budget_of(config).cadence,
                         .config_text = t->result_text,
                         .checkpoint_step = -1 };
    if (leads) {
        bool goes_on = command->mode == HL_RUN_RESUME;
        HL_TRY(goes_on ? hl_resume(&t->loop, config, folder, command->config.path, &t->best_is_kept) : hl_ok());
        bool restored = t->loop.checkpoint_step >= 0;
        HL_TRY(restored ? hl_ok() : hl_first_weights_get(&t->trainer, &data->open, shown));
        HL_TRY(hl_run_folder_make(folder)); /* earlier failures leave nothing behind */
    }
    HL_TRY(init_recorder(t, data->written, shown.err));
    HL_TRY(leads ? hl_train_syntax_init(&t->syntax, &data->followed, &t->loop, command->config.path) : hl_ok());
    return leads ? init_watch(t, command) : hl_ok();
}

/* The folder's files are this run's from now on. This comes after everything else that can fail. */
static hl_status claim(training *t)
{
    const hl_loop *loop = &t->loop;
    const hl_run_folder *folder = loop->folder;
    if (folder->mode == HL_RUN_OVERWRITE) {
        HL_TRY(hl_run_folder_clear(folder));
        return hl_data_remove_others(&loop->config, 1, folder->path);
    }
    if (folder->mode == HL_RUN_NEW) {
        return hl_ok();
    }
    HL_TRY(hl_run_folder_drop_after(folder, loop->checkpoint_step));
    HL_TRY(hl_resume_take_best(folder, t->best_is_kept));
    int64_t whole = loop->checkpoint_step - loop->state.unvalidated; /* the last step that is done to its end */
    HL_TRY(hl_syntax_csv_drop_after(folder->syntax, whole));
    HL_TRY(hl_tensorboard_drop_after(folder->events, whole, &t->board.begin));
    int64_t keep = loop->config->train.keep_checkpoints;
    return keep > 0 ? hl_run_folder_prune(folder, keep) : hl_ok(); /* the run may have ended just before it */
}

static void print_start(const hl_loop *loop, const char *path, FILE *out)
{
    if (out == NULL) {
        return;
    }
    const hl_trainer *trainer = loop->trainer;
    int64_t step = trainer->optimizer.step;
    int n = hl_ranks_count(trainer->ranks), threads = trainer->threads;
    char processes[32] = "";
    if (n > 1) {
        snprintf(processes, sizeof processes, "%d processes of ", n);
    }
    hl_print_line(out, "%s: %" PRId64 " parameters, %s%d thread%s, into %s", path,
                  hl_parameters_count(&trainer->model.parameters), processes, threads, threads > 1 ? "s" : "",
                  loop->folder->path);
    char budget[HL_SNAPSHOT_BUDGET_TEXT];
    fprintf(out, "%s\n", hl_snapshot_budget_text(loop->config, budget));
    if (loop->folder->mode == HL_RUN_RESUME) {
        fprintf(out, step > 0 ? "resumed at step %" PRId64 "\n" : "no checkpoint yet: begins at step %" PRId64 "\n",
                step);
    }
    fflush(out);
}

/* Opens the files of the run. `path` is the config's, as it was named. */
static hl_status begin(training *t, const hl_train_data *data, const char *path, FILE *out, int *signal)
{
    hl_loop *loop = &t->loop;
    const hl_config *config = loop->config;
    const hl_run_folder *folder = loop->folder;
    const hl_dataset *dataset = t->trainer.dataset;
    HL_TRY(hl_config_write(config, folder->config));
    char *vocabulary;
    size_t size;
    HL_TRY(hl_vocabulary_text(hl_dataset_vocabulary(dataset), &vocabulary, &size));
    hl_status status = hl_file_replace(folder->vocabulary, vocabulary, size, HL_VOLATILE);
    hl_free(vocabulary);
    HL_TRY(status);
    if (hl_config_is_text(config, NULL)) {
        HL_TRY(hl_data_save_tokens(dataset, folder->path));
    }
    if (data->open != NULL) {
        hl_pretrained_sentence sentence = hl_pretrained_sentence_of(data->open);
        HL_TRY(hl_pretrained_sentence_save(&sentence, folder->path));
    }
    HL_TRY(hl_train_syntax_open(loop, path));
    HL_TRY(hl_metrics_csv_open(&loop->metrics, folder->metrics, t->trainer.scored, loop->state.metrics));
    if (config->train.tensorboard) {
        loop->board = &t->board;
        HL_TRY(hl_tensorboard_open(&t->board, folder, config, dataset, loop->recorder));
    }
    loop->progress = hl_progress_begin(out, t->trainer.optimizer.step, config->train.steps);
    print_start(loop, path, out);
    return hl_train_data_tell(dataset, &data->followed, config, false, out, signal);
}

/* Frees all that the run was trained and recorded in, and its data; may be called again. */
static void free_training(training *t, hl_train_data *data)
{
    hl_metrics_csv_close(&t->loop.metrics);
    hl_tensorboard_close(&t->board);
    hl_watch_free(&t->watch);
    hl_syntax_csv_free(&t->syntax);
    hl_validation_sums_pass_free(&t->sums);
    hl_recorder_free(&t->recorder);
    hl_word_forms_free(&t->words);
    hl_train_data_free(data);
    hl_trainer_free(&t->trainer);
    hl_free(t->result_text);
    t->result_text = NULL;
}

/* The table that `heads` prints. `to`: a FILE, or NULL. */
static hl_status print_heads(void *to, const hl_opened_model *run, const hl_heads_study *study)
{
    hl_text table = { 0 };
    const hl_heads_table_options options = { hl_program_name("heads"), run->source.relations, false };
    if (to == NULL) {
        return hl_ok();
    }
    hl_text_print(&table, "\n");
    hl_heads_table_print(&table, run->source.path, study, options);
    hl_text_print(&table, "\n");
    return hl_print_text(to, &table); /* flushed: a signal may end the process while the files are written */
}

/* heads.csv and report.html. A run without them is complete, and they can be written later. The memory of training is
 * freed first: measuring the heads takes memory of its own. */
static hl_status write_what_heads_do(training *t, hl_train_data *data, FILE *out)
{
    if (t->loop.recorder == NULL) {
        return hl_ok();
    }
    free_training(t, data);
    if (out != NULL) {
        fflush(out); /* a signal may end the process here */
    }
    const char *folder = t->loop.folder->path;
    hl_status status = hl_heads_files_write(folder, print_heads, out);
    return status.code == HL_OK ? status
                                : hl_error(status.code,
                                           "%s; the training is complete, but heads.csv or report.html is not written; "
                                           "mend this, then %s %s writes them",
                                           status.text, hl_program_name("heads"), folder);
}

static void print_end(const hl_loop *loop, bool stopped, bool reported, FILE *out)
{
    if (stopped) {
        int64_t n = loop->state.since_best;
        fprintf(out, "stopped: no better validation loss in %" PRId64 " validation%s (train.patience)\n", n,
                n == 1 ? "" : "s");
    }
    const hl_scores *last = &loop->evaluation.scores;
    char more[128] = "";
    if (last->bits_per_character >= 0) {
        snprintf(more, sizeof more, ", perplexity %.4g, %.3f bits per character", last->perplexity,
                 last->bits_per_character);
    } else if (last->macro_f1 >= 0) {
        snprintf(more, sizeof more, ", macro F1 %.2f%%", 100 * last->macro_f1);
    }
    hl_print_line(out, "best validation loss %.4f at step %" PRId64 "; last accuracy %.2f%%%s", loop->state.best_loss,
                  loop->state.best_step, 100 * last->accuracy, more);
    hl_print_line(out, "everything is in %s%s", loop->folder->path,
                  reported ? "; open its report.html in a browser" : "");
}

static hl_status end(training *t, hl_train_data *data, FILE *out)
{
    bool stopped = t->trainer.optimizer.step < t->loop.config->train.steps;
    HL_TRY(hl_train_tell_earned(&t->syntax, out));
    hl_status written = write_what_heads_do(t, data, out);
    if (out != NULL) {
        print_end(&t->loop, stopped, t->loop.recorder != NULL && written.code == HL_OK, out);
    }
    return written;
}

/* A signal while heads are measured leaves no half of what is made of them. */
static void end_at_once_from_here(const char *folder)
{
    static char paths[2][PATH_MAX]; /* for a handler: as long as the process */
    static const char *const unfinished[] = { paths[0], paths[1], NULL };
    snprintf(paths[0], PATH_MAX, "%s/heads.csv.tmp", folder);
    snprintf(paths[1], PATH_MAX, "%s/report.html.tmp", folder);
    hl_signal_handlers_end_at_once("interrupted: the training is complete and saved; --resume measures its heads\n",
                                   unfinished);
}

static void tell_finished_before(const hl_loop *loop, FILE *out)
{
    if (out == NULL) {
        return;
    }
    int64_t step = loop->trainer->optimizer.step;
    bool steps_done = step >= loop->config->train.steps;
    bool patience_lost = hl_loop_patience_lost(loop->config, &loop->state);
    hl_print_line(out, "%s: finished at step %" PRId64 " already; %s%s%s would go on", loop->folder->path, step,
                  steps_done ? "more train.steps" : "", steps_done && patience_lost ? " and " : "",
                  patience_lost ? "a larger train.patience" : "");
}

/* What follows once the training is prepared. Of several processes all train; rank 0 alone reads and writes the run's
 * folder, before and after. */
static hl_status train(training *t, hl_train_data *data, const hl_train_command *command, hl_train_shown shown,
                       int *signal)
{
    hl_loop *loop = &t->loop;
    hl_ranks *ranks = t->trainer.ranks;
    bool leads = hl_ranks_leads(ranks);
    /* The others get what rank 0 has read or drawn. */
    hl_trainer *trainer = loop->trainer;
    hl_optimizer *optimizer = &trainer->optimizer;
    hl_real *const blocks[] = { trainer->model.parameters.values, optimizer->m, optimizer->v };
    for (int i = 0; i < 3 && blocks[i] != NULL; i++) {
        hl_ranks_broadcast(trainer->ranks, blocks[i], (size_t)trainer->model.parameters.count * sizeof(hl_real));
    }
    hl_ranks_broadcast(trainer->ranks, &optimizer->step, sizeof optimizer->step);
    hl_ranks_broadcast(trainer->ranks, &loop->state, sizeof loop->state);
    hl_ranks_broadcast(trainer->ranks, &loop->checkpoint_step, sizeof loop->checkpoint_step);
    HL_TRY(leads ? claim(t) : hl_ok());
    bool finished_before = command->mode == HL_RUN_RESUME && hl_loop_finished(loop);
    if (!finished_before) {
        HL_TRY(leads ? begin(t, data, command->config.path, shown.out, signal) : hl_ok());
        HL_TRY(hl_loop_run(loop));
    } else if (leads) {
        tell_finished_before(loop, shown.out);
    }
    if (leads) {
        end_at_once_from_here(loop->folder->path);
    }
    HL_TRY(hl_ranks_agree(ranks, hl_ok())); /* also on a signal that came after the last step */
    *signal = hl_ranks_signal(ranks);
    if (leads && *signal != 0) {
        hl_print_line(shown.err, "interrupted after step %" PRId64 ", saved in %s; go on with --resume",
                      t->trainer.optimizer.step, loop->folder->path);
    }
    if (!leads || *signal != 0) {
        return hl_ok();
    }
    return finished_before ? write_what_heads_do(t, data, shown.out)
                           : end(t, data, shown.out); /* they may be missing */
}

hl_status hl_train_run(const hl_train_command *command, hl_config *config, hl_train_data *data, hl_run_folder *folder,
                       hl_ranks *ranks, hl_train_shown shown, int *signal)
{
    training t = { 0 };
    hl_status status = hl_ranks_agree(ranks, prepare(&t, command, config, data, folder, ranks, shown));
    HL_THEN(status, train(&t, data, command, shown, signal));
    if (status.code != HL_OK) {
        hl_progress_end(&t.loop.progress);
    }
    free_training(&t, data);
    return status;
}
