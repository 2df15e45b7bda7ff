/* How close the numbers that a model answers are to the numbers in a file. */
#pragma once

#include "core/base/declarations.h"
#include "core/base/status.h"
#include "data/text/lines.h"

#include <stddef.h>
#include <stdint.h>

HL_BEGIN_DECLS

/* A zeroed struct is empty. Owned by the caller, who frees it with hl_regression_free. */
typedef struct hl_regression {
    double (*pairs)[2]; /* (n_wanted): what the file has, and from 0 to n_said - 1 what the model says */
    size_t n_wanted, n_said, capacity;
} hl_regression;

void hl_regression_free(hl_regression *regression);

/* _want adds a number from the file, and _say later adds its answer. HL_INVALID, quoting the text, if it is no finite
 * number; HL_NO_MEMORY. */
hl_status hl_regression_want(hl_regression *regression, hl_span text);
void hl_regression_say(hl_regression *regression, double number);

typedef struct hl_regression_scores {
    double squared_error;     /* the mean of (said - wanted)^2 */
    double pearson, spearman; /* correlations. For equal numbers, Spearman's uses the mean rank. NaN if all numbers of
                                 one side are equal */
} hl_regression_scores;

/* Requires at least one number, and an answer for each. HL_NO_MEMORY. */
hl_status hl_regression_score(const hl_regression *regression, hl_regression_scores *scores);

HL_END_DECLS
