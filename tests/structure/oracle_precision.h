/* Two functions of the double library, seen from a float program. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* sizeof(hl_real) there. */
size_t double_real_size(void);

/* hl_random_uniform there, at `position` of seed 1. */
double double_uniform(uint64_t position);
