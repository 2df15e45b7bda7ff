/* A registry of made-up parameters for the tests of this folder. */
#ifndef HL_TESTS_OPTIM_EXAMPLE_H
#define HL_TESTS_OPTIM_EXAMPLE_H

#include "core/kernels/random.h"
#include "core/parameters.h"

#include <check.h>
#include <stdio.h>

/* Vectors p0, p1, ... of the given lengths, normal values and gradients; those with an even number decay. To be freed
 * by hl_parameters_free. */
static inline hl_parameters example_parameters(int n, const int64_t *counts)
{
    hl_parameters parameters = { 0 };
    for (int i = 0; i < n; i++) {
        char name[16];
        snprintf(name, sizeof name, "p%d", i);
        hl_parameters_add(
            &parameters,
            (hl_parameter_spec){
                .name = name, .shape = HL_SHAPE(counts[i]), .init = HL_INIT_NORMAL, .scale = 1, .decay = i % 2 == 0 });
    }
    ck_assert_int_eq(hl_parameters_allocate(&parameters).code, HL_OK);
    hl_parameters_initialise(&parameters, 5);
    for (int i = 0; i < n; i++) {
        hl_random random = { .seed = 6, .stream = (uint32_t)i };
        for (int64_t j = 0; j < counts[i]; j++) {
            parameters.list[i].tensor->grad[j] = hl_random_normal(random, (uint64_t)j);
        }
    }
    return parameters;
}

#endif
