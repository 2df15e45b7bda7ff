/* Which numbers passed a dropout or a ReLU: one bit per number, which forward saves for backward. */
#pragma once

#include "core/base/real.h"

#include <stdbool.h>
#include <stdint.h>

/* Numbers are processed in groups. In the group's HL_PASS_BYTES, bit r of byte l belongs to number 16 r + l. So vectors
 * of 16 numbers write and read their bits without moving them between lanes. */
enum { HL_PASS_GROUP = 128, HL_PASS_BYTES = 16 };

/* The bytes for `count` numbers. */
int64_t hl_pass_bytes(int64_t count);

/* y[i] = r[i] + max(x[i], floor) * m[i] for i < n <= HL_PASS_GROUP. A bit of the group is 1 if x[i] > floor and m[i] !=
 * 0. `r` and `bits` may be NULL; x, y and r may be the same. A NaN passes, even where m is 0. */
void hl_pass_forward(int n, const hl_real *x, hl_real floor, const hl_real *m, const hl_real *r, hl_real *y,
                     uint8_t bits[HL_PASS_BYTES]);

/* dx[i] = (or +=, if `add`) dy[i] * scale if bit i is 1, and 0 if it is 0, for i < count. dx and dy may be the same. */
void hl_pass_backward(int64_t count, const uint8_t *bits, hl_real scale, const hl_real *dy, hl_real *dx, bool add);
