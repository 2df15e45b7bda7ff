#include "train/program.h"

#include "core/files.h"
#include "core/matmul.h"
#include "core/memory.h"
#include "heads/table.h"
#include "train/checkpoint.h"
#include "train/command.h"
#include "train/heads_report.h"
#include "train/loop.h"
#include "train/setup.h"
#include "train/signals.h"
#include "train/summary.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

/* One run of the program, from the command line to the last file. */
typedef struct program {
    hl_command command;
    FILE *out, *err;
    hl_config config;
    char *config_text, *result_text; /* for config.ini; for the metadata of weights */
    hl_run_folder folder;
    hl_trainer trainer;
    hl_recorder recorder;
    bool records;
    hl_loop loop;
    int signal;
} program;

/* ---- the config ---- */

static hl_status load_config(program *p)
{
    const char *overrides[HL_MAX_OVERRIDES + 1];
    int n = p->command.n_overrides;
    memcpy(overrides, p->command.overrides, (size_t)n * sizeof *overrides);
    char out[HL_CONFIG_MAX_PATH + 16];
    if (p->command.out != NULL) {
        if (snprintf(out, sizeof out, "train.out=%s", p->command.out) >= (int)sizeof out) {
            return hl_error(HL_INVALID, "command line: --out: longer than %d bytes", HL_CONFIG_MAX_PATH - 1);
        }
        overrides[n++] = out;
    }
    hl_problems problems = { 0 };
    hl_status status =
        hl_config_load((hl_config_options){ .path = p->command.config, .overrides = overrides, .n_overrides = n },
                       &p->config, &problems);
    for (int i = 0; i + 1 < problems.n; i++) { /* the last one is the status */
        fprintf(p->err, "%s\n", problems.lines[i]);
    }
    if (status.code == HL_INVALID && problems.n > 0) {
        status = hl_error(HL_INVALID, "%s", problems.lines[problems.n - 1]);
    }
    hl_problems_free(&problems);
    HL_TRY(status);
    p->config_text = hl_config_text(&p->config);
    p->result_text = hl_config_result_text(&p->config);
    return p->config_text != NULL && p->result_text != NULL ? hl_ok() : hl_error_memory("the config");
}

static hl_status check_budget(const program *p)
{
    const hl_config *config = &p->config;
    hl_task_spec spec = hl_config_task_spec(config);
    hl_model_config model = hl_setup_model(config);
    int64_t examples = hl_setup_recorded_examples(config), budget = config->patterns.budget_mb;
    int64_t snapshots = hl_cadence_count(hl_setup_cadence(config), config->train.steps);
    double megabytes =
        (double)snapshots *
        (double)hl_recorder_bytes(&model, examples, hl_task_max_tokens(&spec), hl_task_n_relations(&spec)) / 1e6;
    if (examples == 0 || budget == 0 || megabytes <= (double)budget) {
        return hl_ok();
    }
    return hl_error(HL_INVALID,
                    "%s: %" PRId64 " snapshots would take %.0f MB, and patterns.budget_mb is %" PRId64
                    "; raise it, or lower patterns.examples, or record less often (patterns.every)",
                    p->command.config, snapshots, megabytes, budget);
}

/* What only opening the task can tell. */
static hl_status check_task(const program *p)
{
    hl_task_spec spec = hl_config_task_spec(&p->config);
    hl_dataset *dataset;
    hl_status status = hl_dataset_open(&spec, (uint64_t)p->config.train.seed, &dataset);
    if (status.code == HL_INVALID) {
        return hl_error(HL_INVALID, "%s: %s", p->command.config, status.text);
    }
    HL_TRY(status);
    hl_dataset_free(dataset);
    return hl_ok();
}

static hl_status print_summary(const program *p)
{
    char *text;
    HL_TRY(hl_summary_text(&p->config, &text));
    fputs(text, p->out);
    hl_free(text);
    return hl_ok();
}

/* ---- the run ---- */

