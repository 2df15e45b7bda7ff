#define _XOPEN_SOURCE 700 /* realpath */
#include "programs/train/program.h"

#include "core/folders.h"
#include "core/matmul.h"
#include "core/memory.h"
#include "core/threads.h"
#include "programs/beside.h"
#include "programs/print_line.h"
#include "programs/processes.h"
#include "programs/signal_handlers.h"
#include "programs/standard_output.h"
#include "programs/targets.h"
#include "programs/train/data.h"
#include "programs/train/first_weights.h"
#include "programs/train/program_run.h"
#include "programs/train/summary.h"
#include "study/output.h"
#include "train/config_keys.h"
#include "train/memory_check.h"
#include "train/setup.h"
#include "train/setup_data.h"
#include "train/setup_pretrained.h"
#include "train/snapshot_budget.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* ---- the config ---- */

/* A config that is being read, and the model that there is already. */
typedef struct reading {
    hl_train_call *call;
    hl_config_shape shape;
    char *run; /* the config.ini of a run that goes on */
} reading;

/* A run that goes on has the model that it was begun with, which its folder says; the open model is not needed. */
static hl_status find_shape(void *context, const hl_config *config, const hl_config_shape **shape)
{
    reading *r = context;
    const char *from = hl_config_string(config, config->train.from);
    if (r->call->command.mode == HL_RUN_RESUME) {
        r->run = hl_path_join(config->train.out, "config.ini");
        HL_TRY(r->run != NULL ? hl_setup_shape_of_run(r->run, &r->shape) : hl_error_memory(config->train.out));
    }
    if (r->shape.of_task == NULL && *from != '\0' && hl_pretrained_is_folder(from)) {
        HL_TRY(hl_pretrained_open(from, &r->call->open));
        HL_TRY(hl_setup_shape(r->call->open, from, &r->shape));
    }
    *shape = r->shape.of_task != NULL ? &r->shape : NULL;
    return hl_ok();
}

/* Has the config say where a source of the first weights is from any folder. */
static hl_status name_source(hl_config *config, size_t offset, hl_config_string_at source)
{
    const char *from = hl_config_string(config, source);
    char whole[PATH_MAX], wrong[HL_CONFIG_WRONG_TEXT];
    int count;
    bool found = *from != '\0' && realpath(from, whole) != NULL;
    const hl_config_key *key = hl_config_key_at(offset);
    return !found || hl_config_read_value(key, whole, config, &count, wrong)
               ? hl_ok()
               : hl_error(HL_INVALID, "%s: %s", key->full, wrong);
}

/* A run that goes on with auto keeps what that meant when it was begun, or its results would be others'. `run`: its
 * config.ini, or NULL. */
static hl_status resolve_precision(hl_train_call *p, const char *run)
{
    if (run != NULL && p->config.train.precision == HL_PRECISION_AUTO) {
        HL_TRY(hl_data_take_key(&p->config, offsetof(hl_config, train.precision), run));
    }
    hl_resolve_precision(&p->config, p->command.config.path, p->err);
    return hl_setup_check_precision(&p->config, p->command.config.path);
}

static hl_status load_config(hl_train_call *p)
{
    enum { OWN = 2 };
    const struct {
        const char *option, *key, *path;
    } own[OWN] = { { "--out", "train.out", p->command.out },
                   { "--from", p->command.from_file ? "train.weights" : "train.from", p->command.from } };
    const char *overrides[HL_MAX_OVERRIDES + OWN];
    int n = p->command.config.n_overrides;
    memcpy(overrides, p->command.config.overrides, (size_t)n * sizeof *overrides);
    char texts[OWN][HL_CONFIG_OVERRIDE];
    for (int i = 0; i < OWN; i++) {
        if (own[i].path != NULL && !hl_config_path_override(own[i].key, own[i].path, texts[i])) {
            return hl_error(HL_INVALID, "command line: %s: longer than %d bytes", own[i].option,
                            HL_CONFIG_MAX_PATH - 1);
        }
        if (own[i].path != NULL) {
            overrides[n++] = texts[i];
        }
    }
    reading r = { .call = p };
    hl_config_options options = { .path = p->command.config.path,
                                  .overrides = overrides,
                                  .n_overrides = n,
                                  .find_shape = find_shape,
                                  .context = &r };
    hl_status status = hl_load_config(options, p->err, &p->config);
    HL_THEN(status, hl_first_weights_check(p));
    HL_THEN(status, name_source(&p->config, offsetof(hl_config, train.from), p->config.train.from));
    HL_THEN(status, name_source(&p->config, offsetof(hl_config, train.weights), p->config.train.weights));
    HL_THEN(status, resolve_precision(p, r.run));
    hl_setup_shape_free(&r.shape);
    hl_free(r.run);
    return status;
}

