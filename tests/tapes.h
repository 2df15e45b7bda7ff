/* Tapes for tests, in either precision. */
#pragma once

#include "core/tape.h"

/* A tape over a new arena of so many bytes, which are NaN as numbers: what is read before it is written shows. Both go
 * when the test ends. */
hl_tape *tapes_begin(size_t bytes, hl_tape_options options);
