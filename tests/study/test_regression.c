#include "study/regression.h"

#include "tests/check_suite.h"
#include "tests/messages.h"

#include <math.h>
#include <string.h>

static hl_regression_scores scores_of(const char *const *wanted, const double *said, int n)
{
    hl_regression r = { 0 };
    hl_regression_scores scores;
    for (int i = 0; i < n; i++) {
        CHECK_OK(hl_regression_want(&r, (hl_span){ wanted[i], strlen(wanted[i]) }));
        hl_regression_say(&r, said[i]);
    }
    CHECK_OK(hl_regression_score(&r, &scores));
    hl_regression_free(&r);
    return scores;
}

/* The figures are SciPy's (pearsonr, spearmanr). */
TEST(errors_and_correlations_are_those_of_scipy)
{
    hl_regression_scores scores =
        scores_of((const char *const[]){ "1", "1.0", "2", "+5e0", "-3" }, (double[]){ 1.5, 2, 2, 4, -1 }, 5);
    ck_assert_double_eq_tol(scores.squared_error, 1.25, 1e-15);
    ck_assert_double_eq_tol(scores.pearson, 0.9907273019808449, 1e-14);
    ck_assert_double_eq_tol(scores.spearman, 0.9210526315789475, 1e-14);
}

TEST(equal_numbers_have_no_correlation)
{
    hl_regression_scores scores = scores_of((const char *const[]){ "1", "2" }, (double[]){ 3, 3 }, 2);
    ck_assert_double_eq_tol(scores.squared_error, 2.5, 1e-15);
    ck_assert(isnan(scores.pearson) && isnan(scores.spearman));
}

TEST(what_is_no_number_is_refused)
{
    static const char *const texts[] = {
        "", " ", "1,5", "nan", "1e999", "good", "100000000000000000000000000000000000000000000000000000000000000000"
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        hl_regression r = { 0 };
        CHECK_FAILS(hl_regression_want(&r, (hl_span){ texts[i], strlen(texts[i]) }), HL_INVALID, "is no number");
        hl_regression_free(&r);
    }
}

SUITE("regression")
