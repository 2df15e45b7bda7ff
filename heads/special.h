/* How much a head attends to special tokens and to the first position, where heads without a use for a query look. */
#ifndef HL_HEADS_SPECIAL_H
#define HL_HEADS_SPECIAL_H

#include "core/base/declarations.h"
#include "heads/key_share.h"

HL_BEGIN_DECLS

/* special: the mean over all queries of the weight on separator and mask tokens; of text on separators alone, as [SEP],
 * but not on one at position 0 that stands before the text (<|endoftext|> is both), which `first` is about. Its
 * baseline is their fraction of n_i. All zero where the tokens are not known. */
hl_score hl_special_of(const hl_patterns *patterns);

/* first: the mean over all queries of the weight on position 0, in models that have a token as [CLS] on that; its
 * baseline is the mean of 1 / n_i. */
hl_score hl_first_of(const hl_patterns *patterns);

/* The kinds of keys that these are about. */
bool hl_special_kind(const hl_pattern *pattern, int64_t query, int64_t key);
bool hl_first_kind(const hl_pattern *pattern, int64_t query, int64_t key);

HL_END_DECLS

#endif