static hl_status print_summary(hl_train_call *p)
{
    if (p->command.json != NULL) {
        hl_target target = { "json", p->command.json };
        HL_TRY(hl_targets_check(&target, 1, (hl_targets_beside){ .configs = &p->command.config.path, .n_configs = 1 }));
        hl_text json = { 0 };
        hl_text_fail(&json, hl_summary_json(&p->config, &json));
        return hl_output_put(p->command.json, &json, p->out);
    }
    char *text;
    if (p->dataset != NULL) {
        HL_TRY(hl_train_call_tell_data(p, p->dataset, true));
        if (p->signal != 0) {
            return hl_ok();
        }
        fputc('\n', p->out);
    }
    HL_TRY(hl_summary_text(&p->config, &text));
    fputs(text, p->out);
    hl_free(text);
    return hl_ok();
}

/* ---- the command ---- */

static hl_status print_help(const hl_train_call *p)
{
    char *keys = hl_config_help();
    HL_NEED(keys != NULL, "the help text");
    hl_status status = hl_print_help(p->out, hl_train_command_usage);
    fputc('\n', p->out);
    hl_print_wrapped(p->out, keys, 80);
    hl_free(keys);
    return status;
}

/* A run goes on when its output is gone; a command that only prints does not. */
static bool is_run(const hl_train_command *command)
{
    return !(command->help || command->reference || command->version || command->summary || command->check);
}

static hl_status read_config(hl_train_call *p)
{
    if (strcmp(p->command.config.path, "-") != 0) {
        HL_TRY(hl_find_config(p->command.config.path, &p->config_path));
        p->command.config.path = p->config_path;
    }
    HL_TRY(load_config(p));
    return hl_setup_check_processes(&p->config, hl_ranks_count(p->ranks), p->command.config.path);
}

static void handle_signals(const hl_train_call *p)
{
    hl_signal_handlers_install(!hl_ranks_leads(p->ranks) ? ""
                               : hl_ranks_count(p->ranks) > 1
                                   ? "interrupted: saving once all processes have finished their step; again to end "
                                     "at once\n"
                                   : "interrupted: finishing what is under way, then saving; again to end at once\n");
}

static hl_status check_what_is_shown(const hl_train_call *p)
{
    HL_TRY(hl_snapshot_budget_check(&p->config, p->command.config.path));
    return p->command.watch >= 0 ? hl_watch_check(&p->config, p->command.watch) : hl_ok();
}

/* All that ends without a run. */
static hl_status look(hl_train_call *p)
{
    if (p->command.help) {
        return print_help(p);
    }
    if (p->command.reference) {
        char *page = hl_config_reference();
        fputs(page != NULL ? page : "", p->out);
        hl_free(page);
        return page != NULL ? hl_ok() : hl_error_memory("the reference page");
    }
    if (p->command.version) {
        fprintf(p->out, "headlight %s\n", HL_VERSION);
        return hl_ok();
    }
    HL_TRY(read_config(p));
    bool is_text = hl_config_is_text(&p->config, NULL), only_summary = p->command.summary && !p->command.check;
    if (is_text) {
        handle_signals(p);
    }
    if (is_text || !only_summary) {
        HL_TRY(hl_train_call_open_data(p, HL_DATA_CHECK));
    }
    if (p->signal != 0) {
        return hl_ok();
    }
    if (only_summary) {
        return print_summary(p);
    }
    HL_TRY(check_what_is_shown(p));
    HL_TRY(hl_train_call_tell_data(p, p->dataset, true));
    if (p->signal == 0) {
        hl_print_line(p->out, "%s: OK", p->command.config.path);
    }
    return hl_ok();
}

