#include "programs/ablate/program.h"

#include "core/base/memory.h"
#include "core/base/threads.h"
#include "core/files/files.h"
#include "programs/ablate/outputs.h"
#include "programs/ablate/sweep.h"
#include "programs/beside.h"
#include "programs/expected_time.h"
#include "programs/print_line.h"
#include "programs/signal_handlers.h"
#include "programs/standard_output.h"
#include "programs/targets.h"
#include "study/output.h"
#include "train/memory_check.h"
#include "train/setup_data.h"
#include "train/signals.h"

#include <inttypes.h>
#include <math.h>
#include <unistd.h>

/* One call of the program. */
typedef struct call {
    const char *train;
    hl_ablate_command command;
    FILE *out, *err;
    FILE *tables;          /* for progress and table: `out`, or `err` where JSON or CSV goes to `out` */
    char *config_path;     /* owned */
    hl_text words, config; /* the command and the config's path, made safe to show */
    hl_ablate_plan plan;
    hl_ablate_folder folder;
    hl_ablate_sweep sweep; /* its results are owned here */
    int signal;
} call;

static int64_t count(const call *c, hl_ablate_state state)
{
    return hl_ablate_count(c->sweep.results, hl_ablate_plan_cells(&c->plan), state);
}

/* ---- before the trainings ---- */

/* Finds by the csv and the runs' folders which cells are done; all others wait, also those that failed, of which the
 * csv then says nothing any more: no call takes a failure of before for one of now. */
static hl_status recall(call *c)
{
    int64_t n = hl_ablate_plan_cells(&c->plan);
    hl_ablate_result *results = c->sweep.results = hl_calloc((size_t)n, sizeof *results);
    HL_NEED(results != NULL, "the results");
    for (int64_t i = 0; i < n; i++) {
        results[i] = (hl_ablate_result){ .steps = -1, .steps_to_target = -1, .seconds = NAN };
    }
    HL_TRY(hl_ablate_sweep_recall(&c->sweep));
    bool failed = count(c, HL_ABLATE_FAILED) > 0;
    for (int64_t i = 0; i < n; i++) {
        results[i].state = results[i].state == HL_ABLATE_FAILED ? HL_ABLATE_WAITING : results[i].state;
    }
    hl_text text = { 0 };
    if (failed) {
        hl_ablate_csv_print(&c->plan, results, &text);
        HL_TRY(hl_file_replace_text(c->folder.csv.text, &text, HL_DURABLE));
    }
    hl_ablate_folder_leave(&c->folder);
    return hl_ok();
}

/* ---- the trainings and what follows ---- */

/* A training that is half done counts as a whole one. Before the results are read, none counts as done. */
static hl_status tell_time(const call *c, bool yes, FILE *out)
{
    double work = 0;
    int64_t n = 0;
    for (int64_t i = 0; i < hl_ablate_plan_cells(&c->plan); i++) {
        if (c->sweep.results == NULL || c->sweep.results[i].state != HL_ABLATE_DONE) {
            const hl_ablate_variant *v = hl_ablate_plan_variant(&c->plan, i);
            work += hl_expected_work(&v->config, v->flops, v->config.train.steps);
            n++;
        }
    }
    hl_text what = { 0 };
    hl_text_print(&what, "%s: %" PRId64 " training%s", c->config.bytes, n, n == 1 ? "" : "s");
    hl_status status = hl_text_status(&what);
    HL_THEN(status, hl_expected_time_tell(work, hl_threads_default(), 1, what.bytes, yes, out));
    hl_text_free(&what);
    return status;
}

static hl_status train(call *c)
{
    int64_t done = count(c, HL_ABLATE_DONE);
    hl_print_line(c->tables, "%s: %" PRId64 " row%s, %" PRId64 " seed%s, into %s", c->config.bytes, c->plan.n_variants,
                  c->plan.n_variants > 1 ? "s" : "", c->plan.seeds, c->plan.seeds > 1 ? "s" : "", c->plan.folder);
    if (done > 0) {
        fprintf(c->tables, "%" PRId64 " of %" PRId64 " trainings are done already\n", done,
                hl_ablate_plan_cells(&c->plan));
    }
    fflush(c->tables);
    HL_TRY(tell_time(c, true, c->tables));
    hl_signal_handlers_install("interrupted: the trainings finish their steps and save; again to end at once\n");
    HL_TRY(hl_ablate_sweep_run(&c->sweep));
    hl_signal_handlers_end_at_once("interrupted: the trainings are saved; the same command continues\n", NULL);
    c->signal = hl_signals_received();
    return hl_ok();
}

