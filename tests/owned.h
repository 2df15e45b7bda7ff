/* What a test owns, in either precision: it goes when the test ends. */
#pragma once

#include "core/tape.h"

/* A tape over a new arena of so many bytes, which are NaN as numbers: what is read before it is written shows. */
hl_tape *owned_tape(size_t bytes, hl_tape_options options);

/* Zeros. */
void *owned_calloc(int64_t count, size_t size);
