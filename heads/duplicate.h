/* How much a head attends to the other occurrences of the query's own token: x_j = x_i, j != i. Special tokens count
 * neither as queries nor as keys. */
#pragma once

#include "core/base/declarations.h"
#include "heads/key_share.h"

HL_BEGIN_DECLS

/* duplicate: the mean of the total weight on the other occurrences, over the queries that may attend to at least one.
 * The baseline is the fraction of the n_i keys that are such occurrences. All zero if there are no such queries, or if
 * the tokens are not known. */
hl_score hl_duplicate_of(const hl_patterns *patterns);

/* The same for only the earlier and only the later occurrences, each over the queries that may attend to at least
 * one. */
hl_score hl_duplicate_past_of(const hl_patterns *patterns);
hl_score hl_duplicate_future_of(const hl_patterns *patterns);

/* The kind of keys that `duplicate` measures. */
bool hl_duplicate_kind(const hl_pattern *pattern, int64_t query, int64_t key);

HL_END_DECLS
