/* Rows of a matrix named by a list, read and added to; for the ops that gather rows. */
#ifndef HL_CORE_OPS_PRIVATE_ROW_COPIES_H
#define HL_CORE_OPS_PRIVATE_ROW_COPIES_H

#include "core/op.h"

/* Row list[m] - base of a matrix of rows of D numbers, for m < n; row 0 each time where there is no list. */
typedef struct hl_row_list {
    const int32_t *list;
    int32_t base;
    int64_t n, D;
} hl_row_list;

/* False after hl_tape_fail where a row is not below n_rows; `what` names them. Reads the list: not for dry tapes. */
bool hl_row_list_check(hl_tape *tape, const hl_node *node, const hl_row_list *rows, int64_t n_rows, const char *what);

/* The gradient of input `i`, whose rows have D numbers: row list[m] - base += scale * dy[m]; all of it is zeroed first
 * unless it has `add`. A row that is named several times is summed in the list's order, whatever the number of
 * threads. */
void hl_row_list_add(const hl_op_call *call, const hl_row_list *rows, hl_real scale, int i);

/* The rows from `begin` to `end` - 1 of what hl_row_list_add would make of a dx of zeros, to dx (end - begin, D). */
void hl_row_list_sum(const hl_row_list *rows, hl_real scale, const hl_real *dy, int64_t begin, int64_t end,
                     hl_real *dx);

#endif
