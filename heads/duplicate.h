/* How much a head attends to the other occurrences of the query's own token: x_j = x_i, j != i. Special tokens are
 * neither query nor key. */
#ifndef HL_HEADS_DUPLICATE_H
#define HL_HEADS_DUPLICATE_H

#include "core/base/declarations.h"
#include "heads/key_share.h"

HL_BEGIN_DECLS

/* duplicate: the mean of the total weight on the other occurrences, over the queries that may attend to one; its
 * baseline is their fraction of n_i. All zero where there are none, or the tokens are not known. */
hl_score hl_duplicate_of(const hl_patterns *patterns);

/* The same for the earlier and for the later occurrences alone, each over the queries that may attend to one. */
hl_score hl_duplicate_past_of(const hl_patterns *patterns);
hl_score hl_duplicate_future_of(const hl_patterns *patterns);

/* The kind of keys that `duplicate` is about. */
bool hl_duplicate_kind(const hl_pattern *pattern, int64_t query, int64_t key);

HL_END_DECLS

#endif
