#include "programs/heads/program.h"

#include "core/base/memory.h"
#include "core/base/threads.h"
#include "core/files/folders.h"
#include "heads/words.h"
#include "programs/beside.h"
#include "programs/heads/against.h"
#include "programs/heads/change.h"
#include "programs/heads/command.h"
#include "programs/heads/deliver.h"
#include "programs/heads/examples.h"
#include "programs/heads/export_model.h"
#include "programs/heads/maps.h"
#include "programs/heads/memory.h"
#include "programs/heads/questions.h"
#include "programs/heads/table.h"
#include "programs/heads/treebank.h"
#include "programs/open_data.h"
#include "programs/print_line.h"
#include "programs/processes.h"
#include "programs/standard_output.h"
#include "programs/targets.h"
#include "programs/waiting.h"
#include "study/history.h"
#include "study/output.h"
#include "study/predict_score.h"
#include "study/report.h"
#include "study/study.h"

#include <string.h>
#include <unistd.h>

/* One call of the program. */
typedef struct call {
    hl_heads_command command;
    hl_ranks *ranks; /* NULL: alone; not owned */
    int measuring;   /* how many of them do so on this machine, and share its memory */
    FILE *out, *err;
    char *folder; /* of heads.csv and report.html: the run's, or that of --examples; NULL: none; owned */
    hl_opened_model run;
    hl_heads_study study;
    hl_syntax_study syntax; /* of --treebank; empty without it */
    hl_waiting waiting;     /* while the model is run */
} call;

/* A run in a folder that cannot be written to can still be read. */
static bool can_write(const call *c, const char *else_what)
{
    if (c->run.file != NULL || access(c->run.source.path, W_OK) == 0) {
        return true;
    }
    hl_print_line(c->err, "%s: this folder cannot be written to: %s", c->run.source.path, else_what);
    return false;
}

/* ---- heads.csv and report.html ---- */

/* Where those of sentences went is told: nobody else knows. */
static void tell_folder(const call *c)
{
    if (c->run.file != NULL && !hl_heads_command_fills_output(&c->command)) {
        fputc('\n', c->out);
        hl_print_line(c->out, "All of it, for the browser: %s/report.html; all metrics: %s/heads.csv", c->folder,
                      c->folder);
    }
}

static hl_status write_files(call *c, hl_heads_history *history, const hl_heads_study *last)
{
    bool into_folder = c->folder != NULL && can_write(c, "its heads.csv and report.html stay as they are");
    if (into_folder) {
        HL_TRY(c->run.file != NULL ? hl_folder_make(c->folder) : hl_ok());
        HL_TRY(hl_heads_history_write(history, c->folder));
    }
    if (c->command.csv != NULL && c->command.treebank == NULL && !hl_heads_command_asks_maps(&c->command)) {
        hl_heads_history one = *history;
        one.printed = c->command.step; /* -1: all */
        HL_TRY(hl_output_write(c->command.csv, c->out, hl_heads_history_print, &one));
    }
    hl_heads_page page = { .run = &c->run, .history = history, .study = last };
    if (c->command.treebank != NULL) {
        page.syntax = &c->syntax;
        page.treebank = c->command.treebank;
    }
    if (into_folder) {
        HL_TRY(hl_heads_page_write(&page, c->folder));
        tell_folder(c);
    }
    return c->command.report != NULL ? hl_output_write(c->command.report, c->out, hl_heads_page_print, &page) : hl_ok();
}

static hl_status do_files_with(call *c, const hl_heads_study *last)
{
    hl_heads_history history;
    HL_TRY(hl_heads_history_make(&c->run, last, &history));
    hl_status status = write_files(c, &history, last);
    hl_heads_history_free(&history);
    return status;
}

static hl_status do_files(call *c)
{
    if (c->study.step == c->run.steps[c->run.n_steps - 1]) {
        return do_files_with(c, &c->study);
    }
    hl_heads_study last;
    HL_TRY(hl_heads_study_last(&last, &c->run));
    hl_status status = hl_heads_study_null(&last, &c->run);
    HL_THEN(status, do_files_with(c, &last));
    hl_heads_study_free(&last);
    return status;
}

/* ---- the table ---- */

static hl_status do_figures(call *c)
{
    const hl_heads_command *command = &c->command;
    hl_text text = { 0 };
    const hl_snapshot *snapshot;
    HL_TRY(hl_opened_model_snapshot(&c->run, command->step, &snapshot));
    HL_TRY(hl_heads_study_make(&c->study, &c->run, snapshot, command->step >= 0));
    bool damaged = c->study.no_syntax.code != HL_OK;
    HL_TRY(damaged && (command->json != NULL || command->csv != NULL || command->report != NULL) ? c->study.no_syntax
                                                                                                 : hl_ok());
    HL_TRY(command->words ? hl_heads_study_join_words(&c->study, snapshot) : hl_ok());
    HL_TRY(hl_heads_study_null(&c->study, &c->run));
    c->study.seconds = command->treebank != NULL ? c->syntax.labels : c->study.seconds;
    if (!hl_heads_command_fills_output(command) && !hl_heads_command_shows(command)) {
        hl_text_print(&text, "%s", command->treebank != NULL ? "\n" : ""); /* below what the treebank tells */
        hl_heads_table_print(&text, c->run.source.path, &c->study, c->run.source.relations);
        HL_TRY(hl_output_put("-", &text, c->out));
    }
    if (command->json != NULL && command->treebank == NULL && !hl_heads_command_asks_maps(command)) {
        hl_heads_json_print(&text, &c->study, c->run.source.relations);
        HL_TRY(hl_output_put(command->json, &text, c->out));
    }
    if (damaged) {
        hl_print_line(c->err, "%s", c->study.no_syntax.text);
        hl_print_line(c->err, "the table is without what heads find in the treebank; heads.csv and report.html stay");
        return hl_ok();
    }
    return do_files(c);
}

