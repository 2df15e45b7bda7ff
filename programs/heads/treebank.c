#include "programs/heads/treebank.h"

#include "programs/heads/deliver.h"
#include "programs/heads/memory.h"
#include "programs/heads/treebank_picture.h"
#include "programs/heads/treebank_table.h"
#include "study/output.h"

#include <string.h>

static hl_status find_relation(const hl_treebank *treebank, const char *name, int64_t *relation)
{
    int64_t R = hl_treebank_relations(treebank);
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
        status = hl_error(HL_INVALID, "command line: --relation: the treebank has no \"%.64s\"; there are all%s", name,
                          others.bytes);
    }
    hl_text_free(&others);
    return status;
}

static hl_status draw(const void *study, hl_picture_format format, hl_text *bytes)
{
    return hl_heads_treebank_picture(study, format, bytes);
}

hl_status hl_heads_treebank_show(const hl_syntax_study *study, const hl_heads_command *command, FILE *out)
{
    hl_text table = { 0 }, json = { 0 }, csv = { 0 }, markdown = { 0 };
    if (command->relation != NULL) {
        int64_t relation;
        HL_TRY(find_relation(study->treebank, command->relation, &relation));
        hl_heads_relation_table(&table, study, relation);
        hl_heads_relation_json(&json, study, relation);
        hl_heads_relation_csv(&csv, study, relation);
        hl_heads_relation_markdown(&markdown, study, relation);
    } else {
        hl_heads_treebank_table(&table, study);
        hl_heads_treebank_json(&json, study);
        hl_heads_treebank_csv(&csv, study);
        hl_heads_treebank_markdown(&markdown, study);
    }
    hl_status status = hl_heads_deliver(command, &table, &json, &csv, &markdown, out);
    HL_THEN(status, hl_heads_deliver_charts(command, draw, study, out));
    return status;
}

/* Whether heads are judged: where that is told. The columns of --csv, the figure and Markdown do not tell it. */
static bool tells_faithful(const hl_heads_command *command)
{
    bool told = command->json != NULL || hl_heads_command_looks(command) || !hl_heads_command_fills_output(command);
    return told && !command->importance && command->relation == NULL;
}

hl_syntax_question hl_heads_treebank_question(const hl_heads_command *command, hl_waiting *waiting)
{
    return (hl_syntax_question){ .path = command->treebank,
                                 .max_pieces = command->max_pieces,
                                 .subtypes = command->subtypes,
                                 .punct_and_root = command->punct_and_root,
                                 .null = !command->without_null,
                                 .trees = command->trees,
                                 .faithful = tells_faithful(command),
                                 .least_cases = HL_SYNTAX_LEAST_CASES,
                                 .progress = hl_waiting_tell,
                                 .context = waiting };
}

/* A page without --examples is of a run's own, of which it has snapshots. */
static hl_status check_page(const hl_opened_model *model, const hl_heads_command *command)
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
    hl_status status = check_page(model, command);
    HL_THEN(status, hl_syntax_study_read(study, model, &question));
    int64_t relation;
    HL_THEN(status, command->relation != NULL ? find_relation(study->treebank, command->relation, &relation) : hl_ok());
    HL_THEN(status, hl_heads_memory_check_treebank(study, &question, command, hl_memory_at_hand_now()));
    HL_THEN(status, hl_opened_model_load(model, -1));
    HL_THEN(status, hl_syntax_study_make(study, &question));
    HL_THEN(status, question.faithful ? hl_syntax_study_judge(study, model, &question) : hl_ok());
    if (hl_heads_command_looks(command)) {
        HL_THEN(status, hl_syntax_study_find_cases(study, &question, EXAMPLES));
    }
    hl_waiting_end(&waiting);
    return status;
}
