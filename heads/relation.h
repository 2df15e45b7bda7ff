/* How often a head attends from a token to the token that a gold relation pairs it with, such as from a noun to its
 * determiner. Each direction of a relation is a relation of its own. */
#pragma once

#include "core/base/declarations.h"
#include "heads/pattern.h"
#include "heads/score.h"

HL_BEGIN_DECLS

/* The same patterns, with the partners in relation r, 0 <= r < R, as sources. The functions of heads/alignment.h then
 * measure the relation. */
hl_patterns hl_relation_as_source(const hl_patterns *patterns, int64_t r);

typedef struct hl_relation {
    double hit_rate; /* the fraction of paired tokens whose largest weight, the first among equals, is on the partner */
    double uniform;  /* the mean of 1 / n_i over these tokens: the rate of a head that picks a key at random */
    int64_t fixed_offset; /* the partner's most frequent offset in the choosing half */
    double fixed_rate;    /* the rate of a head that always attends to that offset */
    int64_t n;            /* the number of paired tokens; if it is 0, the rates are 0 */
} hl_relation;

/* Measures relation r on all examples of a snapshot (first and gap 0, at least one example). The even-numbered examples
 * choose; every number is measured on the odd-numbered ones. A partner that its query may not attend to cannot be
 * found. */
hl_relation hl_relation_of(const hl_patterns *all, int64_t r);

/* relation(r): the hit rate; its baseline is the larger of `uniform` and `fixed_rate`. */
hl_score hl_relation_score(hl_relation relation);

HL_END_DECLS
