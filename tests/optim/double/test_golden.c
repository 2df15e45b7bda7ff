#include "tests/check_suite.h"
#include "tests/optim/golden_steps.h"

LOOP_TEST(steps_are_those_of_pytorch, 0, GOLDEN_OPTIMIZERS)
{
    golden_assert_steps(_i, 1e-12, 0);
}

SUITE("golden steps")
