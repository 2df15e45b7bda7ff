#include "heads/writes.h"
#include "core/base/memory.h"
#include "core/base/units.h"
#include "core/files/json_text.h"
#include "heads/head_set.h"
#include "programs/heads/deliver.h"
#include "programs/heads/examples.h"
#include "programs/heads/verb.h"
#include "programs/heads/writes.h"
#include "programs/results.h"
#include "show/bar_picture.h"
#include "show/table.h"
#include "study/model_examples.h"
#include "study/study.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

/* A row as it is in the model's measurement or the null's. */
typedef struct part {
    hl_writer writer;           /* without answers its direct contribution is NaN */
    const hl_head_writes *head; /* NULL: it is none */
} part;

static part part_of(const hl_heads_writes *w, const hl_writes *writes, int index)
{
    hl_writer writer = writes->writers[index];
    bool is_head = writer.kind == HL_WRITER_HEAD;
    int64_t first = is_head ? hl_heads_before(&w->run->source.shape, writer.layer) : 0;
    if (!writes->has_answers) {
        writer.direct = (hl_estimate){ NAN, NAN };
    }
    return (part){ writer, is_head ? &writes->heads[first + writer.number] : NULL };
}

static double copies_of(part p)
{
    return p.head != NULL && p.head->copies.n > 0 ? p.head->copies.score : NAN;
}

