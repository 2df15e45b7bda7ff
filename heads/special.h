/* How much a head attends to special tokens and to the first position, where heads look if they have no use for a
 * query. */
#pragma once

#include "core/base/declarations.h"
#include "heads/key_share.h"

HL_BEGIN_DECLS

/* special: the mean over all queries of the weight on separator and mask tokens; in text, separators such as [SEP]
 * only. A separator at position 0 that stands before the text does not count (<|endoftext|> is both); `first` measures
 * it. The baseline is the fraction of the n_i keys that are such tokens. All zero if the tokens are not known. */
hl_score hl_special_of(const hl_patterns *patterns);

/* first: the mean over all queries of the weight on position 0, in models with a token such as [CLS] there. The
 * baseline is the mean of 1 / n_i. */
hl_score hl_first_of(const hl_patterns *patterns);

/* The kinds of keys that these metrics measure. */
bool hl_special_kind(const hl_pattern *pattern, int64_t query, int64_t key);
bool hl_first_kind(const hl_pattern *pattern, int64_t query, int64_t key);

HL_END_DECLS