/* ---- two runs ---- */

static hl_status write_comparison(const call *c, hl_heads_against *against)
{
    const hl_heads_command *command = &c->command;
    bool in_folder = command->report == NULL, fills = hl_heads_command_fills_output(command);
    const char *path = in_folder ? against->path : command->report;
    HL_TRY(hl_heads_deliver(command, &against->answer, c->out));
    if (in_folder && !can_write(c, "name another place for the page with --report FILE")) {
        return hl_ok();
    }
    HL_TRY(hl_output_put(path, &against->page, c->out));
    if (!fills) {
        fputc('\n', c->out);
        hl_print_line(c->out, "Both side by side, for the browser: %s", path);
    }
    return hl_ok();
}

/* The second model of a comparison, which is opened and closed with it. */
static hl_status compare_with(call *c, hl_opened_model *second)
{
    const hl_heads_command *command = &c->command;
    if (c->run.source.open == NULL && second->source.open == NULL && c->run.file == NULL) {
        hl_heads_against against;
        HL_TRY(hl_heads_against_make(&against, &c->run, second));
        hl_status status = write_comparison(c, &against);
        hl_heads_against_free(&against);
        return status;
    }
    if (command->report != NULL) {
        return hl_error(HL_INVALID, "command line: --report: a page of two models is of two runs alone: leave it out");
    }
    hl_heads_answer change;
    HL_TRY(hl_heads_change_make(&change, &c->run, second));
    return hl_heads_deliver(command, &change, c->out);
}

static hl_status compare(call *c)
{
    hl_opened_model second;
    hl_status status = hl_opened_model_open(&second, c->command.against);
    second.progress = c->run.progress;
    second.context = c->run.context;
    if (status.code == HL_OK) {
        hl_tell_precision(&c->run.source, c->err);
        hl_tell_precision(&second.source, c->err);
        status = compare_with(c, &second);
    }
    hl_opened_model_close(&second);
    return status;
}

/* ---- which heads matter ---- */

static hl_status answer(call *c)
{
    hl_share share = hl_ranks_share(c->ranks);
    switch (hl_heads_command_question(&c->command)) {
    case HL_HEADS_IMPORTANCE:
        return hl_heads_importance_show(&c->run, &c->command, c->ranks != NULL ? &share : NULL, c->out, c->err);
    case HL_HEADS_PRUNE:
        return hl_heads_prune_show(&c->run, &c->command, c->out, c->err);
    case HL_HEADS_PROFILE:
        return hl_heads_profile_show(&c->run, &c->command, c->out);
    case HL_HEADS_TREEBANK:
        HL_TRY(hl_heads_treebank_study(&c->syntax, &c->run, &c->command, c->err));
        HL_TRY(hl_heads_treebank_show(&c->syntax, &c->command, c->out));
        return hl_heads_command_looks(&c->command) ? do_figures(c) : hl_ok();
    default:
        return hl_heads_subset_show(&c->run, &c->command, c->out);
    }
}

/* ---- open models ---- */

/* Labels of a file that an open model does not have are answered wrong, and tell nothing about its heads. */
static hl_status tell_unknown_labels(const call *c)
{
    const hl_text_data *data = c->run.source.folders != NULL ? hl_dataset_text(c->run.source.dataset) : NULL;
    int64_t n = data != NULL ? hl_text_data_noticed(data, HL_VALIDATION)->unseen : 0;
    if (n == 0) {
        return hl_ok();
    }
    hl_text line = { 0 };
    hl_predict_print_targets(hl_text_data_targets(data), &line);
    hl_status status = hl_text_status(&line);
    if (status.code == HL_OK) {
        hl_print_line(c->err, "%s: %lld of its labels %s none of the model's: %s", c->run.source.validation,
                      (long long)n, n == 1 ? "is" : "are", line.bytes);
    }
    hl_text_free(&line);
    return status;
}

/* ---- what is written where ---- */

