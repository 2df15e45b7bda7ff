/* The words that tables and pages use for heads, each with its meaning: labels, how they are judged, and metrics. */
#pragma once

#include "core/base/declarations.h"
#include "heads/catalogue.h"

#include <stdbool.h>

HL_BEGIN_DECLS

typedef struct hl_word {
    const char *group;   /* "Where it looks"; words of one group follow each other */
    const char *name;    /* "offset(k)": k stands for a parameter */
    const char *meaning; /* begins with a lower-case letter; has no full stop */
} hl_word;

/* Word i, counted from 0, in the order in which words are shown. Returns false if there are no more. */
bool hl_word_at(int i, hl_word *word);

/* The meaning of the word with that name: a metric, or a word for how heads are judged ("score", "baseline"). "" if the
 * name is unknown. */
const char *hl_word_meaning(const char *name);

/* The word for a metric; NULL if it is unknown. */
const hl_word *hl_word_of_metric(hl_metric metric);

HL_END_DECLS
