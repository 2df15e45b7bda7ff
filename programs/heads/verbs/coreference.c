#include "study/coreference_study.h"

#include "core/base/units.h"
#include "core/files/json_text.h"
#include "heads/head_set.h"
#include "programs/heads/deliver.h"
#include "programs/heads/examples.h"
#include "programs/heads/shares_chart.h"
#include "programs/heads/table_files.h"
#include "programs/heads/treebank.h"
#include "programs/heads/verb.h"
#include "programs/results.h"
#include "programs/waiting.h"
#include "show/table.h"

#include <math.h>

static hl_head_name name_of(const hl_coreference_study *study, int64_t head)
{
    return hl_head_name_at(&study->model->source.shape, head);
}

static void short_row_of(const void *context, int64_t index, hl_row *row)
{
    const hl_coreference_study *study = context;
    const hl_coreference_row *r = &study->rows[index];
    hl_row_text(row, "mention", NULL, "%s", hl_coreference_row_name((hl_coreference_rows)index));
    hl_row_integer(row, "cases", NULL, (double)r->held_out_cases);
    hl_row_text(row, "head", NULL, "%s", r->held_out_cases > 0 ? name_of(study, r->held_out_head).text : "-");
    if (isfinite(r->held_out_low)) {
        hl_row_text(row, "held out", NULL, "%.1f [%.1f, %.1f]%s", 100 * r->held_out, 100 * r->held_out_low,
                    100 * r->held_out_high, r->beyond ? " *" : "");
    } else {
        hl_row_share(row, "held out", NULL, r->held_out);
    }
    hl_row_share(row, "same word", NULL, r->held_out_baselines[HL_COREFERENCE_SAME_WORD]);
    hl_row_share(row, "nearest", NULL, r->held_out_baselines[HL_COREFERENCE_NEAREST]);
    hl_row_share(row, "null", NULL, study->null_rows[index].found);
}

/* For people what stands in the short row, and more. */
static void row_of(const void *context, int64_t index, hl_row *row)
{
    const hl_coreference_study *study = context;
    const hl_coreference_row *r = &study->rows[index];
    short_row_of(context, index, row);
    hl_row_text(row, NULL, "kind", "%s", hl_coreference_row_name((hl_coreference_rows)index));
    hl_row_integer(row, NULL, "cases", (double)r->cases);
    hl_row_text(row, NULL, "head", "%s", r->cases > 0 ? name_of(study, r->head).text : "");
    hl_row_number(row, NULL, "found", 0, r->found);
    hl_row_number(row, NULL, "same_word", 0, r->baselines[HL_COREFERENCE_SAME_WORD]);
    hl_row_number(row, NULL, "nearest", 0, r->baselines[HL_COREFERENCE_NEAREST]);
    hl_row_number(row, NULL, "first", 0, r->baselines[HL_COREFERENCE_FIRST]);
    hl_row_share(row, "first", NULL, r->held_out_baselines[HL_COREFERENCE_FIRST]);
    hl_row_share(row, "chance", "chance", r->chance);
    hl_row_integer(row, "all cases", NULL, (double)r->cases);
    hl_row_text(row, "best", NULL, "%s", r->cases > 0 ? name_of(study, r->head).text : "-");
    hl_row_share(row, "found", NULL, r->found);
    hl_row_integer(row, NULL, "held_out_cases", (double)r->held_out_cases);
    hl_row_text(row, NULL, "held_out_head", "%s", r->held_out_cases > 0 ? name_of(study, r->held_out_head).text : "");
    hl_row_number(row, NULL, "held_out", 0, r->held_out);
    hl_row_number(row, NULL, "held_out_low", 0, r->held_out_low);
    hl_row_number(row, NULL, "held_out_high", 0, r->held_out_high);
    hl_row_number(row, NULL, "held_out_same_word", 0, r->held_out_baselines[HL_COREFERENCE_SAME_WORD]);
    hl_row_number(row, NULL, "held_out_nearest", 0, r->held_out_baselines[HL_COREFERENCE_NEAREST]);
    hl_row_number(row, NULL, "held_out_first", 0, r->held_out_baselines[HL_COREFERENCE_FIRST]);
    hl_row_number(row, NULL, "null", 0, study->null_rows[index].found);
    hl_row_truth(row, "beyond", r->beyond);
}

static void print_table(hl_text *text, const hl_coreference_study *s, bool wide)
{
    hl_text_paragraph(
        text, HL_TABLE_WIDTH,
        "%s on mentions of entities. Documents: %s. Windows: %s, of at most %s pieces. Sentences that are too "
        "long for a window, and left out: %s.",
        s->model->source.name, HL_COUNT(s->text.n_documents), HL_COUNT(s->text.windows->n_sentences),
        HL_COUNT(s->max_pieces), HL_COUNT(s->text.n_left_out));
    hl_results_print_apart(text, (hl_results){ wide ? row_of : short_row_of, s, HL_COREFERENCE_ROWS }, HL_TABLE_WIDTH,
                           1);
    hl_text_paragraph(
        text, HL_TABLE_WIDTH,
        "A case is a mention with an earlier mention of the same entity in its window. head: the head that finds most "
        "cases in documents 0, 2, 4 .... held out: per cent of the cases in documents 1, 3, 5 ... in which its largest "
        "weight on an earlier mention is on one of the same entity; in brackets the 95%% interval (bootstrap over "
        "documents). same word: what the nearest earlier mention with the same word finds, or else the nearest. "
        "nearest: what the nearest mention finds. null: what the best head with random weights finds in all documents. "
        "*: above the strongest baseline in 97.5%% of the bootstrap's draws. The last three rows split the cases by "
        "the sentences between a mention and the nearest right one.");
    if (s->text.n_documents < 2) {
        hl_text_paragraph(text, HL_TABLE_WIDTH,
                          "The text is one document, so nothing is held out. In a text of several, each begins with # "
                          "newdoc. --wide shows what the best head finds in all cases.");
    }
    if (wide) {
        hl_text_paragraph(text, HL_TABLE_WIDTH,
                          "first: the window's first mention. chance: the mean share of right mentions. best, found: "
                          "the head that finds most in all documents, chosen and measured on the same cases.");
    }
}

