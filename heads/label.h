/* Labels: what a head does, in one word, given only if the measurements are clear; and each label's ideal attention. */
#pragma once

#include "core/base/declarations.h"
#include "core/base/text.h"
#include "heads/pattern.h"
#include "heads/score.h"
#include "heads/shares.h"

HL_BEGIN_DECLS

/* In the order in which they are tried; text has another order (hl_label_of). */
/* clang-format off */
#define HL_LABEL_SHARE_CONSTANT(constant, name, meaning) constant,
typedef enum hl_label_kind {
    HL_LABEL_PREVIOUS,
    HL_LABEL_NEXT,
    HL_LABEL_SELF,
    HL_LABEL_OFFSET,
    HL_LABEL_ALIGNMENT,
    HL_LABEL_RELATION,
    HL_LABEL_SHARES(HL_LABEL_SHARE_CONSTANT)
    HL_LABEL_UNIFORM,
    HL_LABEL_MIXED,
} hl_label_kind;
/* clang-format on */

/* The label with the most lift among the labels that a head has not earned. */
typedef struct hl_label_miss {
    hl_label_kind kind;
    int64_t parameter;
    hl_score score;    /* the score behind the lift; n is 0 if no label is above its baseline */
    const char *lacks; /* what the label lacks although its lift is large enough; else NULL. A constant string. */
} hl_label_miss;

typedef struct hl_label {
    hl_label_kind kind;
    int64_t parameter;     /* k for the first four kinds, r for RELATION, else 0 */
    bool reversed;         /* RELATION: its pairs are reversed, so the query is the key's partner */
    hl_score score;        /* the label's metric, as in heads.csv; for UNIFORM and MIXED, the best offset's */
    hl_label_miss nearest; /* for UNIFORM and MIXED; else zero */
} hl_label;

/* The first label whose lift over attention spread evenly is at least 0.5 on the odd-numbered examples of a snapshot.
 * All examples are given (first and gap 0, at least one). The labels, with their metrics and further conditions:
 *   PREVIOUS, NEXT, SELF, OFFSET   offset(-1), (+1), (0), (k), with k the best one on the even-numbered examples. The
 *                                  largest weight must also be on this key in 90% of the queries that have it
 *   ALIGNMENT                      alignment; only if no fixed offset is the source in 90% of the queries
 *   RELATION                       relation(r), with r the one of most lift on the even-numbered examples, the first
 *                                  among equals
 *   those of HL_LABEL_SHARES       the metrics of these names; PREVIOUS_WORD and NEXT_WORD also require the 90% of
 *                                  PREVIOUS, counted on words
 * For text with known words, the order is PREVIOUS_WORD, NEXT_WORD, SELF, OFFSET, INDUCTION, SAME_WORD, FIRST, SPECIAL,
 * PUNCTUATION, RARE, and no other label is tried. If none is earned, the label is UNIFORM if the normalised entropy is
 * above 0.95, and MIXED otherwise. */
hl_label hl_label_of(const hl_patterns *all);

/* The same score on other weights, which is a head's null. `all` holds the head's patterns with these weights, on all
 * examples of a snapshot. For UNIFORM and MIXED it is the score of the offset that is best there. Its baseline is that
 * of these examples. */
hl_score hl_label_score(hl_label label, const hl_patterns *all);

/* A label in words; if a relation's name does not fit, it is cut at a whole character. */
typedef struct hl_label_text {
    char text[64];
} hl_label_text;

/* "previous", "offset(-11)", "relation(det_noun)", ... `relations`: the names of the gold relations; if NULL, they are
 * printed as numbers. An unknown kind is "unknown(17)". */
hl_label_text hl_label_text_of(hl_label label, const char *const *relations);

/* What a head with that label does: "looks 11 tokens back", "finds the noun that belongs to an adjective". */
hl_label_text hl_label_meaning_of(hl_label label, const char *const *relations);

/* Returns what all labels of a kind mean, such as "looks at the token before"; *written: how they are written, such as
 * "offset(k)". */
const char *hl_label_kind_meaning(hl_label_kind kind, const char **written);

/* Adds why a head is MIXED, "nearest is offset(-11): 0.231, and that label takes 0.525". Adds nothing for another
 * label. */
void hl_label_print_miss(hl_text *text, hl_label label, const char *const *relations);

/* For a map's title: as hl_label_text_of, but a gold relation is given only by its name. The score follows, except for
 * UNIFORM and MIXED: "offset(-11) 0.98", "det_noun 0.87", "mixed". */
hl_label_text hl_label_title_of(hl_label label, const char *const *relations);

/* Writes the label's ideal weights (T, T) on one example, whose own weights are not read. Each query attends evenly to
 * the keys that the label names for it. If the label is about words, the query attends evenly to these words, and
 * within each word evenly to the tokens that it may attend to. If words are known, RELATION is about words, too.
 * UNIFORM names all keys that the query may attend to; MIXED names none. A row without a named key begins with -1, and
 * so does a row of padding: with hl_head_probe.replace such a row keeps the head's own weights. */
void hl_label_ideal(hl_label label, const hl_pattern *example, hl_real *ideal);

HL_END_DECLS
