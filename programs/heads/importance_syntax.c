#include "programs/heads/importance_syntax.h"

#include "core/base/memory.h"
#include "core/base/text_grid.h"
#include "core/base/units.h"
#include "core/files/json_text.h"
#include "heads/head_set.h"
#include "show/table.h"

#include <inttypes.h>
#include <math.h>

static const char *const orders[HL_ORDERS] = { "gradient", "zero" };

/* ---- what is found ---- */

static double importance_of(const hl_heads_importance_syntax *both, int order, int64_t head)
{
    const hl_head_importance *h = &both->importance->importance.heads[head];
    return order == 0 ? h->gradient.mean : h->zero.mean;
}

hl_status hl_heads_importance_syntax_make(hl_heads_importance_syntax *both, const hl_heads_importance *importance,
                                          const hl_syntax_study *syntax)
{
    int64_t n = importance->importance.n;
    *both = (hl_heads_importance_syntax){ .importance = importance, .syntax = syntax, .n = n };
    both->ranks[0] = hl_calloc((size_t)n, sizeof *both->ranks[0]);
    both->ranks[1] = hl_calloc((size_t)n, sizeof *both->ranks[1]);
    if (both->ranks[0] == NULL || both->ranks[1] == NULL) {
        hl_heads_importance_syntax_free(both);
        return hl_error_memory("the heads of a treebank");
    }
    for (int64_t head = 0; head < n; head++) {
        both->n_syntactic += syntax->labels[head].relation >= 0;
        for (int order = 0; order < HL_ORDERS; order++) {
            double own = importance_of(both, order, head);
            int64_t rank = 1;
            for (int64_t other = 0; other < n; other++) {
                double its = importance_of(both, order, other);
                rank += its > own || (its == own && other < head);
            }
            both->ranks[order][head] = rank;
        }
    }
    return hl_ok();
}

void hl_heads_importance_syntax_free(hl_heads_importance_syntax *both)
{
    hl_free(both->ranks[0]);
    hl_free(both->ranks[1]);
    *both = (hl_heads_importance_syntax){ 0 };
}

/* ln of the ways to choose k of n. */
static double ln_choose(int64_t n, int64_t k)
{
    return lgamma((double)n + 1) - lgamma((double)k + 1) - lgamma((double)(n - k) + 1);
}

/* The chance that of `drawn` heads out of n, `marked` of which are marked, `found` or more are. */
static double chance_of(int64_t n, int64_t marked, int64_t drawn, int64_t found)
{
    double sum = 0;
    for (int64_t i = found; i <= marked && i <= drawn; i++) {
        if (drawn - i <= n - marked) {
            sum += exp(ln_choose(marked, i) + ln_choose(n - marked, drawn - i) - ln_choose(n, drawn));
        }
    }
    return fmin(sum, 1);
}

hl_pruned_step hl_pruned_step_of(const hl_heads_importance_syntax *both, int order, int step)
{
    hl_pruned_step s = { .percent = 100 * (step + 1) / (HL_PRUNED_STEPS + 1) };
    s.left = both->n - both->n * s.percent / 100;
    for (int64_t head = 0; head < both->n; head++) {
        s.kept += both->syntax->labels[head].relation >= 0 && both->ranks[order][head] <= s.left;
    }
    s.expected = (double)(both->n_syntactic * s.left) / (double)both->n;
    s.p = chance_of(both->n, both->n_syntactic, s.left, s.kept);
    return s;
}

/* ---- for a person ---- */

