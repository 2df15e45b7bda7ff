/* What heads grammar --importance found: how much each head matters, which relation it earns, and whether pruning in
 * order of importance would keep the heads that earn one, as Voita et al. 2019 ask (arXiv:1905.09418). */
#ifndef HL_PROGRAMS_HEADS_IMPORTANCE_SYNTAX_H
#define HL_PROGRAMS_HEADS_IMPORTANCE_SYNTAX_H

#include "core/base/status.h"
#include "programs/heads/deliver.h"
#include "programs/heads/importance_table.h"
#include "study/syntax_study.h"

#include <stdint.h>

enum { HL_ORDERS = 2, HL_PRUNED_STEPS = 3 };

/* Free it with hl_heads_importance_syntax_free. The studies are not owned. */
typedef struct hl_heads_importance_syntax {
    const hl_heads_importance *importance;
    const hl_syntax_study *syntax;
    int64_t n, n_syntactic;    /* heads, and those that earn a relation */
    int64_t *ranks[HL_ORDERS]; /* (n): by gradient, by the loss with z zero; 1 matters most, of equals the first */
} hl_heads_importance_syntax;

/* Both studies must be of the same model. HL_NO_MEMORY; *both is then empty. */
hl_status hl_heads_importance_syntax_make(hl_heads_importance_syntax *both, const hl_heads_importance *importance,
                                          const hl_syntax_study *syntax);
void hl_heads_importance_syntax_free(hl_heads_importance_syntax *both);

/* What is left after 25%, 50% and 75% of the heads are pruned, the least important first. */
typedef struct hl_pruned_step {
    int percent;
    int64_t left, kept; /* heads, and of those that earn a relation */
    double expected;    /* the mean of `kept` if heads are pruned at random */
    double p;           /* the probability that so many or more are kept by chance: the upper tail of the hypergeometric
                           distribution (Fisher's exact test, one-sided) */
} hl_pruned_step;
hl_pruned_step hl_pruned_step_of(const hl_heads_importance_syntax *both, int order, int step);

/* Adds the table: a row a head, the most important first; what is kept at each step; what the columns mean. The same
 * tables as Markdown. JSON: {"step", "weights_step", "examples", "loss", "sentences", "heads": [those of
 * hl_heads_importance_json, with "gradient_rank", "zero_rank", "relation", "held_out", "held_out_baseline"], "pruned":
 * [{"order" ("gradient" or "zero"), "percent", "left", "syntactic", "kept", "expected", "p"}]}; CSV: the heads.
 * HL_NO_MEMORY is left on the texts. */
void hl_heads_importance_syntax_answer(hl_heads_answer *answer, const hl_heads_importance_syntax *both);

#endif
