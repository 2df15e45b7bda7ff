#include "tests/check_suite.h"
#include "tests/optim/golden_steps.h"

START_TEST(steps_are_those_of_pytorch)
{
    golden_assert_steps(_i, 1e-12, 0);
}
END_TEST

static void add_tests(TCase *tc)
{
    tcase_add_loop_test(tc, steps_are_those_of_pytorch, 0, GOLDEN_OPTIMIZERS);
}
SUITE("golden steps", add_tests)
