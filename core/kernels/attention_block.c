#include "core/kernels/private/attention_block.h"

#include "core/base/private/least.h"

#include <string.h>

enum { LANES = 16, PANEL = 64 };

hl_attention_rows hl_attention_rows_of(hl_attention_rows x, int64_t row, int64_t h, int64_t width)
{
    return (hl_attention_rows){ x.at != NULL ? x.at + row * x.stride + h * width : NULL, x.stride };
}

hl_attention_rows hl_attention_rows_from(hl_attention_rows x, int64_t i)
{
    return (hl_attention_rows){ x.at != NULL ? x.at + i * x.stride : NULL, x.stride };
}

int64_t hl_attention_row(int64_t length)
{
    return (length + LANES - 1) / LANES * LANES;
}

/* Short sequences are processed in place, with their exact length. Rounding the length up would cost more than code for
 * a few more shapes. */
static bool is_short(int64_t length)
{
    return length <= HL_ATTENTION_BLOCK;
}

hl_real *hl_attention_take(hl_real **scratch, int64_t n)
{
    hl_real *at = *scratch;
    *scratch += hl_attention_row(n);
    return at;
}

/* Whole vectors, because code that reads a part of a vector which a product has just stored must wait for it. LIBXSMM
 * adds rows of at most half a vector in an order of their own. */
int64_t hl_attention_columns(int64_t n_keys)
{
    return n_keys > LANES / 2 ? hl_attention_row(n_keys) : n_keys;
}

int64_t hl_attention_panel(int64_t padded, int64_t first)
{
    int64_t left = padded - first;
    return left <= PANEL + LANES ? left : PANEL;
}

/* The first key of the panel that holds a key. */
static int64_t panel_of(int64_t padded, int64_t key)
{
    int64_t first = key / PANEL * PANEL;
    return first >= PANEL && padded - first <= LANES ? first - PANEL : first;
}

/* A block begins with a whole panel and ends with a whole vector. The last panel may have one more vector. */
int64_t hl_attention_weights_row(const hl_mask *mask, int64_t n_keys)
{
    int64_t all = hl_attention_row(n_keys);
    if (mask->window == 0) {
        return all;
    }
    int64_t panels = (hl_mask_before(mask) + PANEL - 1) / PANEL * PANEL;
    return hl_least(all, HL_ATTENTION_BLOCK + panels + hl_attention_row(hl_mask_after(mask)) + LANES);
}

hl_attention_rows hl_attention_stage(hl_attention_rows x, int64_t n, int64_t padded, int64_t width, hl_real **scratch)
{
    hl_attention_rows copy = { hl_attention_take(scratch, padded * width), width };
    for (int64_t i = 0; i < n; i++) {
        memcpy(copy.at + i * width, x.at + i * x.stride, (size_t)width * sizeof *copy.at);
    }
    memset(copy.at + n * width, 0, (size_t)((padded - n) * width) * sizeof *copy.at);
    return copy;
}

void hl_attention_view_of(const hl_attention_pass *pass, int64_t b, int64_t h, hl_dropout_draws *draws,
                          hl_real **scratch, hl_attention_view *head)
{
    hl_attention_sizes s = pass->sizes;
    int64_t kv = h / (s.H / s.Hkv), first_query = hl_sequences_first(&pass->queries, b),
            first_key = hl_sequences_first(&pass->keys, b), n_queries = hl_sequences_length(&pass->queries, b),
            n_keys = hl_sequences_length(&pass->keys, b), row = hl_attention_weights_row(&pass->mask, n_keys);
    *head = (hl_attention_view){
        .pass = pass,
        .draws = draws,
        .s = s,
        .b = b,
        .h = h,
        .kv = kv,
        .first_query = first_query,
        .first_key = first_key,
        .n_queries = n_queries,
        .n_keys = n_keys,
        .staged = !is_short(n_queries) || !is_short(n_keys),
        .queries = n_queries,
        .keys = n_keys,
        .padded = hl_attention_row(n_keys),
        .row = row,
        .q = hl_attention_rows_of(pass->q, first_query, h, s.Dk),
        .k = hl_attention_rows_of(pass->k, first_key, kv, s.Dk),
        .v = hl_attention_rows_of(pass->v, first_key, kv, s.Dv),
        .A = pass->A != NULL
                 ? pass->A + first_query * s.H * hl_attention_weights_row(&pass->mask, s.Tk) + h * n_queries * row
                 : NULL,
    };
    if (head->staged) {
        head->queries = hl_attention_row(n_queries);
        head->keys = head->padded;
        head->q = hl_attention_stage(head->q, n_queries, head->queries, s.Dk, scratch);
        head->k = hl_attention_stage(head->k, n_keys, head->keys, s.Dk, scratch);
        head->v = hl_attention_stage(head->v, n_keys, head->keys, s.Dv, scratch);
    }
}

hl_attention_block hl_attention_block_of(const hl_attention_view *head, int64_t first)
{
    int64_t n = hl_least(HL_ATTENTION_BLOCK, head->queries - first);
    const hl_mask *mask = &head->pass->mask;
    int64_t first_key = panel_of(head->padded, hl_mask_row_keys(mask, first, head->keys).begin),
            end = hl_mask_row_keys(mask, first + n - 1, head->keys).end;
    return (hl_attention_block){
        .head = head,
        .first = first,
        .n = n,
        .n_real = hl_least(n, head->n_queries - first),
        .first_key = first_key,
        .n_keys = hl_least(hl_attention_row(end), head->keys) - first_key,
        .q = hl_attention_rows_from(head->q, first),
        .k = hl_attention_rows_from(head->k, first_key),
        .v = hl_attention_rows_from(head->v, first_key),
        .A = head->A != NULL ? head->A + first * head->row : NULL,
    };
}

int64_t hl_attention_head_scratch(const hl_attention_pass *pass)
{
    hl_attention_sizes s = pass->sizes;
    const int64_t most = (int64_t)1 << 30;
    if (s.Tq > most || s.Tk > most || s.Dk > most || s.Dv > most) {
        return -1;
    }
    int64_t queries = hl_attention_row(s.Tq), keys = hl_attention_row(s.Tk),
            width = hl_attention_row(s.Dk > s.Dv ? s.Dk : s.Dv), block = hl_least(HL_ATTENTION_BLOCK, queries),
            row = hl_attention_weights_row(&pass->mask, s.Tk), all;
    bool staged = s.Tq > HL_ATTENTION_BLOCK || s.Tk > HL_ATTENTION_BLOCK;
    /* The scratch memory holds K^T or V^T, and weights: backward needs dA, dropout(A) and dz of a block. It also holds
     * copies of q, k, v and z, and of their gradients. */
    int64_t whole = keys + (staged ? 2 * (queries + keys) : 0), of_block = row;
    if (pass->backward) {
        bool again = pass->recompute; /* then also K^T, and A of a block */
        whole += (staged ? queries + 2 * keys : 0) + (again ? keys : 0);
        of_block = (again ? 3 : 2) * row + width;
    }
    return __builtin_mul_overflow(whole, width, &all) || all > INT64_MAX / 8 ? -1 : all + block * of_block;
}
