#include "programs/heads/writes_table.h"

#include "core/base/units.h"
#include "core/files/json_text.h"
#include "heads/head_set.h"
#include "programs/results.h"
#include "show/table.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

typedef struct table {
    const hl_heads_writes *w;
    bool wide;
} table;

/* A row as it is in the model's measurement or the null's; NULL if it has no such part. */
typedef struct part {
    const hl_writer *writer;
    const hl_head_writes *head;
} part;

static part part_of(const table *t, const hl_writes *writes, int index)
{
    if (!writes->has_answers) {
        return (part){ .head = &writes->heads[index] };
    }
    const hl_writer *writer = &writes->writers[index];
    bool head = writer->kind == HL_WRITER_HEAD;
    int64_t first = head ? hl_heads_before(&t->w->run->source.shape, writer->layer) : 0;
    return (part){ writer, head ? &writes->heads[first + writer->number] : NULL };
}

static double direct_of(part p)
{
    return p.writer != NULL ? p.writer->direct.mean : NAN;
}

static double copies_of(part p)
{
    return p.head != NULL && p.head->copies.n > 0 ? p.head->copies.score : NAN;
}

static double norm_of(part p)
{
    return p.head != NULL ? p.head->norm.mean : NAN;
}

/* Without answers the rows are heads alone. */
static hl_writer writer_of(part p)
{
    hl_writer head = { .kind = HL_WRITER_HEAD };
    if (p.writer == NULL && p.head != NULL) {
        head.layer = p.head->layer;
        head.number = p.head->head;
    }
    return p.writer != NULL ? *p.writer : head;
}

/* ---- for a person ---- */

/* "2.08 (0.03)", the mean and its standard error. */
static void add_estimate(hl_row *row, const char *title, hl_estimate estimate)
{
    double mean = fabs(estimate.mean) < 0.005 ? 0 : estimate.mean; /* "0.00", not "-0.00" */
    hl_row_text(row, title, NULL, isfinite(estimate.error) ? "%.2f (%.2f)" : "%.2f", mean, estimate.error);
}

static void row_of(const void *context, int64_t index, hl_row *row)
{
    static const char *const kinds[] = { "embedding",    "head",      "attention_bias",
                                         "feed_forward", "norm_bias", "output_bias" };
    const table *t = context;
    const hl_writes *own = t->w->own;
    part p = part_of(t, own, t->w->order[index]), null = part_of(t, t->w->null, t->w->order[index]);
    bool answers = own->has_answers, all = t->wide || !answers, copies = p.head != NULL && p.head->copies.n > 0;
    hl_writer writer = writer_of(p);
    char name[HL_WRITER_NAME];
    hl_writer_name(&writer, name);
    hl_row_text(row, answers ? "writer" : "head", "writer", "%s", name);
    hl_row_text(row, NULL, "kind", "%s", kinds[writer.kind]);
    hl_row_integer(row, NULL, "layer", writer.layer >= 0 ? writer.layer : NAN);
    hl_row_integer(row, NULL, "head", p.head != NULL ? (double)p.head->head : NAN);
    if (answers) {
        add_estimate(row, "direct", p.writer->direct);
    }
    hl_row_number(row, NULL, "direct", 0, direct_of(p));
    hl_row_number(row, NULL, "direct_error", 0, p.writer != NULL ? p.writer->direct.error : NAN);
    hl_row_number(row, answers ? "share" : NULL, "share", 2, p.writer != NULL ? hl_writes_share(own, p.writer) : NAN);
    hl_row_number(row, answers ? "null" : NULL, "direct_null", 2, direct_of(null));
    if (own->has_copies) { /* a share, with a star where it is earned: "0.96*" */
        hl_row_text(row, "copies", NULL, copies ? "%.2f%s" : "-", copies_of(p),
                    copies && p.head->copies.earned ? "*" : "");
    }
    bool further = own->has_copies && all;
    hl_row_number(row, NULL, "copies", 0, copies_of(p));
    hl_row_number(row, further ? "most frequent" : NULL, "copies_baseline", 2, copies ? p.head->copies.baseline : NAN);
    hl_row_number(row, further ? "null copies" : NULL, "copies_null", 2, copies_of(null));
    hl_row_truth(row, "earns_copies", copies ? p.head->copies.earned : NAN);
    hl_row_number(row, "norm", "write_norm", 3, norm_of(p));
    hl_row_number(row, all ? "norm error" : NULL, "write_norm_error", 3, p.head != NULL ? p.head->norm.error : NAN);
    hl_row_number(row, all ? "null norm" : NULL, "write_norm_null", 3, norm_of(null));
}

