#include "programs/train/program_run.h"
#include "programs/beside.h"

#include "core/files.h"
#include "core/memory.h"
#include "core/units.h"
#include "data/examples_storage.h"
#include "programs/expected_time.h"
#include "programs/print_line.h"
#include "programs/signal_handlers.h"
#include "programs/train/data.h"
#include "programs/train/first_weights.h"
#include "programs/train/resume.h"
#include "show/table.h"
#include "study/report.h"
#include "train/footprint.h"
#include "train/setup.h"
#include "train/setup_data.h"
#include "train/signals.h"
#include "train/snapshot_budget.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

/* What rank 0 records, and what all gather for it on their leaves of the validation set. */
static hl_status init_recorder(hl_train_call *p)
{
    if (p->config.patterns.examples == 0) {
        return hl_ok();
    }
    char notice[HL_SNAPSHOT_BUDGET_TEXT];
    if (hl_snapshot_budget_notice(&p->config, notice) != NULL) {
        hl_print_line(p->err, "%s", notice);
    }
    if (hl_snapshot_budget_examples(&p->config) == 0) {
        return hl_ok();
    }
    p->records = true;
    int64_t rows = hl_trainer_evaluation_rows(&p->config), longest = hl_dataset_max_length(p->trainer.dataset);
    HL_TRY(hl_validation_sums_pass_init(&p->sums, &p->trainer.model.config, rows, longest));
    HL_TRY(hl_trainer_reserve_sums(&p->trainer, &p->sums));
    p->loop.sums = &p->sums;
    if (!hl_ranks_leads(p->ranks)) {
        return hl_ok();
    }
    hl_examples examples;
    HL_TRY(hl_train_call_make_examples(p, &examples));
    hl_status status =
        hl_recorder_init(&p->recorder, &p->trainer.model, &examples, rows, p->trainer.threads, p->folder.patterns);
    hl_examples_free(&examples);
    HL_TRY(status);
    p->loop.recorder = &p->recorder;
    const hl_text_data *text = hl_dataset_text(p->trainer.dataset);
    HL_TRY(text != NULL ? hl_word_forms_make(&p->recorder.examples, hl_text_data_tokens(text), &p->words) : hl_ok());
    hl_word_forms_tell(&p->words, &p->recorder.examples);
    return hl_ok();
}

/* The names of the task's relations. */
static const char *const *relations_of(const hl_train_call *p)
{
    return hl_dataset_relations(p->trainer.dataset);
}

static hl_status tell_time(const hl_train_call *p)
{
    int64_t steps;
    hl_footprint footprint;
    HL_TRY(hl_train_call_steps_left(p, &steps));
    HL_TRY(hl_footprint_of_config(&p->config, &footprint));
    char what[HL_CONFIG_MAX_PATH + 2 * HL_UNITS_TEXT], n[HL_UNITS_TEXT], flops[HL_UNITS_TEXT];
    snprintf(what, sizeof what, "%s: %s steps of %s", p->command.config.path, hl_units_count(steps, n),
             hl_units_flops(hl_expected_flops(&p->config, footprint.flops), flops));
    int64_t leaves = p->config.train.leaves, processes = hl_ranks_count(p->ranks);
    int64_t most = (leaves + processes - 1) / processes; /* of one of them, which the others wait for */
    return hl_expected_time_tell(hl_expected_work(&p->config, footprint.flops, steps), hl_setup_threads(&p->config),
                                 (double)leaves / (double)most, what, p->command.yes, p->command.quiet ? NULL : p->out);
}

static hl_status init_watch(hl_train_call *p)
{
    if (p->command.watch < 0) {
        return hl_ok();
    }
    if (!p->records) {
        return hl_error(HL_INVALID, "command line: --watch: no example is recorded; raise patterns.budget_mb");
    }
    p->loop.watch = &p->watch;
    return hl_watch_init(&p->watch, &p->recorder, p->command.watch, p->command.pace, relations_of(p));
}

/* The memory of the training; on rank 0 also what the folder holds, and the weights that the run begins with. */
static hl_status prepare(hl_train_call *p)
{
    bool leads = hl_ranks_leads(p->ranks);
    if (leads) {
        HL_TRY(p->folder.path == NULL ? hl_run_folder_open(&p->folder, p->config.train.out, p->command.mode) : hl_ok());
        HL_TRY(tell_time(p));
    }
    p->result_text = hl_config_result_text(&p->config);
    HL_NEED(p->result_text != NULL, "the config");
    hl_dataset *dataset = p->dataset;
    p->dataset = NULL;
    HL_TRY(hl_trainer_reserve(&p->trainer, &p->config, dataset, p->ranks));
    p->loop = (hl_loop){ .config = &p->config,
                         .folder = &p->folder,
                         .trainer = &p->trainer,
                         .cadence = hl_snapshot_budget_of(&p->config).cadence,
                         .config_text = p->result_text,
                         .metrics = { .fd = -1 },
                         .checkpoint_step = -1 };
    if (leads) {
        HL_TRY(p->command.mode == HL_RUN_RESUME ? hl_train_call_resume(p) : hl_first_weights_get(p));
        HL_TRY(hl_run_folder_make(&p->folder)); /* earlier failures leave nothing behind */
    }
    HL_TRY(init_recorder(p));
    HL_TRY(leads ? hl_train_call_init_syntax(p) : hl_ok());
    return leads ? init_watch(p) : hl_ok();
}

