#define _XOPEN_SOURCE 700 /* realpath */
#include "programs/train/program.h"

#include "core/base/memory.h"
#include "core/files/folders.h"
#include "core/kernels/matmul.h"
#include "programs/beside.h"
#include "programs/print_line.h"
#include "programs/processes.h"
#include "programs/signal_handlers.h"
#include "programs/standard_output.h"
#include "programs/targets.h"
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
#include "train/watch.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* ---- the config ---- */

/* A config that is being read, and the model that there is already. */
typedef struct reading {
    hl_run_mode mode;
    hl_pretrained **open;
    hl_config_shape shape;
    char *run; /* the config.ini of a run that goes on */
} reading;

/* A run that goes on has the model that it was begun with, which its folder says; the open model is not needed. */
static hl_status find_shape(void *context, const hl_config *config, const hl_config_shape **shape)
{
    reading *r = context;
    const char *from = hl_config_string(config, config->train.from);
    if (r->mode == HL_RUN_RESUME) {
        r->run = hl_path_join(config->train.out, "config.ini");
        HL_TRY(r->run != NULL ? hl_setup_shape_of_run(r->run, &r->shape) : hl_error_memory(config->train.out));
    }
    if (r->shape.of_task == NULL && *from != '\0' && hl_pretrained_is_folder(from)) {
        HL_TRY(hl_pretrained_open(from, r->open));
        HL_TRY(hl_setup_shape(*r->open, from, &r->shape));
    }
    *shape = r->shape.of_task != NULL ? &r->shape : NULL;
    return hl_ok();
}

/* Has the config say where a source of the first weights is from any folder. */
static hl_status name_source(hl_config *config, size_t offset, hl_config_string_at source)
{
    const char *from = hl_config_string(config, source);
    char whole[PATH_MAX], wrong[HL_CONFIG_WRONG_TEXT];
    bool found = *from != '\0' && realpath(from, whole) != NULL;
    const hl_config_key *key = hl_config_key_at(offset);
    return !found || hl_config_read_value(key, whole, config, wrong) ? hl_ok()
                                                                     : hl_error(HL_INVALID, "%s: %s", key->full, wrong);
}

/* A run that goes on with auto keeps what that meant when it was begun, or its results would be others'. `run`: its
 * config.ini, or NULL. */
static hl_status resolve_precision(hl_config *config, const char *path, const char *run, FILE *err)
{
    if (run != NULL && config->train.precision == HL_PRECISION_AUTO) {
        HL_TRY(hl_data_take_key(config, offsetof(hl_config, train.precision), run));
    }
    hl_resolve_precision(config, path, err);
    return hl_setup_check_precision(config, path);
}

/* *open: the folder of train.from, where that is a model's. */
static hl_status load_config(const hl_train_command *command, hl_config *config, hl_pretrained **open, FILE *err)
{
    enum { OWN = 2 };
    const struct {
        const char *option, *key, *path;
    } own[OWN] = { { "--out", "train.out", command->out },
                   { "--from", command->from_file ? "train.weights" : "train.from", command->from } };
    hl_named_config named = command->config;
    char texts[OWN][HL_CONFIG_OVERRIDE];
    for (int i = 0; i < OWN; i++) {
        if (own[i].path != NULL && !hl_config_path_override(own[i].key, own[i].path, texts[i])) {
            return hl_error(HL_INVALID, "command line: %s: longer than %d bytes", own[i].option,
                            HL_CONFIG_MAX_PATH - 1);
        }
        if (own[i].path != NULL) {
            named.overrides[named.n_overrides++] = texts[i];
        }
    }
    reading r = { .mode = command->mode, .open = open };
    hl_config_options options = { .path = named.path,
                                  .overrides = named.overrides,
                                  .n_overrides = named.n_overrides,
                                  .find_shape = find_shape,
                                  .context = &r };
    hl_status status = hl_load_config(options, err, config);
    HL_THEN(status, hl_first_weights_check(config, command->mode, *open != NULL));
    HL_THEN(status, name_source(config, offsetof(hl_config, train.from), config->train.from));
    HL_THEN(status, name_source(config, offsetof(hl_config, train.weights), config->train.weights));
    HL_THEN(status, resolve_precision(config, command->config.path, r.run, err));
    hl_setup_shape_free(&r.shape);
    hl_free(r.run);
    return status;
}

