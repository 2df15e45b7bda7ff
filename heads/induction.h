/* How much a head attends to the tokens right after earlier occurrences of the query's own token: x_{j-1} = x_i with j
 * - 1 < i (Olsson et al. 2022, "In-context Learning and Induction Heads"). Special tokens count neither as queries nor
 * as keys. */
#pragma once

#include "core/base/declarations.h"
#include "heads/key_share.h"

HL_BEGIN_DECLS

/* induction: the mean of the total weight on such keys, over the queries that may attend to at least one. The baseline
 * is the fraction of the n_i keys that are such keys. If a token follows itself, the second one is such a key. All zero
 * if there are no such queries, or if the tokens are not known. */
hl_score hl_induction_of(const hl_patterns *patterns);

/* The mirror image: the same for the tokens right before later occurrences, x_{j+1} = x_i with j + 1 > i. */
hl_score hl_induction_mirrored_of(const hl_patterns *patterns);

/* The kind of keys that `induction` measures. */
bool hl_induction_kind(const hl_pattern *pattern, int64_t query, int64_t key);

HL_END_DECLS
