/* Leaves that walk back together have the bits of leaves that are computed one by one. */
#include "core/kernels/bf16.h"
#include "core/ops/multiply.h"
#include "core/ops/sum.h"
#include "tests/check_suite.h"
#include "tests/core/leaf_passes.h"
#include "tests/owned.h"

#include <string.h>

static hl_real *new_gradients(const leaf_passes *p)
{
    return owned_calloc(p->parameters.count, sizeof(hl_real));
}

/* The sum of leaves first .. first + size - 1, where size is a power of two, as far as there are `end`: by the
 * definition. */
static void tree_sum(leaf_passes *p, int first, int size, int end, hl_real *sum)
{
    if (size == 1) {
        int row = leaf_passes_first(first), rows = leaf_passes_first(first + 1) - row;
        if (rows > 0) {
            leaf_passes_rows(p, row, rows, sum);
        } else {
            memset(sum, 0, (size_t)p->parameters.count * sizeof *sum);
        }
        return;
    }
    tree_sum(p, first, size / 2, end, sum);
    if (first + size / 2 < end) {
        hl_real *right = new_gradients(p);
        tree_sum(p, first + size / 2, size / 2, end, right);
        for (int64_t i = 0; i < p->parameters.count; i++) {
            sum[i] += right[i];
        }
    }
}

/* In float and in bf16. */
LOOP_TEST(leaves_together_have_the_bits_of_leaves_alone, 0, 2)
{
    static const struct {
        int first, n, size;
    } groups[] = { { 0, LEAF_PASSES_LEAVES, 8 }, { 4, 3, 4 }, { 2, 2, 2 }, { 1, 1, 1 }, { 1, 3, 4 }, { 1, 6, 8 } };
    if (_i == 1 && hl_bf16_missing() != NULL) {
        return;
    }
    leaf_passes *p = leaf_passes_make(_i == 1);
    hl_real *alone = new_gradients(p), *together = new_gradients(p);
    for (int g = 0; g < ROWS(groups); g++) {
        tree_sum(p, groups[g].first, groups[g].size, groups[g].first + groups[g].n, alone);
        const hl_real before = g % 2 == 0 ? 0 : 1; /* a gradient is added to what is there */
        for (int64_t i = 0; i < p->parameters.count && before != 0; i++) {
            alone[i] += before;
        }
        for (int threads = 1; threads <= 3; threads++) {
            for (int64_t i = 0; i < p->parameters.count; i++) {
                together[i] = before;
            }
            leaf_passes_together(p, threads, groups[g].first, groups[g].n, together);
            for (int i = 0; i < p->parameters.n; i++) {
                const hl_parameter *one = &p->parameters.list[i];
                ck_assert_msg(memcmp(alone + one->offset, together + one->offset, (size_t)one->count * sizeof *alone) ==
                                  0,
                              "group %d, %d threads: the gradient of %s", g, threads, one->name);
            }
        }
    }
}

TEST(an_error_of_one_leaf_ends_the_walk)
{
    hl_tape_leaf leaves[2] = { { .empty = true }, { .empty = false } };
    leaves[1].tape = *owned_tape(4096, (hl_tape_options){ .gradients = true });
    leaves[1].loss = hl_mean(&leaves[1].tape, NULL);
    ck_assert_int_eq(hl_tape_leaves_backward(2, 2, leaves, NULL).code, HL_INVALID);
    CHECK_OK(hl_tape_leaves_backward(2, 1, leaves, NULL));
}

TEST(a_parameter_that_is_used_twice_is_seen)
{
    leaf_passes *p = leaf_passes_make(false);
    hl_tensor *gamma = hl_parameters_find(&p->parameters, "gamma")->tensor;
    const hl_tape_options options = { .gradients = true, .memory = { .dry = true } };
    hl_tape *tape = owned_tape((size_t)1 << 16, options), *other = owned_tape((size_t)1 << 16, options);
    hl_tensor *x = hl_multiply(tape, gamma, hl_parameters_find(&p->parameters, "beta")->tensor);
    ck_assert(!hl_tape_leaves_share(tape));
    hl_multiply(tape, x, gamma);
    ck_assert(hl_tape_leaves_share(tape));
    hl_multiply(other, gamma, gamma);
    ck_assert(hl_tape_leaves_share(other));
}

SUITE("tape leaves")
