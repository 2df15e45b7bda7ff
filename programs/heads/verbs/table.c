#include "core/base/memory.h"
#include "core/files/folders.h"
#include "programs/beside.h"
#include "programs/heads/examples.h"
#include "programs/heads/help.h"
#include "programs/heads/json.h"
#include "programs/heads/memory.h"
#include "programs/heads/table_files.h"
#include "programs/heads/verb.h"
#include "programs/print_line.h"
#include "study/heads_table.h"
#include "study/history.h"
#include "study/output.h"
#include "study/report.h"

/* ---- the table and its files ---- */

/* Whether the command asks about a treebank, to which the table of all heads is added. */
static bool is_added(const hl_heads_table_files *files)
{
    return files->syntax != NULL || files->coreference != NULL;
}

hl_status hl_heads_table_files_find_folder(hl_heads_table_files *files)
{
    const hl_heads_call *call = files->call;
    const hl_heads_command *command = &call->command;
    if (command->examples != NULL) {
        return hl_heads_examples_fill_folder(command)
                   ? hl_heads_examples_find_folder(&call->model.source, command, &files->folder)
                   : hl_ok();
    }
    if (!is_added(files)) {
        files->folder = hl_strdup(call->model.source.path);
        HL_NEED(files->folder != NULL, call->model.source.path);
    }
    return hl_ok();
}

/* Where the files of sentences went is told: nobody else knows. */
static void tell_folder(const hl_heads_table_files *files)
{
    const hl_heads_call *call = files->call;
    if (call->model.file != NULL && !hl_heads_command_fills_output(&call->command)) {
        fputc('\n', call->out);
        hl_print_line(call->out, "All of it, for the browser: %s/report.html; all metrics: %s/heads.csv", files->folder,
                      files->folder);
    }
}

static hl_status write_files(hl_heads_table_files *files, hl_heads_history *history)
{
    hl_heads_call *call = files->call;
    const hl_heads_command *command = &call->command;
    bool into_folder =
        files->folder != NULL && hl_heads_call_can_write(call, "its heads.csv and report.html stay as they are");
    if (into_folder) {
        HL_TRY(call->model.file != NULL ? hl_folder_make(files->folder) : hl_ok());
        HL_TRY(hl_heads_history_write(history, files->folder));
    }
    if (command->files.csv != NULL && !is_added(files)) {
        hl_heads_history one = *history;
        one.printed = command->step; /* -1: all */
        HL_TRY(hl_output_write(command->files.csv, call->out, hl_heads_history_print, &one));
    }
    hl_heads_page page = { .history = history,
                           .syntax = files->syntax,
                           .coreference = files->coreference,
                           .treebank = is_added(files) ? command->object : NULL };
    if (into_folder) {
        HL_TRY(hl_heads_page_write(&page, files->folder));
        tell_folder(files);
    }
    return command->files.report != NULL ? hl_output_write(command->files.report, call->out, hl_heads_page_print, &page)
                                         : hl_ok();
}

static hl_status make_history(hl_heads_table_files *files, const hl_heads_study *last)
{
    hl_heads_history history;
    HL_TRY(hl_heads_history_make(&files->call->model, last, &history));
    hl_status status = write_files(files, &history);
    hl_heads_history_free(&history);
    return status;
}

static hl_status measure(hl_heads_table_files *files)
{
    hl_heads_call *call = files->call;
    const hl_heads_command *command = &call->command;
    hl_heads_study *study = &files->study;
    const hl_snapshot *snapshot;
    HL_TRY(hl_opened_model_snapshot(&call->model, command->step, &snapshot));
    HL_TRY(hl_heads_study_make(study, &call->model, snapshot, command->step >= 0));
    bool asks = command->files.json != NULL || command->files.csv != NULL || command->files.report != NULL;
    HL_TRY(asks ? study->no_syntax : hl_ok());
    HL_TRY(command->words ? hl_heads_study_join_words(study, snapshot) : hl_ok());
    HL_TRY(hl_heads_study_null(study, &call->model));
    study->seconds = files->syntax != NULL ? files->syntax->labels : study->seconds;
    return hl_ok();
}