static void print_heading(hl_text *text, const hl_heads_writes *w)
{
    const hl_writes *own = w->own;
    if (w->step >= 0 && w->run->source.open == NULL) {
        hl_text_paragraph(text, HL_TABLE_WIDTH, "%s, weights of step %" PRId64, w->run->source.path, w->step);
    } else {
        hl_text_paragraph(text, HL_TABLE_WIDTH, "%s", w->run->source.path);
    }
    if (!own->has_answers) {
        hl_text_paragraph(text, HL_TABLE_WIDTH,
                          "These examples have no right answers, so the table shows only what heads write, not what "
                          "that adds to an answer.");
        return;
    }
    char error[48] = "";
    if (isfinite(own->logit.error)) {
        snprintf(error, sizeof error, " (standard error %.2f)", own->logit.error);
    }
    hl_text_paragraph(text, HL_TABLE_WIDTH,
                      "The right answer's logit is %.2f%s above the mean of all logits: mean over %s position%s "
                      "in %s example%s.",
                      own->logit.mean, error, HL_COUNT(own->n_answers), own->n_answers == 1 ? "" : "s",
                      HL_COUNT(own->n_examples), own->n_examples == 1 ? "" : "s");
}

static void print_sum(hl_text *text, const hl_writes *own, bool bf16)
{
    if (own->exact) {
        double sum = 0;
        for (int i = 0; i < own->n_writers; i++) {
            sum += own->writers[i].direct.mean;
        }
        hl_text_paragraph(text, HL_TABLE_WIDTH,
                          "The direct column sums to %.2f. At each position the terms sum to the logit; the largest "
                          "gap is %.0e of their size.",
                          sum, own->largest_gap);
    } else if (bf16) {
        hl_text_paragraph(text, HL_TABLE_WIDTH,
                          "This model multiplies in bf16. Its products are rounded, so the direct column need not sum "
                          "to the logit.");
    } else {
        hl_text_paragraph(
            text, HL_TABLE_WIDTH,
            "First order: between the last hidden state and the logits, this model has a nonlinear layer, "
            "which was replaced by its derivative. The direct column need not sum to the logit.");
    }
}

static void print_words(hl_text *text, const hl_writes *own)
{
    if (own->has_answers) {
        hl_text_paragraph(
            text, HL_TABLE_WIDTH,
            "direct: what the writer adds to the right answer's logit, without what later layers make of "
            "it (in brackets: the standard error); share: its part of the whole; null: direct in the same "
            "model with random weights.");
    }
    if (own->has_copies) {
        hl_text_paragraph(text, HL_TABLE_WIDTH,
                          "copies: how often the head's write raises most the logit of the very token that the head "
                          "attends to most; *: clearly more often than the most frequent token stands there.");
    }
    hl_text_paragraph(text, HL_TABLE_WIDTH,
                      "norm: the length of what the head writes, divided by the length of the residual stream that it "
                      "is added to.");
}

static void print_table(hl_text *text, const table *t)
{
    print_heading(text, t->w);
    hl_results_print_apart(text, (hl_results){ row_of, t, t->w->n_rows }, HL_TABLE_WIDTH, 1);
    if (t->w->own->has_answers) {
        print_sum(text, t->w->own, t->w->run->source.shape.bf16);
        hl_text_print(text, "\n");
    }
    print_words(text, t->w->own);
}

/* ---- all forms ---- */

static json_t *real_or_null(double number)
{
    return isfinite(number) ? json_real(number) : json_null();
}

void hl_heads_writes_tables(const hl_heads_writes *writes, bool wide, hl_heads_answer *answer)
{
    table t = { writes, wide };
    hl_results rows = { row_of, &t, writes->n_rows };
    print_table(&answer->table, &t);
    const hl_writes *own = t.w->own;
    bool answers = own->has_answers;
    json_t *step = t.w->step >= 0 ? json_integer(t.w->step) : json_null();
    hl_json_print_document(
        &answer->json,
        json_pack("{s:o, s:I, s:I, s:o, s:o, s:o, s:o, s:o}", "step", step, "examples", (json_int_t)own->n_examples,
                  "positions", (json_int_t)own->n_answers, "exact", answers ? json_boolean(own->exact) : json_null(),
                  "logit", real_or_null(answers ? own->logit.mean : NAN), "logit_error",
                  real_or_null(answers ? own->logit.error : NAN), "largest_gap",
                  real_or_null(answers && own->exact ? own->largest_gap : NAN), "writers", hl_results_json(rows)));
    hl_results_csv(&answer->csv, rows);
    hl_results_markdown(&answer->markdown, rows);
}
