#include "programs/heads/importance.h"

#include "core/files/json_text.h"
#include "heads/head_set.h"
#include "show/table.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { NAME = 7, LABEL = 11, CELL = 24, SHORT = 14, SHORT_NUMBER = 6, LONG = 16, LONG_NUMBER = 7 };

typedef struct cell {
    char text[CELL];
} cell;

/* ---- verdicts ---- */

typedef enum verdict {
    PLAIN,
    /* It has a label, but the loss hardly changes without it: the growth plus three standard errors is less than a
     * tenth of the largest growth of all heads. */
    DECORATIVE,
    /* It has no label (it is mixed), but without it the loss grows by more than three standard errors, and by at least
     * a tenth of the largest growth of all heads. */
    SILENT
} verdict;

static verdict verdict_of(const hl_heads_importance *study, int64_t index)
{
    const hl_importance *all = &study->importance;
    hl_estimate zero = all->heads[index].zero;
    hl_label_kind kind = study->labels[index].kind;
    double largest = 0;
    for (int64_t i = 0; i < all->n; i++) {
        largest = fmax(largest, all->heads[i].zero.mean);
    }
    double small = 0.1 * largest;
    if (kind < HL_LABEL_UNIFORM && fabs(zero.mean) + 3 * zero.error < small) {
        return DECORATIVE;
    }
    bool large = zero.mean > 3 * zero.error && zero.mean >= small;
    return kind == HL_LABEL_MIXED && large ? SILENT : PLAIN;
}

/* ---- rows ---- */

static hl_label_text label_of(const hl_heads_importance *study, int64_t index)
{
    return hl_label_text_of(study->labels[index], study->run->relations);
}

/* With up to four decimals, as many as make it narrower than `width`, or in scientific notation where these would be
 * zeros, or all but one of them in a narrow column; "-" where it is not known. */
static cell number_cell(int width, double value)
{
    cell c = { "-" };
    bool vanishes = value != 0 && fabs(value) < (width < LONG_NUMBER ? 0.002 : 0.00005);
    for (int decimals = 4; decimals >= 0 && isfinite(value) && !vanishes; decimals--) {
        if (snprintf(c.text, sizeof c.text, "%.*f", decimals, value) < width) {
            return c;
        }
    }
    if (fabs(value) < 1e99) {
        snprintf(c.text, sizeof c.text, "%.0e", value);
    } else if (isfinite(value)) {
        snprintf(c.text, sizeof c.text, "%s", value > 0 ? ">1e99" : "<-1e99");
    }
    return c;
}

/* "0.2820 (0.0500)": the mean and its standard error, each narrower than `number`, at the end of a column. */
static void write_estimate(hl_text *text, int column, int number, hl_estimate estimate)
{
    char both[2 * CELL + 4];
    snprintf(both, sizeof both, "%s (%s)", number_cell(number, estimate.mean).text,
             number_cell(number, estimate.error).text);
    hl_text_print(text, "%*s", column, both);
}

static void write_row(hl_text *text, const hl_heads_importance *study, int64_t index)
{
    const hl_head_importance *head = &study->importance.heads[index];
    hl_label_text label = label_of(study, index);
    int room = strlen(label.text) <= LABEL ? LABEL : LABEL - 1;
    hl_text_print(text, "%-*s%-*.*s%s", NAME, hl_head_name_of(head->layer, head->head).text, room, room, label.text,
                  room < LABEL ? "~" : "");
    write_estimate(text, SHORT, SHORT_NUMBER, head->gradient);
    write_estimate(text, LONG, LONG_NUMBER, head->zero);
    write_estimate(text, LONG, LONG_NUMBER, head->mean);
    write_estimate(text, LONG, LONG_NUMBER, head->uniform);
    hl_text_print(text, "\n");
}

/* ---- sentences ---- */

static void write_judgement(hl_text *text, const hl_heads_importance *study, int64_t index, verdict judged)
{
    double zero = study->importance.heads[index].zero.mean;
    hl_head_name name = hl_head_name_at(&study->run->shape, index);
    if (judged == DECORATIVE) {
        hl_text_paragraph(
            text, HL_TABLE_WIDTH,
            "%s looks decorative: its label is \"%s\" (score %.2f), but without it the loss changes by "
            "%+.4f, less than a tenth of the growth without the head that matters most. Other heads may take over "
            "its work: see --shapley.",
            name.text, label_of(study, index).text, study->labels[index].score.value, zero);
    } else {
        hl_text_paragraph(text, HL_TABLE_WIDTH,
                          "%s is a silent worker: it has no label, but without it the loss grows by %.4f.", name.text,
                          zero);
    }
}

static void write_judgements(hl_text *text, const hl_heads_importance *study)
{
    bool any = false;
    for (int64_t i = 0; i < study->importance.n; i++) {
        verdict judged = verdict_of(study, i);
        if (judged != PLAIN) {
            write_judgement(text, study, i, judged);
            any = true;
        }
    }
    if (!any) {
        hl_text_paragraph(
            text, HL_TABLE_WIDTH,
            "No head looks decorative (a label, but no effect). No head is a silent worker (no label, but a "
            "large effect).");
    }
}

/* ---- all sets ---- */

