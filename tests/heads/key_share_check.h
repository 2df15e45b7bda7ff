/* What the metrics of heads/shares.h are compared with: the definition, word by word, with sets of keys. */
#pragma once

#include "heads/shares.h"
#include "tests/heads/made_up.h"

/* Puts into `keys` (T) which ones query i of example e is to attend to, whether it may or not. */
typedef void key_share_rule(made_up *m, int64_t e, int64_t i, bool *keys);

/* `all`: the mean is over all queries; else over those that may attend to a key of the set. */
hl_score key_share_naive(made_up *m, key_share_rule *rule, bool all);

/* The metric on random patterns, on even spreads and on heads that attend to nothing but a key of the set. */
void key_share_check(hl_score (*metric)(const hl_patterns *patterns), key_share_rule *rule, bool all, uint64_t seed);
