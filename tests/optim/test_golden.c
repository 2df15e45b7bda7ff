#include "tests/check_suite.h"
#include "tests/optim/golden_steps.h"

/* The absolute part is for weights near zero, whose rounding is that of the larger numbers they came from. */
LOOP_TEST(steps_are_those_of_pytorch, 0, GOLDEN_OPTIMIZERS)
{
    golden_assert_steps(_i, 1e-6, 2e-7);
}

SUITE("golden steps")