static void smallest_set(const hl_heads_importance *study, bool set[HL_ALL_SUBSETS_MOST_HEADS])
{
    for (int i = 0; i < study->subsets.n; i++) {
        set[i] = study->smallest >> i & 1;
    }
}

static void write_smallest(hl_text *text, const hl_heads_importance *study)
{
    const hl_all_subsets *all = &study->subsets;
    bool set[HL_ALL_SUBSETS_MOST_HEADS];
    smallest_set(study, set);
    hl_text names = { 0 };
    hl_head_set_print(&names, &study->run->shape, set);
    hl_text_paragraph(
        text, HL_TABLE_WIDTH,
        "The fewest heads that keep %.0f%% of the accuracy: %d of %d (%s). Of all sets of this size, it has "
        "the least loss. Accuracy %.2f%%, with all heads %.2f%%; loss %.4f, with all heads %.4f.",
        100 * HL_IMPORTANCE_KEPT, (int)hl_head_set_size(set, all->n), all->n, hl_text_part(text, &names),
        100 * all->accuracies[study->smallest], 100 * all->accuracies[(1 << all->n) - 1], all->losses[study->smallest],
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
    hl_text_paragraph(
        text, HL_TABLE_WIDTH,
        "Shapley: how much the head reduces the loss, averaged over all orders in which heads can be added, "
        "from all %d sets of heads. The values sum to %.4f, from a loss of %.4f without heads to %.4f with "
        "all.",
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
    hl_text_print(text, "%-*s%-*s%*s%*s%*s%*s\n", NAME, "head", LABEL, "label", SHORT, "importance", LONG, "zero", LONG,
                  "mean", LONG, "uniform");
    for (int64_t i = 0; i < study->importance.n; i++) {
        write_row(text, study, i);
    }
    hl_text_print(text, "\n");
    hl_text_paragraph(text, HL_TABLE_WIDTH,
                      "importance: |z dL/dz| for the head's output z, by the gradient: the loss's first-order change. "
                      "zero, mean, uniform: how much the loss grows if z is zero, if z is its mean over examples and "
                      "positions, if attention is spread evenly. In brackets: standard errors.");
    hl_text_print(text, "\n");
    write_orders(text, all->rank_correlation);
    write_judgements(text, study);
    if (study->has_subsets) {
        write_subsets(text, study);
    }
}

/* ---- for programs ---- */

void hl_heads_importance_row_of(const void *context, int64_t index, hl_row *row)
{
    const hl_heads_importance *study = context;
    const hl_head_importance *h = &study->importance.heads[index];
    hl_row_integer(row, NULL, "layer", h->layer);
    hl_row_integer(row, NULL, "head", h->head);
    hl_row_text(row, NULL, "label", "%s", label_of(study, index).text);
    hl_row_number(row, NULL, "importance", 0, h->gradient.mean);
    hl_row_number(row, NULL, "importance_error", 0, h->gradient.error);
    hl_row_number(row, NULL, "importance_normalised", 0, h->normalised);
    hl_row_number(row, NULL, "zero", 0, h->zero.mean);
    hl_row_number(row, NULL, "zero_error", 0, h->zero.error);
    hl_row_number(row, NULL, "mean", 0, h->mean.mean);
    hl_row_number(row, NULL, "mean_error", 0, h->mean.error);
    hl_row_number(row, NULL, "uniform", 0, h->uniform.mean);
    hl_row_number(row, NULL, "uniform_error", 0, h->uniform.error);
    hl_row_number(row, NULL, "shapley", 0, study->has_subsets ? study->shapley[index] : NAN);
    verdict judged = verdict_of(study, index);
    hl_row_truth(row, "decorative", judged == DECORATIVE);
    hl_row_truth(row, "silent", judged == SILENT);
}

json_t *hl_heads_set_json(const hl_model_config *shape, const bool *set)
{
    json_t *names = json_array();
    for (int64_t i = 0; i < hl_heads_count(shape); i++) {
        if (set[i]) {
            hl_json_append(&names, json_string(hl_head_name_at(shape, i).text));
        }
    }
    return names;
}

static json_t *smallest_json(const hl_heads_importance *study)
{
    const hl_all_subsets *all = &study->subsets;
    bool set[HL_ALL_SUBSETS_MOST_HEADS];
    smallest_set(study, set);
    return json_pack("{s:o, s:o, s:o}", "heads", hl_heads_set_json(&study->run->shape, set), "loss",
                     hl_json_number(all->losses[study->smallest]), "accuracy",
                     hl_json_number(all->accuracies[study->smallest]));
}

void hl_heads_importance_json(hl_text *text, const hl_heads_importance *study)
{
    const hl_importance *all = &study->importance;
    json_t *heads = hl_results_json((hl_results){ hl_heads_importance_row_of, study, all->n });
    json_t *step = study->step >= 0 ? json_integer(study->step) : json_null();
    json_t *weights_step = study->weights_step >= 0 ? json_integer(study->weights_step) : json_null();
    json_t *root = json_pack("{s:o, s:o, s:I, s:o, s:o, s:o, s:o}", "step", step, "weights_step", weights_step,
                             "examples", (json_int_t)all->n_examples, "loss", hl_json_number(all->loss),
                             "rank_correlation", hl_json_number(all->rank_correlation), "heads", heads, "smallest_set",
                             study->has_subsets ? smallest_json(study) : json_null());
    hl_json_print_document(text, root);
}