/* ---- the command ---- */

/* A call of the program, which owns what it opens. The run frees the data earlier (hl_train_run). */
typedef struct call {
    hl_train_command command;
    hl_train_shown shown;
    hl_processes processes;
    hl_config config;
    char *config_path; /* the path that hl_find_config found */
    hl_train_data data;
    hl_run_folder folder;
    int signal; /* that interrupted it; 0: none */
} call;

static hl_status tell_data(call *p)
{
    return hl_train_data_tell(p->data.dataset, &p->data.followed, &p->config, true, p->shown.out, &p->signal);
}

static hl_status print_summary(call *p, FILE *out)
{
    hl_text text = { 0 };
    if (p->command.json != NULL) {
        hl_target target = { "json", p->command.json };
        HL_TRY(hl_targets_check(&target, 1, (hl_targets_beside){ .configs = &p->command.config.path, .n_configs = 1 }));
        hl_text_fail(&text, hl_summary_write(&p->config, true, &text));
        return hl_output_put(p->command.json, &text, out);
    }
    if (p->data.dataset != NULL) {
        HL_TRY(tell_data(p));
        if (p->signal != 0) {
            return hl_ok();
        }
        fputc('\n', out);
    }
    hl_text_fail(&text, hl_summary_write(&p->config, false, &text));
    return hl_print_text(out, &text);
}

static hl_status print_help(FILE *out)
{
    char *keys = hl_config_help();
    HL_NEED(keys != NULL, "the help text");
    hl_status status = hl_print_help(out, hl_train_help_usage);
    fputc('\n', out);
    hl_print_wrapped(out, keys, 80);
    hl_free(keys);
    return status;
}

/* A run goes on when its output is gone; a command that only prints does not. */
static bool is_run(const hl_train_command *command)
{
    return !(command->help || command->reference || command->version || command->summary || command->check);
}

static hl_status read_config(call *p, int processes)
{
    if (strcmp(p->command.config.path, "-") != 0) {
        HL_TRY(hl_find_config(p->command.config.path, &p->config_path));
        p->command.config.path = p->config_path;
    }
    HL_TRY(load_config(&p->command, &p->config, &p->data.open, p->shown.err));
    return hl_setup_check_processes(&p->config, processes, p->command.config.path);
}

static void handle_signals(const hl_ranks *ranks)
{
    hl_signal_handlers_install(!hl_ranks_leads(ranks) ? ""
                               : hl_ranks_count(ranks) > 1
                                   ? "interrupted: saving once all processes have finished their step; again to end "
                                     "at once\n"
                                   : "interrupted: finishing what is under way, then saving; again to end at once\n");
}

static hl_status check_what_is_shown(const hl_config *config, const hl_train_command *command)
{
    HL_TRY(hl_snapshot_budget_check(config, command->config.path));
    return command->watch >= 0 ? hl_watch_check(config, command->watch) : hl_ok();
}

/* All that ends without a run. */
static hl_status look(call *p, const hl_ranks *ranks, FILE *out)
{
    if (p->command.help) {
        return print_help(out);
    }
    if (p->command.reference) {
        char *page = hl_config_reference();
        fputs(page != NULL ? page : "", out);
        hl_free(page);
        return page != NULL ? hl_ok() : hl_error_memory("the reference page");
    }
    if (p->command.version) {
        fprintf(out, "headlight %s\n", HL_VERSION);
        return hl_ok();
    }
    HL_TRY(read_config(p, hl_ranks_count(ranks)));
    bool is_text = hl_config_is_text(&p->config, NULL), only_summary = p->command.summary && !p->command.check;
    if (is_text) {
        handle_signals(ranks);
    }
    if (is_text || !only_summary) {
        hl_train_shown shown = p->shown;
        shown.out = p->command.summary ? NULL : shown.out;
        HL_TRY(hl_train_data_open(&p->data, &p->config, &p->command.config, HL_DATA_CHECK, NULL, shown, &p->signal));
    }
    if (p->signal != 0) {
        return hl_ok();
    }
    if (only_summary) {
        return print_summary(p, out);
    }
    HL_TRY(check_what_is_shown(&p->config, &p->command));
    HL_TRY(tell_data(p));
    if (p->signal == 0) {
        hl_print_line(out, "%s: OK", p->command.config.path);
    }
    return hl_ok();
}

