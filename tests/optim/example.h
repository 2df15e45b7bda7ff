/* A registry of made-up parameters for the tests of this folder. */
#pragma once

#include "core/kernels/random.h"
#include "core/parameters.h"
#include "optim/optimizer.h"

#include <check.h>
#include <stdio.h>

enum { EXAMPLE_MOST = 8 };

static hl_parameters example_all[EXAMPLE_MOST];
static hl_optimizer example_optimizers[EXAMPLE_MOST];
static int example_n, example_n_optimizers;

/* Frees all that was made here: SUITE("optimizer", .after = example_end). */
static inline void example_end(void)
{
    while (example_n_optimizers > 0) {
        hl_optimizer_free(&example_optimizers[--example_n_optimizers]);
    }
    while (example_n > 0) {
        hl_parameters_free(&example_all[--example_n]);
    }
}

static inline hl_optimizer *example_optimizer(hl_parameters *parameters, hl_optimizer_options options)
{
    ck_assert_int_lt(example_n_optimizers, EXAMPLE_MOST);
    hl_optimizer *optimizer = &example_optimizers[example_n_optimizers++];
    ck_assert_int_eq(hl_optimizer_init(optimizer, parameters, options).code, HL_OK);
    return optimizer;
}

/* Vectors p0, p1, ... of the given lengths, normal values and gradients; those with an even number decay. */
static inline hl_parameters *example_parameters(int n, const int64_t *counts)
{
    ck_assert_int_lt(example_n, EXAMPLE_MOST);
    hl_parameters *parameters = &example_all[example_n++];
    *parameters = (hl_parameters){ 0 };
    for (int i = 0; i < n; i++) {
        char name[16];
        snprintf(name, sizeof name, "p%d", i);
        hl_parameters_add(
            parameters,
            (hl_parameter_spec){
                .name = name, .shape = HL_SHAPE(counts[i]), .init = HL_INIT_NORMAL, .scale = 1, .decay = i % 2 == 0 });
    }
    ck_assert_int_eq(hl_parameters_allocate(parameters).code, HL_OK);
    hl_parameters_initialise(parameters, 5);
    for (int i = 0; i < n; i++) {
        hl_random random = { .seed = 6, .stream = (uint32_t)i };
        for (int64_t j = 0; j < counts[i]; j++) {
            parameters->list[i].tensor->grad[j] = hl_random_normal(random, (uint64_t)j);
        }
    }
    return parameters;
}
