#include "core/ops/layer_norm.h"
#include "core/tape.h"
#include "tests/check_suite.h"
#include "tests/owned.h"

#include <math.h>

enum { D = 5 };

/* The layer norm of these numbers times 2^exponent. */
static void normalise(int exponent, bool rms, double y[D])
{
    static const double numbers[D] = { 1, -0.75, 0.5, 0.25, 0.25 };
    double scaled[D], ones[D];
    for (int d = 0; d < D; d++) {
        scaled[d] = ldexp(numbers[d], exponent);
        ones[d] = 1;
    }
    hl_tape *tape = owned_tape(1 << 16, (hl_tape_options){ .threads = 1 });
    hl_tensor x = { .shape = HL_SHAPE(1, D), .data = scaled }, gamma = { .shape = HL_SHAPE(D), .data = ones };
    const hl_tensor *out = rms ? hl_rms_norm(tape, &x, &gamma, 0) : hl_layer_norm(tape, &x, &gamma, NULL, 0);
    ck_assert_msg(hl_tape_status(tape).code == HL_OK, "%s", hl_tape_status(tape).text);
    for (int d = 0; d < D; d++) {
        y[d] = out->data[d];
    }
}

LOOP_TEST(a_row_whose_squares_overflow_is_normalised_as_any_other, 0, 2)
{
    static const int exponents[] = { 511, 512, 600, 1020 };
    double usual[D], large[D];
    normalise(0, _i == 1, usual);
    for (int i = 0; i < 4; i++) {
        normalise(exponents[i], _i == 1, large);
        for (int d = 0; d < D; d++) {
            ck_assert_msg(fabs(large[d] - usual[d]) <= 1e-14, "2^%d: %g instead of %g", exponents[i], large[d],
                          usual[d]);
        }
    }
}

SUITE("layer norm in double")
