#include "programs/heads/importance_table.h"

#include "core/files/json_text.h"
#include "heads/head_set.h"
#include "show/table.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { NAME = 6, LABEL = 12, CELL = 24, MEAN = 7, ERROR = 7 };

typedef struct cell {
    char text[CELL];
} cell;

/* ---- verdicts: decorative heads have a label and no effect, silent ones an effect and no label ---- */

/* The share of the largest growth below which an effect is none, and from which on it is large. */
static const double SMALL = 0.1;

static double largest_growth(const hl_importance *importance)
{
    double largest = 0;
    for (int64_t i = 0; i < importance->n; i++) {
        largest = fmax(largest, importance->heads[i].zero.mean);
    }
    return largest;
}

bool hl_heads_decorative(const hl_heads_importance *study, int64_t index)
{
    hl_estimate zero = study->importance.heads[index].zero;
    return study->labels[index].kind < HL_LABEL_UNIFORM &&
           fabs(zero.mean) + 3 * zero.error < SMALL * largest_growth(&study->importance);
}

bool hl_heads_silent(const hl_heads_importance *study, int64_t index)
{
    hl_estimate zero = study->importance.heads[index].zero;
    return study->labels[index].kind == HL_LABEL_MIXED && zero.mean > 3 * zero.error &&
           zero.mean >= SMALL * largest_growth(&study->importance);
}

/* ---- rows ---- */

static hl_label_text label_of(const hl_heads_importance *study, int64_t index)
{
    return hl_label_text_of(study->labels[index], study->run->relations);
}

/* With up to four decimals, as many as leave a blank before the number, or in scientific notation, also where all
 * decimals would be zeros; "-" where it is not known. */
static cell number_cell(int width, double value)
{
    cell c = { "-" };
    bool vanishes = value != 0 && fabs(value) < 0.00005;
    for (int decimals = 4; decimals >= 0 && isfinite(value) && !vanishes; decimals--) {
        if (snprintf(c.text, sizeof c.text, "%.*f", decimals, value) < width) {
            return c;
        }
    }
    if (isfinite(value)) {
        snprintf(c.text, sizeof c.text, "%.0e", value);
    }
    return c;
}

static void write_estimate(hl_text *text, hl_estimate estimate)
{
    hl_text_print(text, "%*s%*s", MEAN, number_cell(MEAN, estimate.mean).text, ERROR,
                  number_cell(ERROR, estimate.error).text);
}

static void write_row(hl_text *text, const hl_heads_importance *study, int64_t index)
{
    const hl_head_importance *head = &study->importance.heads[index];
    hl_label_text label = label_of(study, index);
    int room = strlen(label.text) < LABEL ? LABEL : LABEL - 2;
    hl_text_print(text, "%-*s%-*.*s%s", NAME, hl_head_name_of(head->layer, head->head).text, room, room, label.text,
                  room < LABEL ? "~ " : "");
    write_estimate(text, head->gradient);
    hl_text_print(text, "%6.2f", head->normalised);
    write_estimate(text, head->zero);
    write_estimate(text, head->mean);
    write_estimate(text, head->uniform);
    hl_text_print(text, "\n");
}

static void write_rows(hl_text *text, const hl_heads_importance *study)
{
    static const char importance[] = "importance"; /* wider than its column, which a label seldom fills */
    hl_text_print(text, "%-*s%-*s%s%*s%6s", NAME, "head", LABEL + MEAN + 1 - (int)sizeof importance, "label",
                  importance, ERROR, "+-", "norm");
    static const char *const exact[] = { "zero", "mean", "unif" };
    for (int i = 0; i < 3; i++) {
        hl_text_print(text, "%*s%*s", MEAN, exact[i], ERROR, "+-");
    }
    hl_text_print(text, "\n");
    for (int64_t i = 0; i < study->importance.n; i++) {
        write_row(text, study, i);
    }
}

/* ---- sentences ---- */

