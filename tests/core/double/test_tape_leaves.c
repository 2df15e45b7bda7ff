/* The gradients of leaves that walk back together, against numeric ones and against those of all rows on one tape. */
#include "tests/check_suite.h"
#include "tests/core/leaf_passes.h"
#include "tests/owned.h"

TEST(leaves_together_have_the_gradient_of_all_their_rows)
{
    leaf_passes *p = leaf_passes_make(false);
    hl_real *whole = owned_calloc(p->parameters.count, sizeof *whole),
            *together = owned_calloc(p->parameters.count, sizeof *together);
    leaf_passes_rows(p, 0, LEAF_PASSES_ROWS, whole);
    leaf_passes_together(p, 2, 0, LEAF_PASSES_LEAVES, together);
    for (int64_t i = 0; i < p->parameters.count; i++) {
        ck_assert_double_eq_tol(together[i], whole[i], 1e-13);
    }
    for (int i = 0; i < p->parameters.n; i++) {
        const hl_parameter *one = &p->parameters.list[i];
        int64_t k = one->count * 2 / 3; /* of all rows, one that has a gradient */
        while (k < one->count - 1 && together[one->offset + k] == 0) {
            k++;
        }
        const double step = 1e-6;
        hl_real *value = &one->tensor->data[k], before = *value;
        *value = before + step;
        double more = leaf_passes_rows(p, 0, LEAF_PASSES_ROWS, NULL);
        *value = before - step;
        double less = leaf_passes_rows(p, 0, LEAF_PASSES_ROWS, NULL);
        *value = before;
        ck_assert_double_ne(together[one->offset + k], 0);
        ck_assert_double_eq_tol(together[one->offset + k], (more - less) / (2 * step), 1e-8);
    }
}

SUITE("tape leaves in double")