static hl_status write_vocabulary(const program *p)
{
    char *text;
    size_t size;
    HL_TRY(hl_vocabulary_text(hl_dataset_vocabulary(p->trainer.dataset), &text, &size));
    hl_status status = hl_file_replace(p->folder.vocabulary, text, size, HL_VOLATILE);
    hl_free(text);
    return status;
}

/* A resumed run must be the run that was begun: same config but for keys that change no number already computed. */
static hl_status check_same_config(const program *p, const char *stored, size_t size, const char *where)
{
    hl_config before;
    hl_problems problems = { 0 };
    hl_status status = hl_config_parse((hl_config_options){ .path = where }, stored, size, &before, &problems);
    hl_problems_free(&problems);
    if (status.code == HL_INVALID) {
        return hl_error(HL_BAD_FILE, "%s: its config cannot be read: %s", where, status.text);
    }
    HL_TRY(status);
    const char *key = hl_config_difference(&before, &p->config);
    if (key != NULL) {
        return hl_error(HL_INVALID,
                        "%s: %s differs from the run's own in %s; a resumed run keeps it (or begin anew: --overwrite)",
                        p->command.config, key, where);
    }
    return hl_ok();
}

static hl_status restore(program *p, const hl_checkpoint *checkpoint)
{
    const char *stored = hl_checkpoint_config(checkpoint);
    HL_TRY(check_same_config(p, stored, strlen(stored), p->folder.checkpoint));
    HL_TRY(hl_checkpoint_restore(checkpoint, &p->trainer.optimizer, &p->loop.state));
    p->loop.checkpoint_step = p->trainer.optimizer.step;
    /* Where the best weights are gone, or belong to steps that are now dropped, the next validation writes them anew. */
    p->loop.state.has_best =
        p->loop.state.has_best && hl_checkpoint_model_step(p->folder.model) == p->loop.state.best_step;
    HL_TRY(hl_run_folder_drop_after(&p->folder, p->trainer.optimizer.step));
    int64_t keep = p->config.train.keep_checkpoints;
    return keep > 0 ? hl_run_folder_prune(&p->folder, keep) : hl_ok(); /* in case the run ended just before doing so */
}

/* The run was ended before its first checkpoint, if there was one; but a checkpoint that was taken away is no reason to
 * remove the older ones. */
static hl_status begin_anew(const program *p)
{
    int64_t kept;
    HL_TRY(hl_run_folder_newest_kept(&p->folder, &kept));
    if (kept >= 0) {
        return hl_error(HL_BAD_FILE,
                        "%s: missing, but checkpoint-%" PRId64
                        ".safetensors is there; copy it to this name to go on from "
                        "it, or begin anew with --overwrite",
                        p->folder.checkpoint, kept);
    }
    if (access(p->folder.config, F_OK) == 0) {
        char *stored;
        size_t size;
        HL_TRY(hl_file_read(p->folder.config, HL_CONFIG_MAX_BYTES, &stored, &size));
        hl_status status = check_same_config(p, stored, size, p->folder.config);
        hl_free(stored);
        HL_TRY(status);
    }
    return hl_run_folder_drop_after(&p->folder, -1);
}

/* Goes on from the checkpoint, or where there is none yet from the beginning. */
static hl_status resume(program *p)
{
    if (access(p->folder.checkpoint, F_OK) != 0) {
        return errno == ENOENT ? begin_anew(p) : hl_file_system_error(p->folder.checkpoint, "cannot open");
    }
    hl_checkpoint *checkpoint;
    HL_TRY(hl_checkpoint_open(p->folder.checkpoint, &checkpoint));
    hl_status status = restore(p, checkpoint);
    hl_checkpoint_free(checkpoint);
    return status;
}

static hl_status load_from(program *p)
{
    bool has_checksum;
    HL_TRY(hl_checkpoint_load_weights(p->command.from, &p->trainer.model.parameters, &has_checksum));
    if (!has_checksum) {
        fprintf(p->err, "%s: no checksum in it (written by another program): taken as it is\n", p->command.from);
    }
    return hl_ok();
}