/* Gives the others what rank 0 has read or drawn. */
static void share_beginning(hl_train_call *p)
{
    hl_optimizer *optimizer = &p->trainer.optimizer;
    hl_real *const blocks[] = { p->trainer.model.parameters.values, optimizer->m, optimizer->v };
    for (int i = 0; i < 3 && blocks[i] != NULL; i++) {
        hl_ranks_broadcast(p->ranks, blocks[i], (size_t)p->trainer.model.parameters.count * sizeof(hl_real));
    }
    hl_ranks_broadcast(p->ranks, &optimizer->step, sizeof optimizer->step);
    hl_ranks_broadcast(p->ranks, &p->loop.state, sizeof p->loop.state);
    hl_ranks_broadcast(p->ranks, &p->loop.checkpoint_step, sizeof p->loop.checkpoint_step);
}

/* The folder's files are this run's from now on. This comes after everything else that can fail. */
static hl_status claim(hl_train_call *p)
{
    if (p->command.mode == HL_RUN_OVERWRITE) {
        HL_TRY(hl_run_folder_clear(&p->folder));
        return hl_data_remove_others(&(const hl_config *){ &p->config }, 1, p->folder.path);
    }
    if (p->command.mode == HL_RUN_NEW) {
        return hl_ok();
    }
    HL_TRY(hl_run_folder_drop_after(&p->folder, p->loop.checkpoint_step));
    int64_t whole = p->loop.checkpoint_step - p->loop.state.unvalidated; /* the last step that is done to its end */
    HL_TRY(hl_syntax_csv_drop_after(p->folder.syntax, whole));
    HL_TRY(hl_tensorboard_drop_after(p->folder.events, whole, &p->board.begin));
    int64_t keep = p->config.train.keep_checkpoints;
    return keep > 0 ? hl_run_folder_prune(&p->folder, keep) : hl_ok(); /* the run may have ended just before it */
}

static void print_start(const hl_train_call *p)
{
    if (p->command.quiet) {
        return;
    }
    int64_t step = p->trainer.optimizer.step;
    int n = hl_ranks_count(p->ranks), threads = p->trainer.threads;
    char processes[32] = "";
    if (n > 1) {
        snprintf(processes, sizeof processes, "%d processes of ", n);
    }
    hl_print_line(p->out, "%s: %" PRId64 " parameters, %s%d thread%s, into %s", p->command.config.path,
                  hl_parameters_count(&p->trainer.model.parameters), processes, threads, threads > 1 ? "s" : "",
                  p->folder.path);
    char budget[HL_SNAPSHOT_BUDGET_TEXT];
    fprintf(p->out, "%s\n", hl_snapshot_budget_text(&p->config, budget));
    if (p->command.mode == HL_RUN_RESUME) {
        fprintf(p->out, step > 0 ? "resumed at step %" PRId64 "\n" : "no checkpoint yet: begins at step %" PRId64 "\n",
                step);
    }
    fflush(p->out);
}

static hl_status begin(hl_train_call *p)
{
    HL_TRY(hl_config_write(&p->config, p->folder.config));
    char *vocabulary;
    size_t size;
    HL_TRY(hl_vocabulary_text(hl_dataset_vocabulary(p->trainer.dataset), &vocabulary, &size));
    hl_status status = hl_file_replace(p->folder.vocabulary, vocabulary, size, HL_VOLATILE);
    hl_free(vocabulary);
    HL_TRY(status);
    if (hl_config_is_text(&p->config, NULL)) {
        HL_TRY(hl_data_save_tokens(p->trainer.dataset, p->folder.path));
    }
    if (p->open != NULL) {
        hl_pretrained_sentence sentence = hl_pretrained_sentence_of(p->open);
        HL_TRY(hl_pretrained_sentence_save(&sentence, p->folder.path));
    }
    HL_TRY(hl_train_call_open_syntax(p));
    int64_t step = p->trainer.optimizer.step;
    HL_TRY(hl_metrics_csv_open(&p->loop.metrics, p->folder.metrics, p->trainer.scored, p->loop.state.metrics));
    if (p->config.train.tensorboard) {
        p->loop.board = &p->board;
        HL_TRY(hl_tensorboard_open(&p->board, &p->folder, &p->config, p->trainer.dataset, p->loop.recorder));
    }
    p->loop.progress = hl_progress_begin(p->command.quiet ? NULL : p->out, step, p->config.train.steps);
    print_start(p);
    return hl_train_call_tell_data(p, p->trainer.dataset, false);
}

/* Frees all that the run was trained and recorded in; may be called again. */
static void free_training(hl_train_call *p)
{
    hl_watch_free(&p->watch);
    if (p->treebank != NULL) {
        hl_syntax_csv_free(&p->syntax);
        hl_treebank_free(p->treebank);
        p->treebank = NULL;
    }
    if (p->records) {
        hl_validation_sums_pass_free(&p->sums);
        hl_recorder_free(&p->recorder);
        hl_word_forms_free(&p->words);
    }
    hl_trainer_free(&p->trainer);
}

