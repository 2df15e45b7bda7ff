#include "core/ops/private/row_copies.h"

#include "core/base/threads.h"

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

/* Adds these columns of dy's row m to dx. */
static void add_row(const adding *a, int64_t m, int64_t begin, int64_t end, hl_real *dx)
{
    const hl_real *dy = a->dy + m * a->rows->D;
#pragma omp simd
    for (int64_t d = begin; d < end; d++) {
        dx[d] += a->scale * dy[d];
    }
}

static int64_t row_of(const hl_row_list *rows, int64_t m)
{
    return rows->list != NULL ? rows->list[m] - rows->base : 0;
}

/* Each thread works on a range of columns, so that every row is summed in the order of the list. */
static void add_columns(const void *context, hl_range columns)
{
    const adding *a = context;
    for (int64_t m = 0; m < a->rows->n; m++) {
        add_row(a, m, columns.begin, columns.end, a->dx + row_of(a->rows, m) * a->rows->D);
    }
}

void hl_row_list_sum(const hl_row_list *rows, hl_real scale, const hl_real *dy, int64_t begin, int64_t end, hl_real *dx)
{
    const adding a = { rows, scale, dy, dx };
    memset(dx, 0, (size_t)((end - begin) * rows->D) * sizeof *dx);
    for (int64_t m = 0; m < rows->n; m++) {
        int64_t row = row_of(rows, m);
        if (row >= begin && row < end) {
            add_row(&a, m, 0, rows->D, dx + (row - begin) * rows->D);
        }
    }
}

void hl_row_list_add(const hl_op_call *call, const hl_row_list *rows, hl_real scale, int i)
{
    hl_grad dx = call->din[i];
    if (!dx.add) {
        memset(dx.at, 0, (size_t)hl_shape_count(call->node->in[i]->shape) * sizeof *dx.at);
    }
    hl_threads_run(hl_threads_for(call->tape->options.threads, rows->n * rows->D), rows->D, HL_CACHE_LINE, add_columns,
                   &(adding){ rows, scale, call->node->out->grad, dx.at });
}