static hl_status init_recorder(program *p)
{
    if (p->config.patterns.examples == 0) {
        return hl_ok();
    }
    p->records = true;
    hl_batch examples = hl_batch_part(&p->trainer.validation, 0, hl_setup_recorded_examples(&p->config));
    return hl_recorder_init(&p->recorder, &p->trainer.model, &examples, hl_trainer_evaluation_part(&p->config),
                            p->folder.patterns);
}

static hl_status prepare(program *p)
{
    HL_TRY(hl_run_folder_open(&p->folder, p->config.train.out, p->command.mode));
    HL_TRY(hl_trainer_init(&p->trainer, &p->config));
    p->loop = (hl_loop){ .config = &p->config,
                         .folder = &p->folder,
                         .trainer = &p->trainer,
                         .config_text = p->result_text,
                         .metrics = { .fd = -1 },
                         .checkpoint_step = -1 };
    HL_TRY(init_recorder(p));
    p->loop.recorder = p->records ? &p->recorder : NULL;
    if (p->command.mode == HL_RUN_RESUME) {
        HL_TRY(resume(p));
    } else if (p->command.from != NULL) {
        HL_TRY(load_from(p));
    }
    return hl_ok();
}

static hl_status begin(program *p)
{
    if (p->command.mode == HL_RUN_OVERWRITE) { /* not before everything else that can fail has not */
        HL_TRY(hl_run_folder_clear(&p->folder));
    }
    HL_TRY(hl_file_replace(p->folder.config, p->config_text, strlen(p->config_text), HL_DURABLE));
    HL_TRY(write_vocabulary(p));
    int64_t step = p->trainer.optimizer.step;
    HL_TRY(hl_metrics_csv_open(&p->loop.metrics, p->folder.metrics, p->loop.checkpoint_step));
    p->loop.progress = hl_progress_begin(p->command.quiet ? NULL : p->out, step, p->config.train.steps);
    return hl_ok();
}

static void print_start(const program *p)
{
    if (p->command.quiet) {
        return;
    }
    int64_t step = p->trainer.optimizer.step;
    fprintf(p->out, "%s: %" PRId64 " parameters, %d thread%s, into %s\n", p->command.config,
            hl_parameters_count(&p->trainer.model.parameters), p->trainer.threads, p->trainer.threads > 1 ? "s" : "",
            p->folder.path);
    if (p->command.mode == HL_RUN_RESUME) {
        fprintf(p->out, step > 0 ? "resumed at step %" PRId64 "\n" : "no checkpoint yet: begins at step %" PRId64 "\n",
                step);
    }
    fflush(p->out);
}

static hl_status print_table(const program *p)
{
    hl_text table = { 0 };
    hl_status status = hl_table_of(&p->recorder, &table);
    if (status.code == HL_OK) {
        fprintf(p->out, "\n%s\n", table.bytes);
    }
    hl_text_free(&table);
    return status;
}

/* heads.csv and report.html. A run without them is complete: what goes wrong is told, and can be made good later. */
static bool write_what_heads_do(const program *p)
{
    if (!p->records) {
        return false;
    }
    hl_status status = hl_heads_files_write(p->folder.path);
    if (status.code != HL_OK) {
        fprintf(p->err, "%s\nheads.csv or report.html was not written; the program heads will do so: heads %s\n",
                status.text, p->folder.path);
    }
    return status.code == HL_OK;
}

static void print_end(const program *p, bool stopped, bool reported)
{
    if (stopped) {
        int64_t n = p->loop.state.since_best;
        fprintf(p->out, "stopped: no better validation loss in %" PRId64 " validation%s (train.patience)\n", n,
                n == 1 ? "" : "s");
    }
    fprintf(p->out, "best validation loss %.4f at step %" PRId64 "; last accuracy %.2f%%\neverything is in %s%s\n",
            p->loop.state.best_loss, p->loop.state.best_step, 100 * p->loop.evaluation.accuracy, p->folder.path,
            reported ? "; open its report.html in a browser" : "");
}

/* What the run was trained in is given back first: measuring the heads takes memory of its own. */
static hl_status end(program *p)
{
    bool stopped = p->trainer.optimizer.step < p->config.train.steps;
    if (p->records && !p->command.quiet) {
        HL_TRY(print_table(p));
    }
    hl_trainer_free(&p->trainer);
    bool reported = write_what_heads_do(p);
    if (!p->command.quiet) {
        print_end(p, stopped, reported);
    }
    return hl_ok();
}

