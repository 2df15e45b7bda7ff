#include "optim/clip.h"
#include "tests/check_suite.h"
#include "tests/optim/example.h"

#include <math.h>

TEST(a_known_norm_is_clipped_in_full_precision)
{
    hl_parameters *parameters = example_parameters(3, (int64_t[]){ 1, 1, 1 });
    static const double grads[] = { 3, -4, 12 };
    for (int i = 0; i < 3; i++) {
        parameters->list[i].tensor->grad[0] = grads[i];
    }
    ck_assert_double_eq(hl_clip_gradients(1, parameters, 2), 13);
    for (int i = 0; i < 3; i++) {
        ck_assert_double_eq_tol(parameters->list[i].tensor->grad[0], grads[i] * 2 / 13.000001, 1e-15);
    }
}

/* Finite gradients whose squares double cannot hold: still no step, though no parameter is to blame. */
TEST(a_norm_beyond_double_is_infinite)
{
    hl_parameters *parameters = example_parameters(1, (int64_t[]){ 1 });
    parameters->grads[0] = 1e200;
    ck_assert(isinf(hl_clip_gradients(1, parameters, 1)));
    ck_assert_double_eq(parameters->grads[0], 1e200);
    ck_assert_ptr_null(hl_clip_find_not_finite(parameters));
}

SUITE("clip", .after = example_end)
