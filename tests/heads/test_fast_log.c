#include "heads/private/fast_log.h"
#include "tests/check_suite.h"

#include <float.h>
#include <math.h>

static void expect_nearly(double x)
{
    long double truth = logl((long double)x), bound = 3e-14L + 4e-16L * fabsl(truth);
    ck_assert_msg(fabsl((long double)hl_log_near(x) - truth) <= bound, "ln %.17g is %.17g, not %.17Lg", x,
                  hl_log_near(x), truth);
}

TEST(the_faster_one_is_within_three_hundredths_of_a_trillionth)
{
    for (int i = 1; i <= 300000; i++) {
        expect_nearly((double)i / 100001);
    }
    for (int exponent = -1022; exponent <= 1023; exponent++) {
        for (int m = 0; m < 77; m++) {
            expect_nearly(ldexp(1 + m / 77.0, exponent));
        }
    }
    const double ends[] = { (sqrt(0.5) + 1) / 2, (sqrt(2.0) + 1) / 2, 1 };
    for (int k = 0; k < 3; k++) { /* where n changes, and around 1 */
        double x = ends[k] - 50 * DBL_EPSILON;
        for (int i = 0; i < 200; i++, x = nextafter(x, 2)) {
            expect_nearly(x);
        }
    }
    expect_nearly(FLT_TRUE_MIN);
    expect_nearly(DBL_MIN);
    expect_nearly(DBL_MAX);
    ck_assert(isfinite(hl_log_near(0)));
    ck_assert_double_eq(0 * hl_log_near(0), 0);
}

/* Without AVX-512 nothing uses it. */
#ifdef __AVX512F__
static void expect_in_a_vector(double x)
{
    long double truth = logl((long double)x), bound = 4e-15L + 4e-16L * fabsl(truth);
    for (int lane = 0; lane < 8; lane++) {
        double numbers[8] = { 0 }, logs[8];
        numbers[lane] = x;
        _mm512_storeu_pd(logs, hl_log_vector(_mm512_loadu_pd(numbers)));
        ck_assert_msg(fabsl((long double)logs[lane] - truth) <= bound, "ln %.17g is %.17g, not %.17Lg", x, logs[lane],
                      truth);
        ck_assert_double_eq(0 * logs[(lane + 1) % 8], 0);
    }
}

TEST(eight_at_once_are_within_four_quadrillionths)
{
    for (int i = 1; i <= 100000; i++) {
        expect_in_a_vector((double)i / 33334);
    }
    for (int exponent = -1022; exponent <= 1022; exponent++) {
        for (int m = 0; m < 48; m++) { /* both ends and the middle of each sixteenth */
            double begin = ldexp(1 + m / 3 / 16.0, exponent), end = ldexp(1 + (m / 3 + 1) / 16.0, exponent);
            expect_in_a_vector(m % 3 == 0 ? begin : m % 3 == 1 ? begin / 2 + end / 2 : nextafter(end, 0));
        }
    }
    expect_in_a_vector(FLT_TRUE_MIN);
}
#endif

SUITE("fast log")