static hl_status conclude(call *c)
{
    hl_ablate_outputs outputs = { .sweep = &c->sweep,
                                  .config = c->config.bytes,
                                  .command = c->words.bytes,
                                  .json = c->command.json,
                                  .csv = c->command.csv };
    HL_TRY(hl_ablate_outputs_write(&outputs, c->out));
    hl_print_line(c->tables, "everything is in %s", c->plan.folder);
    int64_t failed = count(c, HL_ABLATE_FAILED);
    return failed == 0 ? hl_ok()
                       : hl_error(HL_FAILED,
                                  "%" PRId64 " of %" PRId64
                                  " trainings failed (why: see above, and log.txt in their folders in "
                                  "%s); the same command tries them again",
                                  failed, hl_ablate_plan_cells(&c->plan), c->plan.folder);
}

/* Plans the sweep and opens its folder: all that may refuse it. */
static hl_status begin(call *c)
{
    HL_TRY(hl_ablate_plan_make(&c->command, &c->plan, c->tables, c->err));
    /* Files that cannot be written are refused before the trainings, not hours later. */
    hl_target targets[HL_ABLATE_TARGETS];
    hl_ablate_command_targets(&c->command, targets);
    hl_targets_beside beside = { .configs = &c->command.config.path, .n_configs = 1, .sweep = c->plan.folder };
    HL_TRY(hl_targets_check(targets, HL_ABLATE_TARGETS, beside));
    HL_TRY(tell_time(c, c->command.yes, NULL)); /* before any run is made or removed */
    c->sweep = (hl_ablate_sweep){ .plan = &c->plan,
                                  .train = c->train,
                                  .folder = &c->folder,
                                  .target = c->command.target,
                                  .jobs = c->command.jobs,
                                  .out = c->tables };
    return hl_ablate_folder_open(&c->folder, &c->plan, c->words.bytes, c->command.overwrite, c->tables);
}

/* A sweep that is refused leaves no data in a folder that may be another's; after a signal what is whole stays. */
static hl_status remove_data(const call *c, hl_status refused)
{
    if (c->plan.made.size > 0 && refused.code != HL_FAILED) {
        hl_data_remove_made(c->plan.made.bytes, c->plan.folder);
    }
    return refused;
}

static hl_status run(call *c)
{
    bool to_output = hl_output_is_standard(c->command.json) || hl_output_is_standard(c->command.csv);
    c->tables = to_output ? c->err : c->out;
    HL_TRY(access(c->train, X_OK) == 0
               ? hl_ok()
               : hl_error(HL_BAD_FILE,
                          "%s: cannot be started; the programs ablate and train belong into one folder (installed: "
                          "headlight-ablate, headlight-train)",
                          *c->train != '\0' ? c->train : "train"));
    hl_status status = begin(c);
    HL_TRY(status.code == HL_OK ? status : remove_data(c, status));
    HL_TRY(recall(c));
    /* A training that can never begin is refused before the first one, not hours later. */
    hl_memory_at_hand at_hand = hl_memory_at_hand_now();
    for (int64_t i = 0; i < hl_ablate_plan_cells(&c->plan); i++) {
        const hl_ablate_variant *variant = hl_ablate_plan_variant(&c->plan, i);
        if (c->sweep.results[i].state == HL_ABLATE_WAITING) {
            HL_TRY(hl_memory_check_training(&variant->config, 1, at_hand, variant->name));
        }
    }
    HL_TRY(train(c));
    if (c->signal != 0) {
        fprintf(c->err,
                "interrupted: %" PRId64 " of %" PRId64
                " trainings are done, the others saved; the same command continues\n",
                count(c, HL_ABLATE_DONE), hl_ablate_plan_cells(&c->plan));
        return hl_ok();
    }
    return conclude(c);
}

static hl_status execute(call *c, int argc, char **argv)
{
    hl_text_print(&c->words, "ablate");
    for (int i = 1; i < argc; i++) {
        hl_text_print(&c->words, " ");
        hl_text_shown(&c->words, argv[i]);
    }
    HL_TRY(hl_text_status(&c->words));
    HL_TRY(hl_ablate_command_parse(argc, argv, &c->command));
    if (c->command.help) {
        return hl_print_help(c->out, hl_ablate_help_usage);
    }
    if (c->command.version) {
        fprintf(c->out, "headlight %s\n", HL_VERSION);
        return hl_ok();
    }
    HL_TRY(hl_find_config(c->command.config.path, &c->config_path));
    c->command.config.path = c->config_path;
    hl_text_shown(&c->config, c->command.config.path);
    HL_TRY(hl_text_status(&c->config));
    return run(c);
}

int hl_ablate_program(const char *train_program, int argc, char **argv, FILE *out, FILE *err)
{
    call c = { .train = train_program, .out = out, .err = err };
    hl_status status = execute(&c, argc, argv);
    bool outlives = !c.command.help && !c.command.version;
    int code =
        status.code == HL_OK && c.signal != 0 ? 128 + c.signal : hl_standard_output_end(status, outlives, out, err);
    hl_ablate_folder_close(&c.folder);
    hl_ablate_plan_free(&c.plan);
    hl_free(c.sweep.results);
    hl_free(c.config_path);
    hl_text_free(&c.words);
    hl_text_free(&c.config);
    return code;
}
