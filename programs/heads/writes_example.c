/* What the parts of a model add to the answers of one example. */
#include "core/files/json_text.h"
#include "programs/heads/answers.h"
#include "programs/heads/writes.h"
#include "programs/results.h"
#include "show/table.h"

#include <inttypes.h>
#include <math.h>

/* How many writers have a column of their own. */
static int count_shown(const hl_heads_writes *w)
{
    enum { MOST = 3 };
    int n = w->own.n_writers;
    return w->command->wide || n <= MOST ? n : MOST;
}

static const hl_written_answer *answer_at(const hl_heads_writes *w, int64_t index)
{
    return &w->own.answers[index];
}

/* What writer number `rank` of the table's order adds to an answer. */
static double term_of(const hl_heads_writes *w, int64_t answer, int rank)
{
    return w->own.terms[answer * w->own.n_writers + w->order[rank]];
}

static const char *token_of(const hl_heads_writes *w, int64_t index)
{
    return hl_vocabulary_token(w->run->source.vocabulary, w->examples.tokens[answer_at(w, index)->position]);
}

static const char *answer_of(const hl_heads_writes *w, int64_t index)
{
    return hl_vocabulary_token(hl_dataset_targets(w->run->source.dataset), answer_at(w, index)->id);
}

static void name_of(const hl_heads_writes *w, int rank, char name[HL_WRITER_NAME])
{
    hl_writer_name(&w->own.writers[w->order[rank]], name);
}

/* ---- for a person ---- */

static void shown_row(const void *context, int64_t index, hl_row *row)
{
    const hl_heads_writes *w = context;
    hl_text answer = { 0 };
    hl_text_print(&answer, "%" PRId64 " ", answer_at(w, index)->position);
    hl_text_shown(&answer, token_of(w, index));
    hl_text_print(&answer, " -> ");
    hl_text_shown(&answer, answer_of(w, index));
    hl_row_text(row, "answer", NULL, "%.32s", answer.bytes != NULL ? answer.bytes : "");
    hl_text_free(&answer);
    int shown = count_shown(w);
    double others = 0;
    for (int r = 0; r < w->own.n_writers; r++) {
        char name[HL_WRITER_NAME];
        name_of(w, r, name);
        if (r < shown) {
            hl_row_number(row, name, NULL, 2, term_of(w, index, r));
        } else {
            others += term_of(w, index, r);
        }
    }
    if (shown < w->own.n_writers) {
        hl_row_number(row, "others", NULL, 2, others);
    }
    hl_row_number(row, "logit", NULL, 2, answer_at(w, index)->logit);
}

static void print_table(hl_text *text, const hl_heads_writes *w)
{
    const hl_writes *own = &w->own;
    hl_text tokens = { 0 };
    hl_heads_tokens_print(&tokens, w->run->source.vocabulary, &w->examples);
    hl_text_paragraph(text, HL_TABLE_WIDTH, "%s, example %" PRId64 ":%s", w->run->source.path, w->command->example,
                      hl_text_part(text, &tokens));
    hl_text_free(&tokens);
    hl_results_print_apart(text, (hl_results){ shown_row, w, own->n_kept }, HL_TABLE_WIDTH, 1);
    hl_text_paragraph(text, HL_TABLE_WIDTH,
                      "answer: the position and its token, then the right answer; logit: the right answer's, above the "
                      "mean of all logits. The columns between are what the parts of the model add to it%s.",
                      count_shown(w) < own->n_writers ? ", the largest on average first; --wide shows all" : "");
    if (own->exact) {
        hl_text_paragraph(text, HL_TABLE_WIDTH,
                          "In each row they sum to the logit; the largest gap is %.0e of their size.",
                          own->largest_gap);
    }
}

/* ---- for programs ---- */

static void row_of(const void *context, int64_t index, hl_row *row)
{
    const hl_heads_writes *w = context;
    int64_t answer = index / w->own.n_writers;
    int rank = (int)(index % w->own.n_writers);
    char name[HL_WRITER_NAME];
    name_of(w, rank, name);
    hl_row_integer(row, NULL, "position", (double)answer_at(w, answer)->position);
    hl_row_text(row, NULL, "token", "%s", token_of(w, answer));
    hl_row_text(row, NULL, "answer", "%s", answer_of(w, answer));
    hl_row_text(row, NULL, "writer", "%s", name);
    hl_row_number(row, NULL, "direct", 0, term_of(w, answer, rank));
    hl_row_number(row, NULL, "logit", 0, answer_at(w, answer)->logit);
}

static json_t *answer_object(const hl_heads_writes *w, int64_t index)
{
    json_t *terms = json_array();
    for (int r = 0; r < w->own.n_writers; r++) {
        hl_json_append(&terms, json_real(term_of(w, index, r)));
    }
    return json_pack("{s:I, s:o, s:o, s:f, s:o}", "position", (json_int_t)answer_at(w, index)->position, "token",
                     hl_json_name(token_of(w, index)), "answer", hl_json_name(answer_of(w, index)), "logit",
                     answer_at(w, index)->logit, "terms", terms);
}

static void print_json(hl_text *text, const hl_heads_writes *w)
{
    const hl_writes *own = &w->own;
    json_t *tokens = hl_heads_tokens_json(w->run->source.vocabulary, &w->examples);
    json_t *writers = json_array(), *answers = json_array();
    for (int r = 0; r < own->n_writers; r++) {
        char name[HL_WRITER_NAME];
        name_of(w, r, name);
        hl_json_append(&writers, json_string(name));
    }
    for (int64_t a = 0; a < own->n_kept; a++) {
        hl_json_append(&answers, answer_object(w, a));
    }
    hl_json_print_document(text, json_pack("{s:o, s:I, s:o, s:b, s:o, s:o, s:o}", "step",
                                           w->run->weights_step >= 0 ? json_integer(w->run->weights_step) : json_null(),
                                           "example", (json_int_t)w->command->example, "tokens", tokens, "exact",
                                           (int)own->exact, "largest_gap",
                                           own->exact ? json_real(own->largest_gap) : json_null(), "writers", writers,
                                           "answers", answers));
}

void hl_heads_writes_example(const hl_heads_writes *writes, hl_heads_answer *answer)
{
    int64_t n = writes->own.n_kept;
    print_table(&answer->table, writes);
    print_json(&answer->json, writes);
    hl_results_csv(&answer->csv, (hl_results){ row_of, writes, n * writes->own.n_writers });
    hl_results_markdown(&answer->markdown, (hl_results){ shown_row, writes, n });
}