static double norm_of(part p)
{
    return p.head != NULL ? p.head->norm.mean : NAN;
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
    const hl_heads_writes *w = context;
    const hl_writes *own = w->own;
    part p = part_of(w, own, w->order[index]), null = part_of(w, w->null, w->order[index]);
    bool answers = own->has_answers, all = w->wide || !answers, copies = p.head != NULL && p.head->copies.n > 0;
    char name[HL_WRITER_NAME];
    hl_writer_name(&p.writer, name);
    hl_row_text(row, answers ? "writer" : "head", "writer", "%s", name);
    hl_row_text(row, NULL, "kind", "%s", kinds[p.writer.kind]);
    hl_row_integer(row, NULL, "layer", p.writer.layer >= 0 ? p.writer.layer : NAN);
    hl_row_integer(row, NULL, "head", p.head != NULL ? (double)p.head->head : NAN);
    if (answers) {
        add_estimate(row, "direct", p.writer.direct);
    }
    hl_row_number(row, NULL, "direct", 0, p.writer.direct.mean);
    hl_row_number(row, NULL, "direct_error", 0, p.writer.direct.error);
    hl_row_number(row, answers ? "share" : NULL, "share", 2, hl_writes_share(own, &p.writer));
    hl_row_number(row, answers ? "null" : NULL, "direct_null", 2, null.writer.direct.mean);
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

static void print_table(hl_text *text, const hl_heads_writes *w)
{
    print_heading(text, w);
    hl_results_print_apart(text, (hl_results){ row_of, w, w->n_rows }, HL_TABLE_WIDTH, 1);
    if (w->own->has_answers) {
        print_sum(text, w->own, w->run->source.shape.bf16);
        hl_text_print(text, "\n");
    }
    print_words(text, w->own);
}

/* ---- all forms ---- */

/* Adds all forms. The rows are sorted by size: with answers all writers by |direct|, else heads by their norm. JSON:
 * {"step", "examples", "positions", "exact", "logit", "logit_error", "largest_gap", "writers": [{"writer", "kind",
 * "layer", "head", "direct", "direct_error", "share", "direct_null", "copies", "copies_baseline", "copies_null",
 * "earns_copies", "write_norm", "write_norm_error", "write_norm_null"}]}; CSV the writers; null or nothing where a
 * number is not there. With `wide`, the table has all columns. */
static void add_tables(const hl_heads_writes *w, hl_heads_answer *answer)
{
    const hl_results rows = { row_of, w, w->n_rows };
    const hl_writes *own = w->own;
    print_table(&answer->table, w);
    bool answers = own->has_answers;
    json_t *step = w->step >= 0 ? json_integer(w->step) : json_null();
    hl_json_print_document(
        &answer->json,
        json_pack("{s:o, s:I, s:I, s:o, s:o, s:o, s:o, s:o}", "step", step, "examples", (json_int_t)own->n_examples,
                  "positions", (json_int_t)own->n_answers, "exact", answers ? json_boolean(own->exact) : json_null(),
                  "logit", hl_json_number(answers ? own->logit.mean : NAN), "logit_error",
                  hl_json_number(answers ? own->logit.error : NAN), "largest_gap",
                  hl_json_number(answers && own->exact ? own->largest_gap : NAN), "writers", hl_results_json(rows)));
    hl_results_csv(&answer->csv, rows);
    hl_results_markdown(&answer->markdown, rows);
}

/* ---- measuring ---- */

static hl_status measure_null(const hl_opened_model *run, const hl_examples *examples, hl_writes *null)
{
    hl_model *random = hl_calloc(1, sizeof *random);
    HL_NEED(random != NULL, "random weights");
    hl_writes_options options = hl_opened_model_writes_options(run);
    hl_status status = hl_opened_model_draw_null(&run->source, random);
    HL_THEN(status, hl_writes_measure(random, examples, &options, null));
    hl_model_free(random);
    hl_free(random);
    return status;
}

static double size_of(const hl_heads_writes *w, int index)
{
    part p = part_of(w, w->own, index);
    return w->own->has_answers ? fabs(p.writer.direct.mean) : norm_of(p);
}

/* The largest direct contribution first; without answers only the heads, the largest norm first. */
static void sort_rows(hl_heads_writes *w)
{
    for (int i = 0; i < w->own->n_writers; i++) {
        if (w->own->has_answers || w->own->writers[i].kind == HL_WRITER_HEAD) {
            int at = w->n_rows++;
            for (; at > 0 && size_of(w, w->order[at - 1]) < size_of(w, i); at--) {
                w->order[at] = w->order[at - 1];
            }
            w->order[at] = i;
        }
    }
}

/* All writers' bars, in the order of the table. */
static hl_status draw(const void *context, hl_picture_format format, hl_text *bytes)
{
    const hl_heads_writes *w = context;
    const hl_writes *own = w->own;
    hl_bar *bars = hl_calloc((size_t)w->n_rows, sizeof *bars);
    hl_text title = { 0 };
    for (int i = 0; i < w->n_rows && bars != NULL; i++) {
        const hl_writer *writer = &own->writers[w->order[i]];
        bars[i] = (hl_bar){ .value = writer->direct.mean, .error = writer->direct.error };
        hl_writer_name(writer, bars[i].name);
    }
    hl_text_print(&title, "%s: what each part adds to the right answer's logit (%.2f in all)", w->run->source.name,
                  own->logit.mean);
    hl_bar_picture picture = { .title = title.bytes, .bars = bars, .n_bars = w->n_rows };
    hl_status status = bars != NULL ? hl_text_status(&title) : hl_error_memory("the chart of what heads write");
    HL_THEN(status, hl_bar_picture_print(&picture, format, HL_HEADS_PNG_DPI, bytes));
    hl_text_free(&title);
    hl_free(bars);
    return status;
}

static hl_status deliver(hl_heads_call *call, hl_heads_writes *w)
{
    if (!w->own->has_answers && (call->command.example >= 0 || hl_heads_command_draws(&call->command))) {
        return hl_error(HL_INVALID, "%s: %s without right answers there is no direct contribution to show",
                        w->run->source.path, call->command.example >= 0 ? "--example:" : "--png, --svg and --pdf:");
    }
    w->order = hl_calloc((size_t)w->own->n_writers, sizeof *w->order);
    HL_NEED(w->order != NULL, "what heads write");
    sort_rows(w);
    hl_heads_answer answer = { .draw = draw, .of = w };
    if (call->command.example >= 0) {
        hl_heads_writes_example(w, &answer);
    } else {
        add_tables(w, &answer);
    }
    hl_status status = hl_heads_deliver(&call->command, &answer, call->out);
    hl_free(w->order);
    return status;
}

static hl_status choose_example(hl_examples *examples, int64_t example)
{
    if (example >= examples->n_examples) {
        return hl_error(HL_INVALID, "command line: --example: %" PRId64 ": the examples are 0 .. %" PRId64, example,
                        examples->n_examples - 1);
    }
    *examples = hl_examples_slice(examples, example, 1);
    return hl_ok();
}

/* ---- the verb ---- */

static hl_status bytes_of(const hl_heads_need *need, const hl_model *model, size_t *bytes)
{
    hl_examples examples = hl_heads_examples_size(need->run);
    hl_writes_options its = hl_opened_model_writes_options(need->run);
    return hl_writes_bytes(model, &examples, &its, bytes);
}

/* Two models, the examples with their maps, and what is measured in, which no two models have at once. */
static hl_status memory(hl_heads_need *need)
{
    size_t measuring;
    HL_TRY(hl_heads_bytes(need, bytes_of, &measuring));
    size_t models = hl_size_sum(hl_heads_model_bytes(need), need->f.weights);
    need->bytes = hl_size_sum(measuring, hl_size_sum(models, need->f.snapshot));
    return hl_ok();
}

static hl_status run(hl_heads_call *call)
{
    hl_opened_model *run = &call->model;
    const hl_snapshot *snapshot;
    HL_TRY(hl_heads_call_start(call, HL_DATA_READ, hl_heads_call_needs_examples));
    HL_TRY(hl_opened_model_snapshot(run, call->command.step, &snapshot));
    HL_TRY(hl_heads_load_weights(run, snapshot->step, call->command.step >= 0));
    hl_writes_options options = hl_opened_model_writes_options(run);
    hl_writes own = { 0 }, null = { 0 };
    hl_examples examples = snapshot->examples;
    if (call->command.example >= 0) {
        HL_TRY(choose_example(&examples, call->command.example));
        options.keep_terms = true;
    }
    hl_status status = hl_writes_measure(&run->model, &examples, &options, &own);
    HL_THEN(status, call->command.example < 0 ? measure_null(run, &examples, &null) : hl_ok());
    if (status.code == HL_OK) {
        hl_heads_writes w = { .run = run,
                              .examples = &examples,
                              .step = run->weights_step,
                              .own = &own,
                              .null = &null,
                              .example = call->command.example,
                              .wide = call->command.wide };
        status = deliver(call, &w);
    }
    hl_writes_free(&own);
    hl_writes_free(&null);
    return status;
}

const hl_heads_verb hl_heads_verb_writes = {
    .name = "writes",
    .does = "what each head adds to the answer",
    .example = "writes runs/copy_task",
    .help = hl_heads_help_writes,
    .options = "examples task file step example wide json csv md png svg pdf",
    .check = hl_heads_examples_check,
    .memory = memory,
    .run = run,
};