/* heads.csv and report.html. A run without them is complete, and they can be written later. The memory of training is
 * freed first: measuring the heads takes memory of its own. */
static hl_status write_what_heads_do(hl_train_call *p)
{
    if (!p->records) {
        return hl_ok();
    }
    free_training(p);
    fflush(p->out); /* a signal may end the process here */
    hl_status status = hl_heads_files_write(p->folder.path);
    return status.code == HL_OK ? status
                                : hl_error(status.code,
                                           "%s; the training is complete, but heads.csv or report.html is not written; "
                                           "mend this, then %s %s writes them",
                                           status.text, hl_program_name("heads"), p->folder.path);
}

static void print_end(const hl_train_call *p, bool stopped, bool reported)
{
    if (stopped) {
        int64_t n = p->loop.state.since_best;
        fprintf(p->out, "stopped: no better validation loss in %" PRId64 " validation%s (train.patience)\n", n,
                n == 1 ? "" : "s");
    }
    const hl_scores *last = &p->loop.evaluation.scores;
    char more[128] = "";
    if (last->bits_per_character >= 0) {
        snprintf(more, sizeof more, ", perplexity %.4g, %.3f bits per character", last->perplexity,
                 last->bits_per_character);
    } else if (last->macro_f1 >= 0) {
        snprintf(more, sizeof more, ", macro F1 %.2f%%", 100 * last->macro_f1);
    }
    hl_print_line(p->out, "best validation loss %.4f at step %" PRId64 "; last accuracy %.2f%%%s",
                  p->loop.state.best_loss, p->loop.state.best_step, 100 * last->accuracy, more);
    hl_print_line(p->out, "everything is in %s%s", p->folder.path,
                  reported ? "; open its report.html in a browser" : "");
}

static hl_status end(hl_train_call *p)
{
    bool stopped = p->trainer.optimizer.step < p->config.train.steps;
    if (p->records && !p->command.quiet) {
        hl_text table = { 0 };
        hl_status status = hl_word_forms_count(&p->words, hl_dataset_text(p->trainer.dataset));
        HL_THEN(status, hl_table_of(&p->recorder, relations_of(p), &table));
        if (status.code == HL_OK) {
            fprintf(p->out, "\n%s\n", table.bytes);
        }
        hl_text_free(&table);
        HL_TRY(status);
    }
    HL_TRY(hl_train_call_tell_earned(p));
    hl_status written = write_what_heads_do(p);
    if (!p->command.quiet) {
        print_end(p, stopped, p->records && written.code == HL_OK);
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

static void tell_finished_before(const hl_train_call *p)
{
    if (p->command.quiet) {
        return;
    }
    bool steps_done = p->trainer.optimizer.step >= p->config.train.steps;
    bool patience_lost = hl_loop_patience_lost(&p->config, &p->loop.state);
    hl_print_line(p->out, "%s: finished at step %" PRId64 " already; %s%s%s would go on", p->folder.path,
                  p->trainer.optimizer.step, steps_done ? "more train.steps" : "",
                  steps_done && patience_lost ? " and " : "", patience_lost ? "a larger train.patience" : "");
}

/* Of several processes all train; rank 0 alone reads and writes the run's folder, before and after. */
hl_status hl_train_call_run(hl_train_call *p)
{
    bool leads = hl_ranks_leads(p->ranks);
    HL_TRY(hl_ranks_agree(p->ranks, prepare(p)));
    share_beginning(p);
    HL_TRY(leads ? claim(p) : hl_ok());
    bool finished_before = p->command.mode == HL_RUN_RESUME && hl_loop_finished(&p->loop);
    if (!finished_before) {
        HL_TRY(leads ? begin(p) : hl_ok());
        HL_TRY(hl_loop_run(&p->loop));
    } else if (leads) {
        tell_finished_before(p);
    }
    if (leads) {
        end_at_once_from_here(p->folder.path);
    }
    HL_TRY(hl_ranks_agree(p->ranks, hl_ok())); /* also on a signal that came after the last step */
    p->signal = hl_ranks_signal(p->ranks);
    if (!leads) {
        free_training(p); /* rank 0 may need the memory */
        return hl_ok();
    }
    if (p->signal != 0) {
        hl_print_line(p->err, "interrupted after step %" PRId64 ", saved in %s; go on with --resume",
                      p->trainer.optimizer.step, p->folder.path);
        return hl_ok();
    }
    return finished_before ? write_what_heads_do(p) : end(p); /* they may be missing */
}

void hl_train_call_free(hl_train_call *p)
{
    hl_metrics_csv_close(&p->loop.metrics);
    hl_tensorboard_close(&p->board);
    hl_dataset_free(p->written);
    free_training(p);
    hl_dataset_free(p->dataset);
    hl_pretrained_close(p->open);
    hl_processes_free(&p->processes);
    hl_run_folder_close(&p->folder);
    hl_free(p->config_path);
    hl_free(p->result_text);
}