static hl_status print(const hl_heads_table_files *files)
{
    const hl_heads_call *call = files->call;
    const hl_model_source *model = &call->model.source;
    hl_text text = { 0 };
    if (!hl_heads_command_fills_output(&call->command)) {
        hl_text_print(&text, "%s", is_added(files) ? "\n" : ""); /* below what is said of the treebank */
        const hl_heads_table_options options = { hl_program_name("heads"), model->relations, call->command.wide };
        hl_heads_table_print(&text, model->path, &files->study, options);
        HL_TRY(hl_output_put("-", &text, call->out));
    }
    if (call->command.files.json != NULL && !is_added(files)) {
        hl_heads_json_print(&text, &files->study, model->relations);
        HL_TRY(hl_output_put(call->command.files.json, &text, call->out));
    }
    return hl_ok();
}

hl_status hl_heads_table_files_make(hl_heads_table_files *files)
{
    hl_heads_call *call = files->call;
    HL_TRY(measure(files));
    HL_TRY(print(files));
    if (files->study.no_syntax.code != HL_OK) {
        hl_print_line(call->err, "%s", files->study.no_syntax.text);
        hl_print_line(call->err,
                      "the table is without what heads find in the treebank; heads.csv and report.html stay");
        return hl_ok();
    }
    /* heads.csv and the page are of the last snapshot, whatever step the table is of. */
    hl_opened_model *model = &files->call->model;
    if (files->study.step == model->steps[model->n_steps - 1]) {
        return make_history(files, &files->study);
    }
    hl_heads_study last;
    HL_TRY(hl_heads_study_last(&last, model));
    hl_status status = hl_heads_study_null(&last, model);
    HL_THEN(status, make_history(files, &last));
    hl_heads_study_free(&last);
    return status;
}

void hl_heads_table_files_free(hl_heads_table_files *files)
{
    hl_heads_study_free(&files->study);
    hl_free(files->folder);
    files->folder = NULL;
}

/* ---- the verb ---- */

static const hl_option options[] = {
    HL_HEADS_HELP_OPTIONS,
    { HL_HEADS_OPTION("wide", FLAG, wide) },
    { HL_HEADS_OPTION("step", INTEGER, step), .most = INT64_MAX },
    { HL_HEADS_OPTION("words", FLAG, words) },
    { HL_HEADS_OPTION("json", FILE, files.json) },
    { HL_HEADS_OPTION("csv", FILE, files.csv) },
    { HL_HEADS_OPTION("report", FILE, files.report) },
    { HL_HEADS_OPTION("examples", TEXT, examples) },
    { HL_HEADS_OPTION("out", TEXT, out) },
    { HL_HEADS_OPTION("overwrite", FLAG, overwrite) },
};

static hl_status memory(const hl_opened_model *model, const hl_heads_command *command, const hl_footprint *f,
                        size_t *bytes, const char **remedy)
{
    (void)model;
    (void)command;
    *bytes = hl_heads_study_bytes(f);
    *remedy = hl_heads_study_remedy(f);
    return hl_ok();
}

static hl_status run(hl_heads_call *call)
{
    hl_heads_table_files files = { .call = call };
    HL_TRY(hl_heads_call_open(call, HL_DATA_READ));
    HL_TRY(hl_heads_call_needs_examples(call));
    hl_status status = hl_heads_table_files_find_folder(&files);
    HL_THEN(status, hl_heads_call_read(call));
    HL_THEN(status, hl_heads_call_begin(call));
    HL_THEN(status, hl_heads_table_files_make(&files));
    hl_heads_table_files_free(&files);
    return status;
}

const hl_heads_verb hl_heads_verb_table = {
    .name = "table",
    .does = "what each head does: labels, scores, and the report",
    .example = "table runs/copy_task",
    .help = hl_heads_help_table,
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .check = hl_heads_examples_check,
    .memory = memory,
    .run = run,
};
