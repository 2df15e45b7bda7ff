#include "programs/heads/shares_chart.h"

#include "core/base/memory.h"
#include "programs/heads/deliver.h"

hl_status hl_heads_shares_init(hl_heads_shares *shares, int64_t n_rows, const char *const *baselines,
                               int64_t n_baselines, const hl_model_config *shape)
{
    int64_t n_heads = hl_heads_count(shape), n = n_baselines + n_heads;
    *shares = (hl_heads_shares){ .n_rows = n_rows, .n_columns = n };
    shares->values = hl_calloc((size_t)(n_rows * n), sizeof *shares->values);
    shares->rows = hl_calloc((size_t)n_rows, sizeof *shares->rows);
    shares->columns = hl_calloc((size_t)n, sizeof *shares->columns);
    shares->heads = hl_calloc((size_t)n_heads, sizeof *shares->heads);
    HL_NEED(shares->values != NULL && shares->rows != NULL && shares->columns != NULL && shares->heads != NULL,
            "a figure");
    for (int64_t b = 0; b < n_baselines; b++) {
        shares->columns[b] = baselines[b];
    }
    for (int64_t h = 0; h < n_heads; h++) {
        shares->heads[h] = hl_head_name_at(shape, h);
        shares->columns[n_baselines + h] = shares->heads[h].text;
    }
    return hl_ok();
}

hl_status hl_heads_shares_draw(const hl_heads_shares *shares, const hl_text *caption, const char *row,
                               const char *colours, hl_picture_format format, hl_text *bytes)
{
    HL_TRY(hl_text_status(caption));
    hl_panel panel = { .weights = shares->values,
                       .n_queries = shares->n_rows,
                       .n_keys = shares->n_columns,
                       .stride = shares->n_columns,
                       .queries = shares->rows,
                       .keys = shares->columns };
    hl_picture picture = { .panels = &panel,
                           .row_lengths = (const int64_t[]){ 1 },
                           .n_rows = 1,
                           .caption = caption->bytes,
                           .names = { .rows = row, .columns = "head", .colours = colours } };
    return hl_picture_print(&picture, format, HL_HEADS_PNG_DPI, bytes);
}

void hl_heads_shares_free(hl_heads_shares *shares)
{
    hl_free(shares->values);
    hl_free(shares->rows);
    hl_free(shares->columns);
    hl_free(shares->heads);
    *shares = (hl_heads_shares){ 0 };
}
