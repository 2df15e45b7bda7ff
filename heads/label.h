/* Labels: what a head does, in one word, given only where measurements are clear; and the ideal attention of a
 * label. */
#ifndef HL_HEADS_LABEL_H
#define HL_HEADS_LABEL_H

#include "core/base/declarations.h"
#include "core/base/text.h"
#include "heads/pattern.h"
#include "heads/score.h"
#include "heads/shares.h"

HL_BEGIN_DECLS

/* In the order in which they are tried, but for those of text (hl_label_of). */
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

/* The label of most lift among those that a head has not earned. */
typedef struct hl_label_miss {
    hl_label_kind kind;
    int64_t parameter;
    hl_score score;    /* what the lift is of; n is 0 where none is above its baseline */
    const char *lacks; /* what it lacks although its lift would do; else NULL. A constant. */
} hl_label_miss;

typedef struct hl_label {
    hl_label_kind kind;
    int64_t parameter;     /* k of the first four, r of RELATION, else 0 */
    bool reversed;         /* RELATION: its pairs are turned round: the query is the key's partner */
    hl_score score;        /* the label's metric, as in heads.csv; where it is UNIFORM or MIXED, the best offset's */
    hl_label_miss nearest; /* of UNIFORM and MIXED; else zero */
} hl_label;

/* The first label whose lift over attention spread evenly is at least 0.5 on the odd-numbered examples of a snapshot
 * (all of them are given: first and gap 0, at least one):
 *   PREVIOUS, NEXT, SELF, OFFSET   offset(-1), (+1), (0), (k), with k the best one on the even-numbered examples; also
 *                                  the largest weight must be on it in 90% of the queries that have it
 *   ALIGNMENT                      alignment; only where no fixed offset is the source in 90% of the queries
 *   RELATION                       relation(r), r the one of most lift on the even-numbered ones, the first of equals
 *   those of HL_LABEL_SHARES       the metrics of these names; PREVIOUS_WORD and NEXT_WORD besides as PREVIOUS, of
 *                                  words
 * Of text, where words are known, the order is PREVIOUS_WORD, NEXT_WORD, SELF, OFFSET, INDUCTION, SAME_WORD, FIRST,
 * SPECIAL, PUNCTUATION, RARE, and there are no others.
 * Else UNIFORM, where the normalised entropy is above 0.95; else MIXED. */
hl_label hl_label_of(const hl_patterns *all);

/* What the same score is on other weights, a head's null: `all` are its patterns by these, all examples of a snapshot.
 * Of UNIFORM and MIXED that of the offset that is best there. Its baseline is that of these examples. */
hl_score hl_label_score(hl_label label, const hl_patterns *all);

/* A label in words; a relation's name that does not fit is cut at a whole character. */
typedef struct hl_label_text {
    char text[64];
} hl_label_text;

/* "previous", "offset(-11)", "relation(det_noun)", ... `relations`: the names of the gold relations; where NULL,
 * numbers stand for them. An unknown kind is "unknown(17)". */
hl_label_text hl_label_text_of(hl_label label, const char *const *relations);

/* What a head of that label does: "looks 11 tokens back", "finds the noun that belongs to an adjective". */
hl_label_text hl_label_meaning_of(hl_label label, const char *const *relations);

/* What all labels of a kind mean, "looks at the token before", and how they are *written, "offset(k)". */
const char *hl_label_kind_meaning(hl_label_kind kind, const char **written);

/* Adds why a head is MIXED, "nearest is offset(-11): 0.231, and that label takes 0.525"; nothing for another label. */
void hl_label_print_miss(hl_text *text, hl_label label, const char *const *relations);

/* For a map's title: as hl_label_text_of, but a gold relation by its name alone, and followed by the score except for
 * UNIFORM and MIXED: "offset(-11) 0.98", "det_noun 0.87", "mixed". */
hl_label_text hl_label_title_of(hl_label label, const char *const *relations);

/* Writes the label's ideal weights (T, T) on one example, whose own weights are not read: each query attends evenly to
 * the keys that the label names for it; where the label is about words, evenly to these, and in each evenly to the
 * tokens that the query may attend to. Where words are known, RELATION is about them, too. UNIFORM names all keys that
 * the query may attend to, MIXED none. A row without a named key, also one of padding, begins with -1: with
 * hl_head_probe.replace such a row keeps the head's own weights. */
void hl_label_ideal(hl_label label, const hl_pattern *example, hl_real *ideal);

HL_END_DECLS

#endif
