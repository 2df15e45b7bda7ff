/* The words that tables and pages use of heads, each with what it means: labels, how they are judged, metrics. */
#ifndef HL_HEADS_WORDS_H
#define HL_HEADS_WORDS_H

#include "core/base/declarations.h"
#include "heads/catalogue.h"

#include <stdbool.h>

HL_BEGIN_DECLS

typedef struct hl_word {
    const char *group;   /* "Where it looks"; words of one group stand together */
    const char *name;    /* "offset(k)": k stands for a parameter */
    const char *meaning; /* begins with a small letter, without a full stop */
} hl_word;

/* Word i, counted from 0, in the order in which they are shown; false where there are no more. */
bool hl_word_at(int i, hl_word *word);

/* What the word of that name means, a metric or one of how heads are judged ("score", "baseline"); "": unknown. */
const char *hl_word_meaning(const char *name);

/* The word of a metric; NULL where it is unknown. */
const hl_word *hl_word_of_metric(hl_metric metric);

HL_END_DECLS

#endif