static hl_status make_heads(const hl_heads_importance_syntax *both, hl_text_grid *grid)
{
    static const char *const titles[] = { "head", "importance", "rank", "zero", "rank", "relation", "held", "base" };
    enum { COLUMNS = sizeof titles / sizeof *titles };
    HL_TRY(hl_text_grid_init(grid, both->n + 1, COLUMNS));
    for (int c = 0; c < COLUMNS; c++) {
        hl_text_grid_set(grid, 0, c, "%s", titles[c]);
    }
    for (int64_t head = 0; head < both->n; head++) {
        int64_t row = both->ranks[1][head];
        hl_text_grid_set(grid, row, 0, "%s", hl_head_name_at(&both->importance->run->shape, head).text);
        for (int order = 0; order < HL_ORDERS; order++) {
            hl_text_grid_set(grid, row, 1 + 2 * order, "%.4f", importance_of(both, order, head));
            hl_text_grid_set(grid, row, 2 + 2 * order, "%" PRId64, both->ranks[order][head]);
        }
        const hl_syntax_label *label = &both->syntax->labels[head];
        if (label->relation >= 0) {
            hl_text_grid_set(grid, row, 5, "%s", label->name);
            hl_text_grid_set(grid, row, 6, "%.1f", 100 * hl_syntax_share(label->held_out.found));
            hl_text_grid_set(grid, row, 7, "%.1f", 100 * hl_syntax_share(label->held_out.baseline));
        }
    }
    return grid->error;
}

static hl_status make_steps(const hl_heads_importance_syntax *both, hl_text_grid *grid)
{
    static const char *const titles[] = { "pruned", "heads left", "by gradient", "p", "by zero", "p", "by chance" };
    enum { COLUMNS = sizeof titles / sizeof *titles };
    HL_TRY(hl_text_grid_init(grid, HL_PRUNED_STEPS + 1, COLUMNS));
    for (int c = 0; c < COLUMNS; c++) {
        hl_text_grid_set(grid, 0, c, "%s", titles[c]);
    }
    for (int step = 0; step < HL_PRUNED_STEPS; step++) {
        for (int order = 0; order < HL_ORDERS; order++) {
            hl_pruned_step s = hl_pruned_step_of(both, order, step);
            hl_text_grid_set(grid, step + 1, 2 + 2 * order, "%" PRId64, s.kept);
            hl_text_grid_set(grid, step + 1, 3 + 2 * order, "%.2g", s.p);
            hl_text_grid_set(grid, step + 1, 0, "%d%%", s.percent);
            hl_text_grid_set(grid, step + 1, 1, "%" PRId64, s.left);
            hl_text_grid_set(grid, step + 1, 6, "%.1f", s.expected);
        }
    }
    return grid->error;
}

void hl_heads_importance_syntax_table(hl_text *text, const hl_heads_importance_syntax *both)
{
    const hl_importance *importance = &both->importance->importance;
    hl_text_grid heads, steps;
    hl_text_paragraph(text, HL_TABLE_WIDTH,
                      "%s: %" PRId64 " heads, on the %" PRId64
                      " examples that score, where the loss is %.4f, and on %s sentences of the treebank.",
                      both->importance->run->path, both->n, importance->n_examples, importance->loss,
                      HL_COUNT(hl_treebank_size(both->syntax->treebank)));
    hl_text_print(text, "\n");
    hl_text_fail(text, make_heads(both, &heads));
    hl_text_fail(text, make_steps(both, &steps));
    hl_text_grid_print(&heads, HL_TABLE_WIDTH, 1, true, text);
    hl_text_print(text, "\n");
    hl_text_paragraph(
        text, HL_TABLE_WIDTH,
        "importance, zero: how much the loss depends on the head, by its gradient and by how much the loss "
        "grows without it. relation: that the head earns as a label; held, base: per cent that it and "
        "the best fixed offset find in sentences 1, 3, 5 .... Sentences 0, 2, 4 ... choose the head's "
        "way; sentences 1, 3, 5 ... choose the offset.");
    hl_text_print(text, "\n");
    if (both->n_syntactic == 0) {
        hl_text_paragraph(text, HL_TABLE_WIDTH, "No head earns a relation: there is none that pruning could keep.");
        hl_text_grid_free(&heads);
        hl_text_grid_free(&steps);
        return;
    }
    hl_text_paragraph(text, HL_TABLE_WIDTH,
                      "%" PRId64 " of %" PRId64
                      " heads earn a relation. Pruned in order of importance, the least important first, so many of "
                      "them are kept:",
                      both->n_syntactic, both->n);
    hl_text_print(text, "\n");
    hl_text_grid_print(&steps, HL_TABLE_WIDTH, 2, true, text);
    hl_text_print(text, "\n");
    hl_text_paragraph(text, HL_TABLE_WIDTH,
                      "by chance: where heads are pruned at random, the mean; p: the chance that so many or more are "
                      "then kept (hypergeometric, Fisher's exact test, one-sided).");
    hl_text_grid_free(&heads);
    hl_text_grid_free(&steps);
}

