/* What the parts of a model add to the answers of one example. */
#include "core/files/json_text.h"
#include "programs/heads/answers.h"
#include "programs/heads/writes_table.h"
#include "programs/results.h"
#include "show/table.h"

#include <inttypes.h>
#include <math.h>

typedef struct table {
    const hl_heads_writes *w;
    int shown; /* the number of writers with a column of their own */
} table;

static const hl_written_answer *answer_at(const table *t, int64_t index)
{
    return &t->w->own->answers[index];
}

/* What writer number `rank` of the table's order adds to an answer. */
static double term_of(const table *t, int64_t answer, int rank)
{
    return t->w->own->terms[answer * t->w->own->n_writers + t->w->order[rank]];
}

static const char *token_of(const table *t, int64_t index)
{
    return hl_vocabulary_token(t->w->run->source.vocabulary, t->w->examples->tokens[answer_at(t, index)->position]);
}

static const char *answer_of(const table *t, int64_t index)
{
    return hl_vocabulary_token(hl_dataset_targets(t->w->run->source.dataset), answer_at(t, index)->id);
}

static void name_of(const table *t, int rank, char name[HL_WRITER_NAME])
{
    hl_writer_name(&t->w->own->writers[t->w->order[rank]], name);
}

/* ---- for a person ---- */

static void shown_row(const void *context, int64_t index, hl_row *row)
{
    const table *t = context;
    hl_text answer = { 0 };
    hl_text_print(&answer, "%" PRId64 " ", answer_at(t, index)->position);
    hl_text_shown(&answer, token_of(t, index));
    hl_text_print(&answer, " -> ");
    hl_text_shown(&answer, answer_of(t, index));
    hl_row_text(row, "answer", NULL, "%.32s", answer.bytes != NULL ? answer.bytes : "");
    hl_text_free(&answer);
    double others = 0;
    for (int r = 0; r < t->w->own->n_writers; r++) {
        char name[HL_WRITER_NAME];
        name_of(t, r, name);
        if (r < t->shown) {
            hl_row_number(row, name, NULL, 2, term_of(t, index, r));
        } else {
            others += term_of(t, index, r);
        }
    }
    if (t->shown < t->w->own->n_writers) {
        hl_row_number(row, "others", NULL, 2, others);
    }
    hl_row_number(row, "logit", NULL, 2, answer_at(t, index)->logit);
}

static void print_table(hl_text *text, const table *t, int64_t example)
{
    const hl_writes *own = t->w->own;
    hl_text tokens = { 0 };
    hl_heads_tokens_print(&tokens, t->w->run->source.vocabulary, t->w->examples);
    hl_text_paragraph(text, HL_TABLE_WIDTH, "%s, example %" PRId64 ":%s", t->w->run->source.path, example,
                      hl_text_part(text, &tokens));
    hl_text_free(&tokens);
    hl_results_print_apart(text, (hl_results){ shown_row, t, own->n_kept }, HL_TABLE_WIDTH, 1);
    hl_text_paragraph(text, HL_TABLE_WIDTH,
                      "answer: the position and its token, then the right answer; logit: the right answer's, above the "
                      "mean of all logits. The columns between are what the parts of the model add to it%s.",
                      t->shown < own->n_writers ? ", the largest on average first; --wide shows all" : "");
    if (own->exact) {
        hl_text_paragraph(text, HL_TABLE_WIDTH,
                          "In each row they sum to the logit; the largest gap is %.0e of their size.",
                          own->largest_gap);
    }
}

/* ---- for programs ---- */

static void row_of(const void *context, int64_t index, hl_row *row)
{
    const table *t = context;
    int64_t answer = index / t->w->own->n_writers;
    int rank = (int)(index % t->w->own->n_writers);
    char name[HL_WRITER_NAME];
    name_of(t, rank, name);
    hl_row_integer(row, NULL, "position", (double)answer_at(t, answer)->position);
    hl_row_text(row, NULL, "token", "%s", token_of(t, answer));
    hl_row_text(row, NULL, "answer", "%s", answer_of(t, answer));
    hl_row_text(row, NULL, "writer", "%s", name);
    hl_row_number(row, NULL, "direct", 0, term_of(t, answer, rank));
    hl_row_number(row, NULL, "logit", 0, answer_at(t, answer)->logit);
}

static json_t *answer_object(const table *t, int64_t index)
{
    json_t *terms = json_array();
    for (int r = 0; r < t->w->own->n_writers; r++) {
        hl_json_append(&terms, json_real(term_of(t, index, r)));
    }
    return json_pack("{s:I, s:o, s:o, s:f, s:o}", "position", (json_int_t)answer_at(t, index)->position, "token",
                     hl_json_name(token_of(t, index)), "answer", hl_json_name(answer_of(t, index)), "logit",
                     answer_at(t, index)->logit, "terms", terms);
}

static void print_json(hl_text *text, const table *t, int64_t example)
{
    const hl_writes *own = t->w->own;
    json_t *tokens = hl_heads_tokens_json(t->w->run->source.vocabulary, t->w->examples);
    json_t *writers = json_array(), *answers = json_array();
    for (int r = 0; r < own->n_writers; r++) {
        char name[HL_WRITER_NAME];
        name_of(t, r, name);
        hl_json_append(&writers, json_string(name));
    }
    for (int64_t a = 0; a < own->n_kept; a++) {
        hl_json_append(&answers, answer_object(t, a));
    }
    hl_json_print_document(text, json_pack("{s:o, s:I, s:o, s:b, s:o, s:o, s:o}", "step",
                                           t->w->step >= 0 ? json_integer(t->w->step) : json_null(), "example",
                                           (json_int_t)example, "tokens", tokens, "exact", (int)own->exact,
                                           "largest_gap", own->exact ? json_real(own->largest_gap) : json_null(),
                                           "writers", writers, "answers", answers));
}

void hl_heads_writes_example(const hl_heads_writes *writes, int64_t example, bool wide, hl_heads_answer *answer)
{
    enum { MOST = 3 };
    int n = writes->own->n_writers;
    table t = { writes, wide || n <= MOST ? n : MOST };
    print_table(&answer->table, &t, example);
    print_json(&answer->json, &t, example);
    hl_results_csv(&answer->csv, (hl_results){ row_of, &t, writes->own->n_kept * n });
    hl_results_markdown(&answer->markdown, (hl_results){ shown_row, &t, writes->own->n_kept });
}
