/* Scores of heads beside those that are expected. */
#pragma once

#include "heads/distance.h"
#include "heads/entropy.h"
#include "heads/score.h"
#include "heads/validation_sums.h"

#include <check.h>
#include <math.h>

/* A score, within a tolerance of its value; the baselines of definitions are exact to 1e-12. */
static inline void expect_score(hl_score found, double value, double baseline, int64_t n, double tolerance)
{
    ck_assert_int_eq(found.n, n);
    ck_assert_msg(fabs(found.value - value) <= tolerance, "%.17g, not %.17g", found.value, value);
    ck_assert_double_eq_tol(found.baseline, baseline, 1e-12);
}

/* What validation sums tell of a head, of the plain metrics of the same examples. */
static inline hl_validation_scores plain_scores(const hl_patterns *all)
{
    hl_entropy entropy = hl_entropy_of(all);
    hl_distance distance = hl_distance_of(all);
    return (hl_validation_scores){ .entropy = { entropy.nats, entropy.uniform, entropy.n },
                                   .normalised = { entropy.normalised, 1, entropy.n_normalised },
                                   .confidence = hl_confidence_of(all),
                                   .distance = distance.absolute,
                                   .directed = distance.directed };
}

static inline void expect_scores(hl_validation_scores found, hl_validation_scores expected, double tolerance)
{
    const hl_score pairs[][2] = { { found.entropy, expected.entropy },
                                  { found.normalised, expected.normalised },
                                  { found.confidence, expected.confidence },
                                  { found.distance, expected.distance },
                                  { found.directed, expected.directed } };
    for (int i = 0; i < 5; i++) {
        expect_score(pairs[i][0], pairs[i][1].value, pairs[i][1].baseline, pairs[i][1].n, tolerance);
    }
}