void hl_heads_importance_syntax_markdown(hl_text *text, const hl_heads_importance_syntax *both)
{
    hl_text_grid grid;
    hl_text_fail(text, make_heads(both, &grid));
    hl_text_grid_markdown(&grid, text);
    hl_text_grid_free(&grid);
    hl_text_print(text, "\n");
    hl_text_fail(text, make_steps(both, &grid));
    hl_text_grid_markdown(&grid, text);
    hl_text_grid_free(&grid);
}

/* ---- for programs ---- */

static void fields_of_head(const void *rows, int64_t head, hl_fields *fields)
{
    const hl_heads_importance_syntax *both = rows;
    const hl_syntax_label *label = &both->syntax->labels[head];
    hl_heads_importance_fields(both->importance, head, fields);
    hl_field_number(fields, HL_FIELD_INTEGER, "gradient_rank", (double)both->ranks[0][head]);
    hl_field_number(fields, HL_FIELD_INTEGER, "zero_rank", (double)both->ranks[1][head]);
    hl_field_text(fields, "relation", label->relation >= 0 ? label->name : "");
    hl_field_number(fields, HL_FIELD_NUMBER, "held_out", hl_syntax_share(label->held_out.found));
    hl_field_number(fields, HL_FIELD_NUMBER, "held_out_baseline", hl_syntax_share(label->held_out.baseline));
}

static void fields_of_step(const void *rows, int64_t row, hl_fields *fields)
{
    const hl_heads_importance_syntax *both = rows;
    int order = (int)(row / HL_PRUNED_STEPS);
    hl_pruned_step s = hl_pruned_step_of(both, order, (int)(row % HL_PRUNED_STEPS));
    hl_field_text(fields, "order", orders[order]);
    hl_field_number(fields, HL_FIELD_INTEGER, "percent", s.percent);
    hl_field_number(fields, HL_FIELD_INTEGER, "left", (double)s.left);
    hl_field_number(fields, HL_FIELD_INTEGER, "syntactic", (double)both->n_syntactic);
    hl_field_number(fields, HL_FIELD_INTEGER, "kept", (double)s.kept);
    hl_field_number(fields, HL_FIELD_NUMBER, "expected", s.expected);
    hl_field_number(fields, HL_FIELD_NUMBER, "p", s.p);
}

void hl_heads_importance_syntax_json(hl_text *text, const hl_heads_importance_syntax *both)
{
    const hl_heads_importance *study = both->importance;
    json_t *step = study->step >= 0 ? json_integer(study->step) : json_null();
    json_t *weights_step = study->weights_step >= 0 ? json_integer(study->weights_step) : json_null();
    hl_json_print_document(text, json_pack("{s:o, s:o, s:I, s:o, s:I, s:o, s:o}", "step", step, "weights_step",
                                           weights_step, "examples", (json_int_t)study->importance.n_examples, "loss",
                                           hl_json_number(study->importance.loss), "sentences",
                                           (json_int_t)hl_treebank_size(both->syntax->treebank), "heads",
                                           hl_fields_json(fields_of_head, both, both->n), "pruned",
                                           hl_fields_json(fields_of_step, both, (int64_t)HL_ORDERS * HL_PRUNED_STEPS)));
}

void hl_heads_importance_syntax_csv(hl_text *text, const hl_heads_importance_syntax *both)
{
    hl_fields_csv(text, fields_of_head, both, both->n);
}
