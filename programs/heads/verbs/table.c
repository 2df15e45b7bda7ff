#include "core/base/memory.h"
#include "core/files/folders.h"
#include "core/files/json_text.h"
#include "programs/beside.h"
#include "programs/heads/examples.h"
#include "programs/heads/table_files.h"
#include "programs/heads/verb.h"
#include "programs/print_line.h"
#include "study/heads_table.h"
#include "study/history.h"
#include "study/output.h"
#include "study/report.h"

#include <math.h>

/* ---- as JSON ---- */

/* What the rows are of. */
typedef struct answer {
    const hl_heads_study *study;
    const char *const *relations;
} answer;

double hl_heads_truth(const hl_head_effect *effect)
{
    bool known = effect != NULL && effect->faithful != HL_FAITHFUL_UNKNOWN;
    return known ? effect->faithful == HL_FAITHFUL_YES : NAN;
}

void hl_heads_add_effect(hl_row *row, const hl_head_effect *effect)
{
    hl_row_number(row, NULL, "loss_without", 0, effect != NULL ? effect->loss_without : NAN);
    hl_row_number(row, NULL, "standard_error", 0, effect != NULL ? effect->standard_error : NAN);
    hl_row_number(row, NULL, "kept", 0, effect != NULL ? effect->kept : NAN);
    hl_row_truth(row, "faithful", hl_heads_truth(effect));
}

static void row_of_head(const void *context, int64_t index, hl_row *to)
{
    static const hl_syntax_label none = { .relation = -1 };
    const answer *a = context;
    const hl_heads_row *row = &a->study->rows[index];
    const hl_head_metrics *m = &row->metrics;
    const hl_syntax_label *second = a->study->seconds != NULL ? &a->study->seconds[index] : &none;
    const hl_syntax_choice *held = &second->held_out;
    hl_score score = row->label.score;
    bool scored = score.n > 0, measured = row->effect != NULL, named = second->relation >= 0;
    hl_row_integer(to, NULL, "layer", m->layer);
    hl_row_integer(to, NULL, "head", m->head);
    hl_row_text(to, NULL, "label", "%s", hl_label_text_of(row->label, a->relations).text);
    hl_row_number(to, NULL, "score", 0, scored ? score.value : NAN);
    hl_row_number(to, NULL, "baseline", 0, scored ? score.baseline : NAN);
    hl_row_number(to, NULL, "lift", 0, hl_score_lift(score));
    hl_row_number(to, NULL, "entropy", 0, m->entropy.nats);
    hl_row_number(to, NULL, "entropy_normalised", 0, m->entropy.n_normalised > 0 ? m->entropy.normalised : NAN);
    hl_row_number(to, NULL, "confidence", 0, m->confidence.value);
    hl_row_number(to, NULL, "distance", 0, row->distance.absolute.value);
    hl_row_number(to, NULL, "distance_signed", 0, row->distance.directed.value);
    hl_row_integer(to, NULL, "best_offset", m->best_offset);
    hl_row_number(to, NULL, "importance", 0, measured ? row->effect->importance : NAN);
    hl_heads_add_effect(to, row->effect);
    hl_row_text(to, NULL, "relation", "%s", second->name != NULL ? second->name : "");
    hl_row_text(to, NULL, "direction", "%s", named ? hl_syntax_direction_name(held->direction) : "");
    hl_row_number(to, NULL, "held_out", 0, hl_syntax_share(held->found));
    hl_row_number(to, NULL, "held_out_baseline", 0, hl_syntax_share(held->baseline));
    hl_row_number(to, NULL, "importance_normalised", 0, measured ? hl_heads_importance_in_layer(a->study, row) : NAN);
    hl_row_number(to, NULL, "null", 0, hl_heads_null(a->study, row));
    hl_row_truth(to, "faithful_in_group", hl_heads_truth(row->group));
}

static void row_of_group(const void *context, int64_t index, hl_row *row)
{
    const answer *a = context;
    const hl_group_effect *group = &a->study->effects.groups[index];
    json_t *heads = json_array();
    for (int64_t i = 0; i < a->study->n; i++) {
        if (a->study->rows[i].group == &group->effect) {
            hl_json_append(&heads, json_integer(a->study->rows[i].metrics.head));
        }
    }
    hl_row_integer(row, NULL, "layer", group->layer);
    hl_row_text(row, NULL, "label", "%s", hl_label_text_of(group->label, a->relations).text);
    hl_row_json(row, "heads", heads);
    hl_row_number(row, NULL, "importance", 0, group->effect.importance);
    hl_heads_add_effect(row, &group->effect);
}

/* NULL stands for missing memory. */
void hl_heads_json_print(hl_text *text, const hl_heads_study *study, const char *const *relations)
{
    const answer a = { study, relations };
    bool has = study->has_effects, known = has && study->weights_step >= 0;
    json_t *heads = hl_results_json((hl_results){ row_of_head, &a, study->n });
    json_t *groups = hl_results_json((hl_results){ row_of_group, &a, study->effects.n_groups });
    json_t *root = json_pack("{s:I, s:I, s:o, s:o, s:o, s:o}", "step", (json_int_t)study->step, "examples",
                             (json_int_t)study->n_examples, "loss", hl_json_number(has ? study->effects.loss : NAN),
                             "weights_step", known ? json_integer(study->weights_step) : json_null(), "heads", heads,
                             "groups", groups);
    hl_json_print_document(text, root);
}

/* ---- the table and its files ---- */

/* Whether the command asks about a treebank, to which the table of all heads is added. */
static bool is_added(const hl_heads_table_files *files)
{
    return files->syntax != NULL || files->coreference != NULL;
}

static hl_status find_folder(hl_heads_table_files *files)
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

hl_status hl_heads_table_files_begin(hl_heads_table_files *files)
{
    HL_TRY(find_folder(files));
    HL_TRY(hl_heads_call_read(files->call));
    return hl_heads_call_begin(files->call);
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

static hl_status run(hl_heads_call *call)
{
    hl_heads_table_files files = { .call = call };
    HL_TRY(hl_heads_call_open(call, HL_DATA_READ));
    HL_TRY(hl_heads_call_needs_examples(call));
    hl_status status = hl_heads_table_files_begin(&files);
    HL_THEN(status, hl_heads_table_files_make(&files));
    hl_heads_table_files_free(&files);
    return status;
}

const hl_heads_verb hl_heads_verb_table = {
    .name = "table",
    .does = "what each head does: labels, scores, and the report",
    .example = "table runs/copy_task",
    .help = hl_heads_help_table,
    .options = "wide step words json csv report examples out overwrite",
    .check = hl_heads_examples_check,
    .memory = hl_heads_study_memory,
    .run = run,
};