/* The config, and the data, which are made where they are not there; a signal may end that. */
static hl_status open_run(call *p, const hl_ranks *ranks)
{
    HL_TRY(read_config(p, hl_ranks_count(ranks)));
    if (hl_config_is_text(&p->config, NULL)) {
        handle_signals(ranks); /* before the data are made beside a run that is in the way */
        HL_TRY(hl_setup_check_out(&p->config, p->command.config.path));
        HL_TRY(hl_run_folder_open(&p->folder, p->config.train.out, p->command.mode));
    }
    const hl_run_folder *begun = p->command.mode == HL_RUN_RESUME ? &p->folder : NULL;
    HL_TRY(hl_train_data_open(&p->data, &p->config, &p->command.config, HL_DATA_MAKE, begun, p->shown, &p->signal));
    if (p->signal != 0) {
        return hl_ok();
    }
    HL_TRY(check_what_is_shown(&p->config, &p->command));
    return hl_setup_check_out(&p->config, p->command.config.path);
}

static hl_status check_machine(const call *p, int ranks)
{
    hl_memory_at_hand at_hand = hl_memory_at_hand_now();
    at_hand.bytes /= (size_t)p->processes.local;
    HL_TRY(hl_memory_check_training(&p->config, ranks, at_hand, p->command.config.path));
    const char *warning = hl_matmul_library_warning();
    if (warning != NULL) {
        fprintf(p->shown.err, "%s\n", warning);
    }
    hl_processes_warn(&p->processes, p->config.train.threads, p->shown.err);
    return hl_ok();
}

/* Of several processes rank 0 alone looks, reads the config and makes the data: the others wait where it says how that
 * went, take the config from it, and open the data that are there then. From hl_train_run on all compute. */
static hl_status execute(call *p, hl_ranks *ranks, int argc, char **argv, FILE *out)
{
    bool leads = hl_ranks_leads(ranks);
    HL_TRY(hl_processes_check_same(ranks, argc, argv));
    HL_TRY(hl_ranks_agree(ranks, hl_train_command_parse(argc, argv, &p->command)));
    p->shown.out = p->command.quiet ? NULL : out;
    HL_TRY(hl_processes_share(ranks, p->command.mixed, p->shown.err, &p->processes));
    if (!is_run(&p->command)) {
        return leads ? look(p, ranks, out) : hl_ok();
    }
    if (!leads) {
        handle_signals(ranks);
    }
    HL_TRY(hl_ranks_agree(ranks, leads ? open_run(p, ranks) : hl_ok()));
    hl_ranks_broadcast(ranks, &p->signal, sizeof p->signal);
    if (p->signal != 0) {
        return hl_ok();
    }
    hl_ranks_broadcast(ranks, &p->config, sizeof p->config);
    bool opened = p->data.open != NULL;
    hl_ranks_broadcast(ranks, &opened, sizeof opened);
    const char *path = p->command.config.path;
    HL_TRY(hl_ranks_agree(ranks, leads ? hl_ok() : hl_train_data_follow(&p->data, &p->config, path, opened)));
    HL_TRY(hl_ranks_agree(ranks, check_machine(p, hl_ranks_count(ranks))));
    handle_signals(ranks);
    return hl_train_run(&p->command, &p->config, &p->data, &p->folder, ranks, p->shown, &p->signal);
}

int hl_train_program_together(hl_ranks *ranks, int argc, char **argv, FILE *out, FILE *err)
{
    call p = { .shown = { .err = err } };
    hl_status status = hl_ranks_agree(ranks, execute(&p, ranks, argc, argv, out));
    int code = status.code == HL_OK && p.signal != 0 ? 128 + p.signal
                                                     : hl_standard_output_end(status, is_run(&p.command), out, err);
    hl_train_data_free(&p.data);
    hl_processes_free(&p.processes);
    hl_run_folder_close(&p.folder);
    hl_free(p.config_path);
    return code;
}

int hl_train_program(int argc, char **argv, FILE *out, FILE *err)
{
    return hl_train_program_together(NULL, argc, argv, out, err);
}
