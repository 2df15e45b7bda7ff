#include "core/private/row_copies.h"

#include "core/threads.h"

#include <inttypes.h>
#include <string.h>

bool hl_row_list_check(hl_tape *tape, const hl_node *node, const hl_row_list *rows, int64_t n_rows, const char *what)
{
    if (rows->list == NULL) {
        return hl_tape_fail(tape, node, "no %ss are given", what);
    }
    for (int64_t m = 0; m < rows->n; m++) {
        int64_t row = (int64_t)rows->list[m] - rows->base;
        if (row < 0 || row >= n_rows) {
            return hl_tape_fail(tape, node, "%s %" PRId64 " at place %" PRId64 " is not below %" PRId64, what, row, m,
                                n_rows);
        }
    }
    return true;
}

typedef struct adding {
    const hl_row_list *rows;
    hl_real scale;
    const hl_real *dy;
    hl_real *dx;
} adding;

/* Each thread works on a range of columns, so that every row is summed in the order of the list. */
static void add_columns(const void *context, hl_range columns)
{
    const adding *a = context;
    const hl_row_list *rows = a->rows;
    for (int64_t m = 0; m < rows->n; m++) {
        hl_real *dx = a->dx + (rows->list != NULL ? rows->list[m] - rows->base : 0) * rows->D;
        const hl_real *dy = a->dy + m * rows->D;
#pragma omp simd
        for (int64_t d = columns.begin; d < columns.end; d++) {
            dx[d] += a->scale * dy[d];
        }
    }
}

void hl_row_list_add(const hl_tape *tape, const hl_row_list *rows, hl_real scale, const hl_real *dy, int64_t n_rows,
                     hl_grad dx)
{
    if (!dx.add) {
        memset(dx.at, 0, (size_t)(n_rows * rows->D) * sizeof *dx.at);
    }
    hl_threads_run(hl_tape_threads(tape, rows->n * rows->D), rows->D, HL_CACHE_LINE, add_columns,
                   &(adding){ rows, scale, dy, dx.at });
}