static void write_judgement(hl_text *text, const hl_heads_importance *study, int64_t index)
{
    bool decorative = hl_heads_decorative(study, index);
    double zero = study->importance.heads[index].zero.mean;
    hl_head_name name = hl_head_name_at(&study->run->shape, index);
    if (decorative) {
        hl_text_paragraph(
            text, HL_TABLE_WIDTH,
            "%s looks decorative: it does \"%s\" (score %.2f), but without it the loss changes by "
            "%+.4f, less than a tenth of what the head that matters most costs (others may stand in for it: "
            "see --shapley).",
            name.text, label_of(study, index).text, study->labels[index].score.value, zero);
    } else {
        hl_text_paragraph(text, HL_TABLE_WIDTH,
                          "%s is a silent worker: it does no one thing that has a label, but without it the loss grows "
                          "by %.4f.",
                          name.text, zero);
    }
}

static void write_judgements(hl_text *text, const hl_heads_importance *study)
{
    bool any = false;
    for (int64_t i = 0; i < study->importance.n; i++) {
        if (hl_heads_decorative(study, i) || hl_heads_silent(study, i)) {
            write_judgement(text, study, i);
            any = true;
        }
    }
    if (!any) {
        hl_text_paragraph(text, HL_TABLE_WIDTH,
                          "No head looks decorative (a label, but no effect), and none is a silent worker (no label, "
                          "but a large effect).");
    }
}

/* ---- all sets ---- */

static void write_smallest(hl_text *text, const hl_heads_importance *study)
{
    const hl_all_subsets *all = &study->subsets;
    bool set[HL_ALL_SUBSETS_MOST_HEADS];
    for (int i = 0; i < all->n; i++) {
        set[i] = study->smallest >> i & 1;
    }
    hl_text names = { 0 };
    hl_head_set_print(&names, &study->run->shape, set);
    hl_text_fail(text, names.error);
    hl_text_paragraph(text, HL_TABLE_WIDTH,
                      "The fewest heads that keep %.0f%% of the accuracy: %d of %d (%s), of all sets of so many those "
                      "with the least loss. Accuracy %.2f%%, with all heads %.2f%%; loss %.4f, with all heads %.4f.",
                      100 * HL_IMPORTANCE_KEPT, (int)hl_head_set_size(set, all->n), all->n,
                      names.bytes != NULL ? names.bytes : "", 100 * all->accuracies[study->smallest],
                      100 * all->accuracies[(1 << all->n) - 1], all->losses[study->smallest],
                      all->losses[(1 << all->n) - 1]);
    hl_text_free(&names);
}

static void write_subsets(hl_text *text, const hl_heads_importance *study)
{
    const hl_all_subsets *all = &study->subsets;
    hl_text_print(text, "\n%-*s%10s\n", NAME, "head", "Shapley");
    for (int i = 0; i < all->n; i++) {
        hl_text_print(text, "%-*s%10.4f\n", NAME, hl_head_name_at(&study->run->shape, i).text, study->shapley[i]);
    }
    double none = all->losses[0], whole = all->losses[(1 << all->n) - 1];
    hl_text_paragraph(text, HL_TABLE_WIDTH,
                      "Shapley: what the head takes off the loss, the mean over all orders in which the heads can be "
                      "put in, from all %d sets of them. They sum to %.4f, from a loss of %.4f without heads to %.4f "
                      "with all.",
                      1 << all->n, none - whole, none, whole);
    write_smallest(text, study);
}

/* ---- all of it ---- */

/* The words follow the number as it is printed. */
static void write_orders(hl_text *text, double rank_correlation)
{
    double printed = round(100 * rank_correlation) / 100 + 0.0; /* -0 becomes 0 */
    if (isfinite(printed)) {
        hl_text_paragraph(text, HL_TABLE_WIDTH,
                          "Importance and zero %s: Spearman's rank correlation is %.2f (1: the same "
                          "order, 0: unrelated orders, -1: the reverse order).",
                          printed >= 0.9   ? "agree on the order of the heads"
                          : printed >= 0.5 ? "partly agree on the order of the heads"
                                           : "put the heads in different orders",
                          printed);
    }
}

