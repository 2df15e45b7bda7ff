/* The figure of what all heads find: a map with a row for each kind of case, and a column for each baseline and each
 * head. */
#pragma once

#include "core/base/status.h"
#include "core/base/text.h"
#include "heads/head_set.h"
#include "show/picture.h"

#include <stdint.h>

/* All arrays are owned; the names of rows and of baselines are not. */
typedef struct hl_heads_shares {
    int64_t n_rows, n_columns;
    hl_real *values;      /* (n_rows, n_columns): shares from 0 to 1; NAN is drawn as 0 */
    const char **rows;    /* (n_rows): names, to be set */
    const char **columns; /* (n_columns): the baselines' names, then the heads' */
    hl_head_name *heads;  /* (heads) */
} hl_heads_shares;

/* `baselines` has n_baselines names; `shape` has the heads. HL_NO_MEMORY; must be freed on failure too. */
hl_status hl_heads_shares_init(hl_heads_shares *shares, int64_t n_rows, const char *const *baselines,
                               int64_t n_baselines, const hl_model_config *shape);

/* Draws the shares. row, colours: what a row and the colours stand for. Fails as hl_picture_print, or with the
 * caption's error. */
hl_status hl_heads_shares_draw(const hl_heads_shares *shares, const hl_text *caption, const char *row,
                               const char *colours, hl_picture_format format, hl_text *bytes);

/* A zeroed or already freed struct is allowed. */
void hl_heads_shares_free(hl_heads_shares *shares);
