/* The two verdicts that get a sentence: decorative heads have a label and no effect, silent ones an effect and no
 * label. */
#include "programs/heads/importance.h"

#include <math.h>

/* The share of the largest growth below which an effect is none, and from which on it is large. */
static const double SMALL = 0.1;

static double largest_growth(const hl_importance *importance)
{
    double largest = 0;
    for (int64_t i = 0; i < importance->n; i++) {
        largest = fmax(largest, importance->heads[i].zero.mean);
    }
    return largest;
}

bool hl_heads_decorative(const hl_heads_importance *study, int64_t index)
{
    hl_estimate zero = study->importance.heads[index].zero;
    return study->labels[index].kind < HL_LABEL_UNIFORM &&
           fabs(zero.mean) + 3 * zero.error < SMALL * largest_growth(&study->importance);
}

bool hl_heads_silent(const hl_heads_importance *study, int64_t index)
{
    hl_estimate zero = study->importance.heads[index].zero;
    return study->labels[index].kind == HL_LABEL_MIXED && zero.mean > 3 * zero.error &&
           zero.mean >= SMALL * largest_growth(&study->importance);
}
