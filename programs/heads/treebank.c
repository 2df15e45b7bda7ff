#include "programs/heads/treebank.h"

#include "core/base/units.h"
#include "programs/heads/memory.h"
#include "programs/heads/shares_chart.h"

#include <string.h>

static hl_status find_relation(const hl_treebank *treebank, const char *name, int64_t *relation)
{
    int64_t R = treebank->n_relations;
    *relation = -1;
    if (strcmp(name, HL_TREEBANK_ALL) == 0) {
        return hl_ok();
    }
    hl_text others = { 0 };
    for (int64_t r = 0; r < R; r++) {
        *relation = strcmp(name, hl_treebank_relation(treebank, r)) == 0 ? r : *relation;
        hl_text_print(&others, ", %s", hl_treebank_relation(treebank, r));
    }
    hl_status status = hl_text_status(&others);
    if (status.code == HL_OK && *relation < 0) {
        status = hl_error(HL_INVALID, "command line: --relation: the treebank has no \"%.64s\"; it has all%s", name,
                          others.bytes);
    }
    hl_text_free(&others);
    return status;
}

/* ---- the figure ---- */

/* Of each row of the study, the best fixed offset, and then every head: shares held out. */
static hl_status make_shares(const hl_syntax_study *study, hl_heads_shares *s)
{
    static const char *const baselines[] = { "offset" };
    HL_TRY(hl_heads_shares_init(s, study->n_rows, baselines, 1, &study->model->source.shape));
    for (int64_t row = 0; row < s->n_rows; row++) {
        int64_t relation = study->rows[row];
        hl_real *values = s->values + row * s->n_columns;
        s->rows[row] = hl_syntax_study_name(study, relation);
        values[0] = (hl_real)hl_syntax_share(hl_syntax_row_of(&study->found, relation).held_out.baseline);
        for (int64_t column = 1; column < s->n_columns; column++) {
            hl_syntax_choice held_out = hl_syntax_head_of(&study->found, relation, column - 1).held_out;
            values[column] = (hl_real)hl_syntax_share(held_out.found);
        }
    }
    return hl_ok();
}

static hl_status draw(const void *context, hl_picture_format format, hl_text *bytes)
{
    const hl_syntax_study *study = context;
    hl_heads_shares s;
    hl_text caption = { 0 };
    hl_text_print(&caption,
                  "%s on %s sentences: how often each head finds the syntactic head of a word, by relation, "
                  "in its better way, beside the best fixed offset (first column), in sentences 1, 3, 5 ...; sentences "
                  "0, 2, 4 ... choose the ways",
                  study->model->source.name, HL_COUNT(study->treebank->n_sentences));
    hl_status status = make_shares(study, &s);
    HL_THEN(status, hl_heads_shares_draw(&s, &caption, "relation", "share found, held out", format, bytes));
    hl_text_free(&caption);
    hl_heads_shares_free(&s);
    return status;
}

/* ---- all of it ---- */

hl_status hl_heads_treebank_show(const hl_syntax_study *study, const hl_heads_command *command, FILE *out)
{
    hl_heads_answer answer = { .draw = draw, .of = study };
    if (command->relation != NULL) {
        int64_t relation;
        HL_TRY(find_relation(study->treebank, command->relation, &relation));
        HL_TRY(hl_heads_relation_answer(&answer, study, relation));
    } else {
        hl_heads_treebank_answer(&answer, study, command->wide);
    }
    return hl_heads_deliver(command, &answer, out);
}

hl_syntax_question hl_heads_treebank_question(const hl_heads_command *command, hl_waiting *waiting)
{
    /* Heads are judged where that is told: the columns of --csv, the figure and Markdown do not tell it. */
    bool told =
        command->files.json != NULL || hl_heads_command_looks(command) || !hl_heads_command_fills_output(command);
    return (hl_syntax_question){ .path = command->object,
                                 .max_pieces = command->max_pieces,
                                 .subtypes = command->subtypes,
                                 .punct_and_root = command->punct_and_root,
                                 .null = !command->without_null,
                                 .trees = command->trees,
                                 .faithful = told && !command->importance && command->relation == NULL,
                                 .least_cases = HL_SYNTAX_LEAST_CASES,
                                 .progress = hl_waiting_tell,
                                 .context = waiting };
}

void hl_heads_treebank_choose_examples(hl_heads_call *call)
{
    hl_heads_command *command = &call->command;
    if (call->model.source.open != NULL && hl_heads_command_looks(command) && command->examples == NULL) {
        command->examples = command->object;
    }
}

hl_status hl_heads_treebank_check_page(const hl_opened_model *model, const hl_heads_command *command)
{
    return !hl_heads_command_looks(command) || model->n_steps > 0
               ? hl_ok()
               : hl_error(HL_BAD_FILE, "%s: has no snapshots to make a page of: name sentences by --examples FILE",
                          model->source.path);
}

hl_status hl_heads_treebank_study(hl_syntax_study *study, hl_opened_model *model, const hl_heads_command *command,
                                  FILE *err)
{
    enum { EXAMPLES = 4 }; /* as many as stand side by side in a page */
    hl_waiting waiting = { .out = err };
    hl_syntax_question question = hl_heads_treebank_question(command, &waiting);
    *study = (hl_syntax_study){ 0 };
    hl_status status = hl_heads_treebank_check_page(model, command);
    HL_THEN(status, hl_syntax_study_read(study, model, &question));
    int64_t relation;
    HL_THEN(status, command->relation != NULL ? find_relation(study->treebank, command->relation, &relation) : hl_ok());
    hl_heads_need need;
    HL_THEN(status, hl_heads_memory_of_treebank(study, &question, command, &need));
    HL_THEN(status, hl_heads_need_check(&need, hl_memory_at_hand_now()));
    HL_THEN(status, hl_opened_model_load(model, -1));
    HL_THEN(status, hl_syntax_study_make(study, &question));
    HL_THEN(status, question.faithful ? hl_syntax_study_judge(study, model, &question) : hl_ok());
    if (hl_heads_command_looks(command)) {
        HL_THEN(status, hl_syntax_study_find_cases(study, &question, EXAMPLES));
    }
    hl_waiting_end(&waiting);
    return status;
}
