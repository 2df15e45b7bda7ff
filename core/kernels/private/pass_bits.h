/* Which numbers a dropout or a ReLU let through: one bit each, saved by forward for backward. */
#ifndef HL_CORE_KERNELS_PRIVATE_PASS_BITS_H
#define HL_CORE_KERNELS_PRIVATE_PASS_BITS_H

#include "core/base/real.h"

#include <stdbool.h>
#include <stdint.h>

/* Numbers are worked in groups. Bit r of byte l of a group's HL_PASS_BYTES is that of number 16 r + l, so that
 * vectors of 16 numbers make and read their bits without moving them between lanes. */
enum { HL_PASS_GROUP = 128, HL_PASS_BYTES = 16 };

/* The bytes for `count` numbers. */
int64_t hl_pass_bytes(int64_t count);

/* y[i] = r[i] + max(x[i], floor) * m[i] for i < n <= HL_PASS_GROUP, and the group's bits: 1 where x[i] > floor and m[i]
 * != 0. `r` and `bits` may be NULL; x, y and r may be the same. A NaN goes through, even where m is 0. */
void hl_pass_forward(int n, const hl_real *x, hl_real floor, const hl_real *m, const hl_real *r, hl_real *y,
                     uint8_t bits[HL_PASS_BYTES]);

/* dx[i] = (or, `add`, +=) dy[i] * scale where bit i is 1, 0 where it is 0, for i < count. dx and dy may be the same. */
void hl_pass_backward(int64_t count, const uint8_t *bits, hl_real scale, const hl_real *dy, hl_real *dx, bool add);

#endif
