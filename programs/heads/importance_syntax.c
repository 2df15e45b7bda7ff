#include "programs/heads/importance_syntax.h"

#include "core/base/memory.h"
#include "core/base/units.h"
#include "core/files/json_text.h"
#include "heads/head_set.h"
#include "show/table.h"

#include <inttypes.h>
#include <math.h>

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

/* A share of the head's relation; people see nothing where the head earns none. */
static void add_share(hl_row *row, const char *title, const char *key, const hl_syntax_label *label,
                      hl_syntax_rate rate)
{
    if (label->relation >= 0) {
        hl_row_share(row, title, key, hl_syntax_share(rate));
    } else {
        hl_row_text(row, title, NULL, "%s", "");
        hl_row_share(row, NULL, key, hl_syntax_share(rate));
    }
}

static void row_of_head(const void *context, int64_t head, hl_row *row)
{
    static const char *const titles[] = { "importance", "zero" }, *const ranks[] = { "gradient_rank", "zero_rank" };
    const hl_heads_importance_syntax *both = context;
    const hl_syntax_label *label = &both->syntax->labels[head];
    hl_heads_importance_row_of(both->importance, head, row);
    hl_row_text(row, "head", NULL, "%s", hl_head_name_at(&both->importance->run->shape, head).text);
    for (int order = 0; order < HL_ORDERS; order++) {
        hl_row_number(row, titles[order], NULL, 4, importance_of(both, order, head));
        hl_row_integer(row, "rank", ranks[order], both->ranks[order][head]);
    }
    hl_row_text(row, "relation", "relation", "%s", label->relation >= 0 ? label->name : "");
    add_share(row, "held", "held_out", label, label->held_out.found);
    add_share(row, "base", "held_out_baseline", label, label->held_out.baseline);
}

/* The same in the order of the loss with z zero, the head that matters most first. */
static void row_of_rank(const void *context, int64_t index, hl_row *row)
{
    const hl_heads_importance_syntax *both = context;
    int64_t head = 0;
    while (head < both->n - 1 && both->ranks[1][head] != index + 1) {
        head++;
    }
    row_of_head(both, head, row);
}

static void row_of_step(const void *context, int64_t step, hl_row *row)
{
    const hl_heads_importance_syntax *both = context;
    const hl_pruned_step steps[] = { hl_pruned_step_of(both, 0, (int)step), hl_pruned_step_of(both, 1, (int)step) };
    hl_row_text(row, "pruned", NULL, "%d%%", steps[0].percent);
    hl_row_integer(row, "heads left", NULL, steps[0].left);
    for (int order = 0; order < HL_ORDERS; order++) {
        hl_row_integer(row, order == 0 ? "by gradient" : "by zero", NULL, steps[order].kept);
        hl_row_text(row, "p", NULL, "%.2g", steps[order].p);
    }
    hl_row_number(row, "by chance", NULL, 1, steps[0].expected);
}

static void write_table(hl_text *text, const hl_heads_importance_syntax *both)
{
    const hl_importance *importance = &both->importance->importance;
    hl_text_paragraph(text, HL_TABLE_WIDTH,
                      "%s: %" PRId64 " heads, on the %" PRId64
                      " examples that score, where the loss is %.4f, and on %s sentences of the treebank.",
                      both->importance->run->path, both->n, importance->n_examples, importance->loss,
                      HL_COUNT(hl_treebank_size(both->syntax->treebank)));
    hl_results_print_apart(text, (hl_results){ row_of_rank, both, both->n }, HL_TABLE_WIDTH, 1);
    hl_text_paragraph(
        text, HL_TABLE_WIDTH,
        "importance, zero: how much the loss depends on the head, by its gradient and by how much the loss "
        "grows without it. relation: that the head earns as a label; held, base: per cent that it and "
        "the best fixed offset find in sentences 1, 3, 5 .... Sentences 0, 2, 4 ... choose the head's "
        "way; sentences 1, 3, 5 ... choose the offset.");
    hl_text_print(text, "\n");
    if (both->n_syntactic == 0) {
        hl_text_paragraph(text, HL_TABLE_WIDTH, "No head earns a relation: there is none that pruning could keep.");
        return;
    }
    hl_text_paragraph(text, HL_TABLE_WIDTH,
                      "%" PRId64 " of %" PRId64
                      " heads earn a relation. Pruned in order of importance, the least important first, so many of "
                      "them are kept:",
                      both->n_syntactic, both->n);
    hl_results_print_apart(text, (hl_results){ row_of_step, both, HL_PRUNED_STEPS }, HL_TABLE_WIDTH, 2);
    hl_text_paragraph(text, HL_TABLE_WIDTH,
                      "by chance: where heads are pruned at random, the mean; p: the chance that so many or more are "
                      "then kept (hypergeometric, Fisher's exact test, one-sided).");
}

/* ---- for programs ---- */

/* A step in one order. */
static void row_of_pruned(const void *context, int64_t index, hl_row *row)
{
    const hl_heads_importance_syntax *both = context;
    int order = (int)(index / HL_PRUNED_STEPS);
    hl_pruned_step s = hl_pruned_step_of(both, order, (int)(index % HL_PRUNED_STEPS));
    hl_row_text(row, NULL, "order", "%s", order == 0 ? "gradient" : "zero");
    hl_row_integer(row, NULL, "percent", s.percent);
    hl_row_integer(row, NULL, "left", s.left);
    hl_row_integer(row, NULL, "syntactic", both->n_syntactic);
    hl_row_integer(row, NULL, "kept", s.kept);
    hl_row_number(row, NULL, "expected", 0, s.expected);
    hl_row_number(row, NULL, "p", 0, s.p);
}

void hl_heads_importance_syntax_answer(hl_heads_answer *answer, const hl_heads_importance_syntax *both)
{
    write_table(&answer->table, both);
    const hl_heads_importance *study = both->importance;
    json_t *step = study->step >= 0 ? json_integer(study->step) : json_null();
    json_t *weights_step = study->weights_step >= 0 ? json_integer(study->weights_step) : json_null();
    hl_json_print_document(
        &answer->json,
        json_pack("{s:o, s:o, s:I, s:o, s:I, s:o, s:o}", "step", step, "weights_step", weights_step, "examples",
                  (json_int_t)study->importance.n_examples, "loss", hl_json_number(study->importance.loss), "sentences",
                  (json_int_t)hl_treebank_size(both->syntax->treebank), "heads",
                  hl_results_json((hl_results){ row_of_head, both, both->n }), "pruned",
                  hl_results_json((hl_results){ row_of_pruned, both, (int64_t)HL_ORDERS * HL_PRUNED_STEPS })));
    hl_results_csv(&answer->csv, (hl_results){ row_of_head, both, both->n });
    hl_results_markdown(&answer->markdown, (hl_results){ row_of_rank, both, both->n });
    hl_text_print(&answer->markdown, "\n");
    hl_results_markdown(&answer->markdown, (hl_results){ row_of_step, both, HL_PRUNED_STEPS });
}
