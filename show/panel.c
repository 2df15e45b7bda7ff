#include "show/panel.h"

#include <stddef.h>

static hl_status check_tokens(const hl_panel *panel, const char *const *tokens, int64_t n)
{
    for (int64_t i = 0; tokens != NULL && i < n; i++) {
        if (tokens[i] == NULL) {
            return hl_error(HL_INVALID, "the map %s: token %lld of %lld is missing",
                            panel->title != NULL ? panel->title : "of a head", (long long)i, (long long)n);
        }
    }
    return hl_ok();
}

hl_status hl_panel_check(const hl_panel *panel)
{
    if (panel->weights == NULL || panel->n_queries < 1 || panel->n_keys < 1 || panel->stride < panel->n_keys) {
        return hl_error(HL_INVALID, "the map %s cannot be drawn: %lld queries, %lld keys, rows of %lld weights",
                        panel->title != NULL ? panel->title : "of a head", (long long)panel->n_queries,
                        (long long)panel->n_keys, (long long)panel->stride);
    }
    HL_TRY(check_tokens(panel, panel->queries, panel->n_queries));
    return check_tokens(panel, panel->keys, panel->n_keys);
}

int64_t hl_panel_block_begin(int64_t count, int64_t n_blocks, int64_t block)
{
    int64_t size = count / n_blocks, larger = count % n_blocks; /* the first ones are one larger */
    return block * size + (block < larger ? block : larger);
}

double hl_panel_mean(const hl_panel *panel, hl_panel_blocks blocks, int64_t row, int64_t column)
{
    int64_t top = hl_panel_block_begin(panel->n_queries, blocks.n_rows, row);
    int64_t bottom = hl_panel_block_begin(panel->n_queries, blocks.n_rows, row + 1);
    int64_t left = hl_panel_block_begin(panel->n_keys, blocks.n_columns, column);
    int64_t right = hl_panel_block_begin(panel->n_keys, blocks.n_columns, column + 1);
    double sum = 0;
    for (int64_t i = top; i < bottom; i++) {
        for (int64_t j = left; j < right; j++) {
            sum += panel->weights[i * panel->stride + j];
        }
    }
    return sum / (double)((bottom - top) * (right - left));
}
