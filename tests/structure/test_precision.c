/* That a float program can use the double library beside its own: the gradient checks and the comparison of kernels
 * rest on it. */
#include "core/kernels/random.h"
#include "tests/check_suite.h"
#include "tests/structure/oracle_precision.h"

START_TEST(each_side_has_its_own_number_type)
{
    ck_assert_uint_eq(sizeof(hl_real), sizeof(float));
    ck_assert_uint_eq(double_real_size(), sizeof(double));
}
END_TEST

/* The same function, of the same name, in both: float draws have 24 bits, double draws 32. */
START_TEST(each_side_calls_its_own_library)
{
    int differing = 0;
    for (uint64_t i = 0; i < 100; i++) {
        double here = (double)hl_random_uniform((hl_random){ .seed = 1 }, i);
        double there = double_uniform(i);
        ck_assert_double_eq_tol(here, there, 0x1p-24);
        differing += here != there;
    }
    ck_assert_int_gt(differing, 90);
}
END_TEST

static void add_tests(TCase *tc)
{
    tcase_add_test(tc, each_side_has_its_own_number_type);
    tcase_add_test(tc, each_side_calls_its_own_library);
}
SUITE("precision", add_tests)