static hl_status find_folder(call *c)
{
    bool profile = c->command.profile, no_folder = c->command.treebank != NULL && c->command.examples == NULL;
    if (c->command.against != NULL || no_folder || profile) {
        return hl_ok(); /* what is written is named after the other model, or by the options */
    }
    if (c->command.examples != NULL) {
        return hl_heads_examples_fill_folder(&c->command)
                   ? hl_heads_examples_find_folder(&c->run.source, &c->command, &c->folder)
                   : hl_ok();
    }
    c->folder = hl_strdup(c->run.source.path);
    return c->folder != NULL ? hl_ok() : hl_error_memory(c->run.source.path);
}

/* ---- the command ---- */

/* Usage, and what the words of tables and pages mean. */
static hl_status print_help(const call *c)
{
    HL_TRY(hl_print_help(c->out, hl_heads_command_usage));
    hl_text words = { 0 };
    hl_word word, before = { .group = "" };
    for (int i = 0; hl_word_at(i, &word); before = word, i++) {
        if (strcmp(word.group, before.group) != 0) {
            hl_text_print(&words, "\n%s\n", word.group);
        }
        hl_text_print(&words, "  %-23s  %s\n", word.name, word.meaning);
    }
    hl_status status = hl_text_status(&words);
    if (status.code == HL_OK) {
        hl_print_wrapped(c->out, words.bytes, 80);
    }
    hl_text_free(&words);
    return status;
}

static hl_status execute(call *c)
{
    const hl_heads_command *command = &c->command;
    hl_target targets[HL_HEADS_TARGETS];
    if (command->help) {
        return print_help(c);
    }
    if (command->version) {
        fprintf(c->out, "headlight %s\n", HL_VERSION);
        return hl_ok();
    }
    bool only_exports = command->export_to != NULL && !command->prune;
    hl_model_options options = { .use = only_exports ? HL_DATA_TOKENS : HL_DATA_READ,
                                 .task = command->task,
                                 .file = command->file,
                                 .overrides = command->asked.overrides,
                                 .n_overrides = command->asked.n_overrides };
    HL_TRY(hl_opened_model_open_with(&c->run, command->run, options));
    c->run.progress = hl_waiting_tell;
    c->run.context = &c->waiting;
    if (only_exports) {
        HL_TRY(hl_heads_export_check(&c->run.source, command));
        HL_TRY(hl_opened_model_load(&c->run, -1));
        return hl_heads_export_model(&c->run.source, &c->run.model, NULL, command, c->out);
    }
    HL_TRY(hl_heads_check_open(&c->run.source, command));
    if (c->run.source.open != NULL && hl_heads_command_looks(command) && command->examples == NULL) {
        c->command.examples = command->treebank; /* an open model has no examples of its own */
    }
    HL_TRY(tell_unknown_labels(c));
    hl_heads_command_targets(command, targets);
    HL_TRY(hl_targets_check(targets, HL_HEADS_TARGETS, (hl_targets_beside){ 0 }));
    HL_TRY(find_folder(c));
    HL_TRY(command->examples != NULL ? hl_heads_examples_read(&c->run, command, c->err) : hl_ok());
    if (command->against != NULL) {
        return compare(c);
    }
    hl_memory_at_hand at_hand = hl_memory_at_hand_now();
    at_hand.bytes /= (size_t)c->measuring;
    HL_TRY(hl_heads_memory_check(&c->run, command, at_hand));
    hl_tell_precision(&c->run.source, c->err);
    hl_tell_first_word(&c->run.source, c->err);
    HL_TRY(c->run.source.open != NULL ? hl_print_notices(c->err, hl_pretrained_notices(c->run.source.open)) : hl_ok());
    if (hl_heads_command_question(command) != HL_HEADS_NO_QUESTION) {
        return answer(c);
    }
    if (hl_heads_command_shows(command)) {
        HL_TRY(hl_heads_show(&c->run, command, c->out));
    }
    return hl_heads_command_asks_figures(command) ? do_figures(c) : hl_ok();
}

/* Rank 0 alone does what they cannot share. */
static hl_status execute_together(call *c, int argc, char **argv)
{
    HL_TRY(hl_processes_check_same(c->ranks, argc, argv));
    HL_TRY(hl_ranks_agree(c->ranks, hl_heads_command_parse(argc, argv, &c->command)));
    hl_processes processes;
    hl_status met = hl_processes_share(c->ranks, true, c->err, &processes);
    c->measuring = c->command.importance ? processes.local : 1;
    hl_processes_free(&processes);
    HL_TRY(met);
    return c->command.importance || hl_ranks_leads(c->ranks) ? execute(c) : hl_ok();
}

int hl_heads_program_together(hl_ranks *ranks, int argc, char **argv, FILE *out, FILE *err)
{
    call c = { .ranks = ranks, .out = out, .err = err, .waiting.out = err };
    hl_status status = hl_ranks_agree(ranks, execute_together(&c, argc, argv));
    hl_waiting_end(&c.waiting);
    int code = hl_standard_output_end(status, false, out, err);
    hl_heads_study_free(&c.study);
    hl_syntax_study_free(&c.syntax);
    hl_opened_model_close(&c.run);
    hl_free(c.folder);
    return code;
}

int hl_heads_program(int argc, char **argv, FILE *out, FILE *err)
{
    return hl_heads_program_together(NULL, argc, argv, out, err);
}
