/* What metrics of this form have in common: how much of a query's attention falls on keys of a certain kind, such as
 * the other occurrences of its token. A perfect head has all of it there: 1. */
#ifndef HL_HEADS_KEY_SHARE_H
#define HL_HEADS_KEY_SHARE_H

#include "core/declarations.h"
#include "heads/pattern.h"
#include "heads/score.h"

HL_BEGIN_DECLS

/* Whether key j is of the kind for query i; asked for j in 0 .. n_i - 1 alone. */
typedef bool hl_key_kind(const hl_pattern *pattern, int64_t query, int64_t key);

typedef enum hl_share_of {
    HL_SHARE_OF_ALL,   /* the mean is over all real queries */
    HL_SHARE_OF_KEYED, /* only over those that may attend to a key of the kind */
} hl_share_of;

/* The mean over queries of the total weight on keys of the kind; its baseline is the mean of their share of n_i. */
hl_score hl_key_share(const hl_patterns *patterns, hl_key_kind *kind, hl_share_of queries);

HL_END_DECLS

#endif
