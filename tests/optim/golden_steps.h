/* The optimizers against PyTorch, for either precision. */
#pragma once

#include "tests/golden/optim_golden.h"
#include "tests/optim/example.h"

#include <math.h>

static inline void golden_assert_near(double got, double expected, double relative, double absolute)
{
    double error = fabs(got - expected);
    ck_assert_msg(error <= absolute + relative * fabs(expected), "%.17g, PyTorch has %.17g", got, expected);
}

/* Asserts that the numbers of a block that holds the weights and the biases are near `expected`. */
static inline void golden_assert_block(const hl_parameters *parameters, const hl_real *block, const double *expected,
                                       double relative, double absolute)
{
    for (int i = 0; i < GOLDEN_VALUES; i++) {
        const hl_parameter *parameter = &parameters->list[i >= GOLDEN_WEIGHTS];
        int64_t at = parameter->offset + (i < GOLDEN_WEIGHTS ? i : i - GOLDEN_WEIGHTS);
        golden_assert_near((double)block[at], expected[i], relative, absolute);
    }
}

static inline void golden_set(const hl_parameters *parameters, hl_real *block, const double *numbers)
{
    for (int i = 0; i < GOLDEN_VALUES; i++) {
        const hl_parameter *parameter = &parameters->list[i >= GOLDEN_WEIGHTS];
        block[parameter->offset + (i < GOLDEN_WEIGHTS ? i : i - GOLDEN_WEIGHTS)] = (hl_real)numbers[i];
    }
}

/* Makes the golden steps of case `golden` and asserts values after each and moments after the last. */
static inline void golden_assert_steps(int golden, double relative, double absolute)
{
    hl_parameters *parameters = example_parameters(2, (int64_t[]){ GOLDEN_WEIGHTS, GOLDEN_BIASES });
    hl_optimizer *optimizer = example_optimizer(parameters, golden_optimizers[golden].options);
    golden_set(parameters, parameters->values, golden_start);
    for (int step = 0; step < GOLDEN_STEPS; step++) {
        golden_set(parameters, parameters->grads, golden_grads[step]);
        hl_optimizer_step(optimizer, 1, golden_rates[step]);
        golden_assert_block(parameters, parameters->values, golden_optimizers[golden].values[step], relative, absolute);
    }
    if (golden_optimizers[golden].options.name != HL_SGD) {
        golden_assert_block(parameters, optimizer->m, golden_optimizers[golden].m, relative, absolute);
        golden_assert_block(parameters, optimizer->v, golden_optimizers[golden].v, relative, absolute * absolute);
    }
    example_end();
}