/* ---- the figure ---- */

/* Of each row of the table, two baselines, and then every head, in documents 1, 3, 5 .... */
static hl_status make_shares(const hl_coreference_study *study, hl_heads_shares *s)
{
    static const char *const baselines[] = { "same word", "nearest" };
    enum { FIRST_HEAD = sizeof baselines / sizeof *baselines };
    HL_TRY(hl_heads_shares_init(s, HL_COREFERENCE_ROWS, baselines, FIRST_HEAD, &study->model->source.shape));
    for (int row = 0; row < HL_COREFERENCE_ROWS; row++) {
        hl_real *values = s->values + row * s->n_columns;
        s->rows[row] = hl_coreference_row_name(row);
        values[0] = (hl_real)study->rows[row].held_out_baselines[HL_COREFERENCE_SAME_WORD];
        values[1] = (hl_real)study->rows[row].held_out_baselines[HL_COREFERENCE_NEAREST];
        for (int64_t c = FIRST_HEAD; c < s->n_columns; c++) {
            values[c] = (hl_real)hl_coreference_held_out(&study->found, row, c - FIRST_HEAD);
        }
    }
    return hl_ok();
}

static hl_status draw(const void *context, hl_picture_format format, hl_text *bytes)
{
    const hl_coreference_study *study = context;
    hl_heads_shares s;
    hl_text caption = { 0 };
    hl_text_print(&caption,
                  "%s: how often each head finds an earlier mention of the same entity, in documents 1, 3, 5 ...; the "
                  "first two columns are baselines",
                  study->model->source.name);
    hl_status status = make_shares(study, &s);
    HL_THEN(status, hl_heads_shares_draw(&s, &caption, "mention", "share found", format, bytes));
    hl_text_free(&caption);
    hl_heads_shares_free(&s);
    return status;
}

static hl_status deliver(const hl_coreference_study *study, const hl_heads_command *command, FILE *out)
{
    hl_results rows = { row_of, study, HL_COREFERENCE_ROWS };
    const hl_coreference_text *text = &study->text;
    hl_heads_answer answer = { .draw = draw, .of = study };
    print_table(&answer.table, study, command->wide);
    hl_json_print_document(&answer.json, json_pack("{s:I, s:I, s:I, s:o}", "documents", (json_int_t)text->n_documents,
                                                   "windows", (json_int_t)text->windows->n_sentences, "left_out",
                                                   (json_int_t)text->n_left_out, "rows", hl_results_json(rows)));
    hl_results_csv(&answer.csv, rows);
    hl_results_markdown(&answer.markdown, rows);
    return hl_heads_deliver(command, &answer, out);
}

/* ---- the verb ---- */

static hl_status measure(hl_coreference_study *study, hl_heads_call *call, const hl_syntax_question *question)
{
    enum { EXAMPLES = 4 }; /* as many as stand side by side in a page */
    HL_TRY(hl_coreference_study_read(study, &call->model, question));
    hl_heads_need need;
    HL_TRY(hl_heads_memory_of_coreference(study, question, &call->command, &need));
    HL_TRY(hl_heads_need_check(&need, hl_memory_at_hand_now()));
    HL_TRY(hl_opened_model_load(&call->model, -1));
    HL_TRY(hl_coreference_study_make(study, question));
    return hl_heads_command_looks(&call->command) ? hl_coreference_study_find_cases(study, question, EXAMPLES)
                                                  : hl_ok();
}

/* The table of mentions, and with --report that of all heads with its page. */
static hl_status show(hl_heads_call *call, hl_heads_table_files *files, hl_coreference_study *study)
{
    hl_waiting waiting = { .out = call->err };
    hl_syntax_question question = hl_heads_treebank_question(&call->command, &waiting);
    HL_TRY(hl_heads_table_files_begin(files));
    hl_status status = hl_heads_treebank_check_page(&call->model, &call->command);
    HL_THEN(status, measure(study, call, &question));
    hl_waiting_end(&waiting);
    HL_THEN(status, deliver(study, &call->command, call->out));
    return hl_heads_command_looks(&call->command) && status.code == HL_OK ? hl_heads_table_files_make(files) : status;
}

static hl_status run(hl_heads_call *call)
{
    hl_coreference_study study = { 0 };
    hl_heads_table_files files = { .call = call, .coreference = &study };
    HL_TRY(hl_heads_call_open(call, HL_DATA_READ));
    hl_heads_treebank_choose_examples(call);
    hl_status status = show(call, &files, &study);
    hl_heads_table_files_free(&files);
    hl_coreference_study_free(&study);
    return status;
}

const hl_heads_verb hl_heads_verb_coreference = {
    .name = "coreference",
    .does = "which head finds earlier mentions of the same entity",
    .example = "coreference minilm/ my.conllu",
    .help = hl_heads_help_coreference,
    .options = "max-pieces wide without-null json csv md png svg pdf report examples out overwrite",
    .object = "FILE",
    .object_needed = true,
    .check = hl_heads_examples_check,
    .memory = hl_heads_page_memory,
    .run = run,
};