/* The config, and the data, which are made where they are not there; a signal may end that. */
static hl_status open_run(hl_train_call *p)
{
    HL_TRY(read_config(p));
    if (hl_config_is_text(&p->config, NULL)) {
        handle_signals(p); /* before the data are made beside a run that is in the way */
        HL_TRY(hl_setup_check_out(&p->config, p->command.config.path));
        HL_TRY(hl_run_folder_open(&p->folder, p->config.train.out, p->command.mode));
    }
    HL_TRY(hl_train_call_open_data(p, HL_DATA_MAKE));
    if (p->signal != 0) {
        return hl_ok();
    }
    HL_TRY(check_what_is_shown(p));
    return hl_setup_check_out(&p->config, p->command.config.path);
}

static hl_status check_machine(hl_train_call *p)
{
    hl_memory_at_hand at_hand = hl_memory_at_hand_now();
    at_hand.bytes /= (size_t)p->processes.local;
    HL_TRY(hl_memory_check_training(&p->config, hl_ranks_count(p->ranks), at_hand, p->command.config.path));
    const char *warning = hl_matmul_library_warning();
    if (warning != NULL) {
        fprintf(p->err, "%s\n", warning);
    }
    hl_processes_warn(&p->processes, p->config.train.threads, p->err);
    return hl_ok();
}

/* Of several processes rank 0 alone looks, reads the config and makes the data: the others wait where it says how that
 * went, take the config from it, and open the data that are there then. From hl_train_call_run on all compute. */
static hl_status execute(hl_train_call *p, int argc, char **argv)
{
    bool leads = hl_ranks_leads(p->ranks);
    HL_TRY(hl_processes_check_same(p->ranks, argc, argv));
    HL_TRY(hl_ranks_agree(p->ranks, hl_train_command_parse(argc, argv, &p->command)));
    HL_TRY(hl_processes_share(p->ranks, p->command.mixed, p->err, &p->processes));
    if (!is_run(&p->command)) {
        return leads ? look(p) : hl_ok();
    }
    if (!leads) {
        handle_signals(p);
    }
    HL_TRY(hl_ranks_agree(p->ranks, leads ? open_run(p) : hl_ok()));
    hl_ranks_broadcast(p->ranks, &p->signal, sizeof p->signal);
    if (p->signal != 0) {
        return hl_ok();
    }
    hl_ranks_broadcast(p->ranks, &p->config, sizeof p->config);
    bool opened = p->open != NULL;
    hl_ranks_broadcast(p->ranks, &opened, sizeof opened);
    HL_TRY(hl_ranks_agree(p->ranks, leads ? hl_ok() : hl_train_call_follow_data(p, opened)));
    HL_TRY(hl_ranks_agree(p->ranks, check_machine(p)));
    handle_signals(p);
    return hl_train_call_run(p);
}

int hl_train_program_together(hl_ranks *ranks, int argc, char **argv, FILE *out, FILE *err)
{
    hl_train_call p = {
        .ranks = ranks, .out = out, .err = err, .folder = { .lock = -1 }, .loop = { .metrics = { .fd = -1 } }
    };
    hl_status status = hl_ranks_agree(ranks, execute(&p, argc, argv));
    if (status.code != HL_OK) {
        hl_progress_end(&p.loop.progress);
    }
    int code = status.code == HL_OK && p.signal != 0 ? 128 + p.signal
                                                     : hl_standard_output_end(status, is_run(&p.command), out, err);
    hl_train_call_free(&p);
    return code;
}

int hl_train_program(int argc, char **argv, FILE *out, FILE *err)
{
    return hl_train_program_together(NULL, argc, argv, out, err);
}
