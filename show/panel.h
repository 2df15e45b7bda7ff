/* One head's map, as it is drawn in pictures and in a terminal. */
#pragma once

#include "core/base/declarations.h"
#include "core/base/real.h"
#include "core/base/status.h"

#include <stdint.h>

HL_BEGIN_DECLS

/* Nothing in it is owned. */
typedef struct hl_panel {
    const char *title;          /* "L0H3 offset(-11) 0.98"; NULL: none */
    const hl_real *weights;     /* query i attends to key j with weights[i * stride + j], 0 .. 1 */
    int64_t n_queries, n_keys;  /* without padding; at least 1 */
    int64_t stride;             /* at least n_keys */
    const char *const *queries; /* (n_queries): the texts of tokens, of any bytes; NULL: no names */
    const char *const *keys;    /* (n_keys); may be the same array */
} hl_panel;

/* HL_INVALID if it cannot be drawn: no weights, a count below 1, a stride below n_keys, a token that is NULL. */
hl_status hl_panel_check(const hl_panel *panel);

/* A map is cut into n_rows times n_columns blocks of nearly equal size. There are at most as many blocks as weights. */
typedef struct hl_panel_blocks {
    int64_t n_rows, n_columns;
} hl_panel_blocks;

static inline int64_t hl_at_most(int64_t n, int64_t most)
{
    return n < most ? n : most;
}

/* The first of `count` weights, queries or keys that block `block` of `n_blocks` covers; for block = n_blocks,
 * `count`. */
int64_t hl_panel_block_begin(int64_t count, int64_t n_blocks, int64_t block);

/* The mean weight of a block. */
double hl_panel_mean(const hl_panel *panel, hl_panel_blocks blocks, int64_t row, int64_t column);

HL_END_DECLS
