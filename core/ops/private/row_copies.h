/* Reads, and adds to, rows of a matrix that a list names. For ops that gather rows. */
#pragma once

#include "core/op.h"

/* Row list[m] - base of a matrix with rows of D numbers, for m < n. Without a list: row 0 for each m. */
typedef struct hl_row_list {
    const int32_t *list;
    int32_t base;
    int64_t n, D;
} hl_row_list;

/* False after hl_tape_fail if there is no list or a row is not in 0 .. n_rows - 1; `what` names the rows. Reads the
 * list: not for dry tapes. */
bool hl_row_list_check(hl_tape *tape, const hl_node *node, const hl_row_list *rows, int64_t n_rows, const char *what);

/* The gradient of input `i`, whose rows have D numbers: row list[m] - base += scale * dy[m]. The gradient is zeroed
 * first unless it has `add`. A row that the list names several times is summed in the list's order, for any number of
 * threads. */
void hl_row_list_add(const hl_op_call *call, const hl_row_list *rows, hl_real scale, int i);

/* Writes to dx (end - begin, D) the rows from `begin` to `end` - 1 that hl_row_list_add would make from zeros. */
void hl_row_list_sum(const hl_row_list *rows, hl_real scale, const hl_real *dy, int64_t begin, int64_t end,
                     hl_real *dx);