void hl_heads_importance_table(hl_text *text, const hl_heads_importance *study)
{
    const hl_importance *all = &study->importance;
    if (study->step >= 0) {
        hl_text_paragraph(text, HL_TABLE_WIDTH, "%s, step %" PRId64, study->run->path, study->step);
    } else {
        hl_text_paragraph(text, HL_TABLE_WIDTH, "%s, on %s", study->run->path, study->run->validation);
    }
    hl_text_paragraph(text, HL_TABLE_WIDTH,
                      "What %" PRId64 " heads are worth on the %" PRId64 " example%s, where the loss is %.4f.", all->n,
                      all->n_examples, all->n_examples == 1 ? " that scores" : "s that score", all->loss);
    if (study->weights_step >= 0 && study->weights_step != study->step) {
        hl_text_paragraph(text, HL_TABLE_WIDTH, "The weights are of step %" PRId64 ", the labels of step %" PRId64 ".",
                          study->weights_step, study->step);
    }
    hl_text_print(text, "\n");
    write_rows(text, study);
    hl_text_print(text, "\n");
    hl_text_paragraph(text, HL_TABLE_WIDTH,
                      "importance: |z dL/dz| of the head's output z, by the gradient: the loss's first-order change; "
                      "norm: the same as a share of its layer (the squares sum to 1); zero, mean, unif: how much the "
                      "loss grows with z "
                      "zero, with z its mean over examples and positions, with attention spread evenly; +-: standard "
                      "errors.");
    hl_text_print(text, "\n");
    write_orders(text, all->rank_correlation);
    write_judgements(text, study);
    if (study->has_subsets) {
        write_subsets(text, study);
    }
}

/* ---- for programs ---- */

void hl_heads_importance_fields(const void *rows, int64_t index, hl_fields *fields)
{
    const hl_heads_importance *study = rows;
    const hl_head_importance *h = &study->importance.heads[index];
    const struct {
        const char *name;
        double number;
    } figures[] = { { "importance", h->gradient.mean },
                    { "importance_error", h->gradient.error },
                    { "importance_normalised", h->normalised },
                    { "zero", h->zero.mean },
                    { "zero_error", h->zero.error },
                    { "mean", h->mean.mean },
                    { "mean_error", h->mean.error },
                    { "uniform", h->uniform.mean },
                    { "uniform_error", h->uniform.error },
                    { "shapley", study->has_subsets ? study->shapley[index] : NAN } };
    hl_field_number(fields, HL_FIELD_INTEGER, "layer", h->layer);
    hl_field_number(fields, HL_FIELD_INTEGER, "head", (double)h->head);
    hl_field_text(fields, "label", label_of(study, index).text);
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++) {
        hl_field_number(fields, HL_FIELD_NUMBER, figures[i].name, figures[i].number);
    }
    hl_field_number(fields, HL_FIELD_VERDICT, "decorative", hl_heads_decorative(study, index));
    hl_field_number(fields, HL_FIELD_VERDICT, "silent", hl_heads_silent(study, index));
}

static json_t *smallest_set(const hl_heads_importance *study)
{
    if (!study->has_subsets) {
        return json_null();
    }
    json_t *heads = json_array();
    for (int i = 0; i < study->subsets.n; i++) {
        if (study->smallest >> i & 1) {
            hl_json_append(&heads, json_string(hl_head_name_at(&study->run->shape, i).text));
        }
    }
    return json_pack("{s:o, s:o, s:o}", "heads", heads, "loss", hl_json_number(study->subsets.losses[study->smallest]),
                     "accuracy", hl_json_number(study->subsets.accuracies[study->smallest]));
}

void hl_heads_importance_json(hl_text *text, const hl_heads_importance *study)
{
    const hl_importance *all = &study->importance;
    json_t *heads = hl_fields_json(hl_heads_importance_fields, study, all->n);
    json_t *step = study->step >= 0 ? json_integer(study->step) : json_null();
    json_t *weights_step = study->weights_step >= 0 ? json_integer(study->weights_step) : json_null();
    json_t *root =
        json_pack("{s:o, s:o, s:I, s:o, s:o, s:o, s:o}", "step", step, "weights_step", weights_step, "examples",
                  (json_int_t)all->n_examples, "loss", hl_json_number(all->loss), "rank_correlation",
                  hl_json_number(all->rank_correlation), "heads", heads, "smallest_set", smallest_set(study));
    hl_json_print_document(text, root);
}

void hl_heads_importance_csv(hl_text *text, const hl_heads_importance *study)
{
    hl_fields_csv(text, hl_heads_importance_fields, study, study->importance.n);
}