static void print_finished(const program *p)
{
    int64_t step = p->trainer.optimizer.step;
    bool steps_done = step >= p->config.train.steps, patience_lost = hl_loop_patience_lost(&p->loop);
    fprintf(p->out, "%s: finished at step %" PRId64 " already; %s%s%s would go on\n", p->folder.path, step,
            steps_done ? "more train.steps" : "", steps_done && patience_lost ? " and " : "",
            patience_lost ? "a larger train.patience" : "");
}

static hl_status run(program *p)
{
    HL_TRY(prepare(p));
    if (p->command.mode == HL_RUN_RESUME && hl_loop_finished(&p->loop)) {
        if (!p->command.quiet) {
            print_finished(p);
        }
        write_what_heads_do(p); /* which the run may not have come to */
        return hl_ok();
    }
    HL_TRY(begin(p));
    print_start(p);
    HL_TRY(hl_loop_run(&p->loop, &p->signal));
    if (p->signal != 0) {
        fprintf(p->err, "interrupted after step %" PRId64 ", saved in %s; go on with --resume\n",
                p->trainer.optimizer.step, p->folder.path);
        return hl_ok();
    }
    return end(p);
}

/* ---- the command ---- */

static hl_status print_help(const program *p)
{
    char *keys = hl_config_help();
    if (keys == NULL) {
        return hl_error_memory("the help text");
    }
    fprintf(p->out, "%s\n%s", hl_command_usage, keys);
    hl_free(keys);
    return hl_ok();
}

static hl_status print_reference(const program *p)
{
    char *page = hl_config_reference();
    if (page == NULL) {
        return hl_error_memory("the reference page");
    }
    fputs(page, p->out);
    hl_free(page);
    return hl_ok();
}

static hl_status execute(program *p, int argc, char **argv)
{
    HL_TRY(hl_command_parse(argc, argv, &p->command));
    if (p->command.help) {
        return print_help(p);
    }
    if (p->command.reference) {
        return print_reference(p);
    }
    if (p->command.version) {
        fprintf(p->out, "headlight %s\n", HL_VERSION);
        return hl_ok();
    }
    HL_TRY(load_config(p));
    if (p->command.summary && !p->command.check) {
        return print_summary(p);
    }
    HL_TRY(check_task(p));
    HL_TRY(check_budget(p));
    if (p->command.check) {
        fprintf(p->out, "%s: in order\n", p->command.config);
        return hl_ok();
    }
    const char *warning = hl_matmul_library_warning();
    if (warning != NULL) {
        fprintf(p->err, "%s\n", warning);
    }
    hl_signals_install();
    return run(p);
}

/* A run outlives its output; what was asked for nothing but output does not. */
static hl_status check_output(const program *p)
{
    const hl_command *command = &p->command;
    bool output_alone = command->help || command->reference || command->version || command->summary || command->check;
    if (output_alone && (fflush(p->out) != 0 || ferror(p->out) != 0)) {
        return hl_file_system_error("standard output", "cannot write");
    }
    return hl_ok();
}

int hl_train_program(int argc, char **argv, FILE *out, FILE *err)
{
    program p = { .out = out, .err = err, .folder = { .lock = -1 }, .loop = { .metrics = { .fd = -1 } } };
    hl_status status = execute(&p, argc, argv);
    if (status.code == HL_OK) {
        status = check_output(&p);
    }
    if (status.code != HL_OK) {
        hl_progress_end(&p.loop.progress);
        fprintf(err, "%s\n", status.text);
    }
    hl_metrics_csv_close(&p.loop.metrics);
    if (p.records) {
        hl_recorder_free(&p.recorder);
    }
    hl_trainer_free(&p.trainer);
    hl_run_folder_close(&p.folder);
    hl_free(p.config_text);
    hl_free(p.result_text);
    return status.code != HL_OK ? (int)status.code : p.signal != 0 ? 128 + p.signal : 0;
}
