/* How much a head attends to a(i), the position that the task gives as the source of query i's answer. And how often it
 * attends from a token to the token that a gold relation pairs it with, such as from a noun to its determiner; each
 * direction of a relation is a relation of its own. */
#pragma once

#include "core/base/declarations.h"
#include "heads/pattern.h"
#include "heads/score.h"

HL_BEGIN_DECLS

typedef struct hl_alignment {
    hl_score weight; /* the mean of A[i][a(i)] over the queries with a source; baseline: the same mean for attention
                        spread evenly, 1 / n_i */
    double hit_rate; /* the fraction of these queries whose largest weight, the first among equals, is on a(i) */
} hl_alignment;

/* The alignment of a head; all zero if no query has a source. A source that its query may not attend to counts as 0. */
hl_alignment hl_alignment_of(const hl_patterns *patterns);

/* The hit rate of a head that always attends to offset k: the fraction of the queries with a source for which a(i) = i
 * + k. It depends only on the task. It is 0 if no query has a source. */
double hl_alignment_fixed_rate(const hl_patterns *patterns, int64_t k);

/* The k with the largest fixed rate; the lowest k if several are equal; 0 if no offset ever hits. */
int64_t hl_alignment_fixed_best(const hl_patterns *patterns);

/* The same patterns, with the partners in relation r, 0 <= r < R, as sources. The functions above then measure the
 * relation. */
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
