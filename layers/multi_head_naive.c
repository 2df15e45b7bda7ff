#include "layers/multi_head_naive.h"

#include "core/base/memory.h"
#include "core/ops/add.h"
#include "core/ops/gather_rows.h"
#include "core/ops/linear.h"
#include "core/ops/matmul.h"
#include "core/ops/scale.h"
#include "core/ops/slice.h"
#include "core/ops/softmax.h"

#include <tgmath.h>

/* ---- padding ---- */

/* The row at each padded position (B, T). */
static int32_t *place_rows(const hl_sequences *sequences)
{
    int64_t T = sequences->longest;
    int32_t *rows = hl_calloc((size_t)(sequences->n * T), sizeof *rows);
    for (int64_t i = 0; rows != NULL && i < sequences->n * T; i++) {
        int64_t b = i / T, t = i % T;
        rows[i] = (int32_t)(hl_sequences_first(sequences, b) + (t < hl_sequences_length(sequences, b) ? t : 0));
    }
    return rows;
}

static bool all_longest(const hl_sequences *sequences)
{
    return hl_sequences_first(sequences, sequences->n) == sequences->n * sequences->longest;
}

/* The rules' bias, and -inf for keys that are padding. */
static void fill_bias(hl_naive_padding *p, const hl_attention_rules *rules, int64_t H)
{
    for (int64_t row = 0; row < p->B * H * p->Tq; row++) {
        int64_t b = row / (H * p->Tq), h = row / p->Tq % H, i = row % p->Tq;
        const hl_real *bias =
            i < hl_sequences_length(&rules->queries, b) ? hl_mask_row_bias(&rules->mask, b, h, i) : NULL;
        int64_t n = hl_sequences_length(&rules->keys, b);
        for (int64_t j = 0; j < p->Tk; j++) {
            p->numbers[row * p->Tk + j] = j >= n ? -INFINITY : bias != NULL ? bias[j] : 0;
        }
    }
    p->bias = (hl_tensor){ .shape = HL_SHAPE(p->B, H, p->Tq, p->Tk), .data = p->numbers };
}

hl_status hl_naive_padding_init(hl_naive_padding *padding, const hl_attention_rules *rules, int64_t n_heads)
{
    const hl_sequences *queries = &rules->queries, *keys = &rules->keys;
    *padding = (hl_naive_padding){ .B = queries->n,
                                   .Tq = queries->longest,
                                   .Tk = keys->longest,
                                   .Nq = hl_sequences_first(queries, queries->n),
                                   .queries = place_rows(queries),
                                   .keys = place_rows(keys),
                                   .rules = *rules };
    padding->places = hl_calloc((size_t)padding->Nq, sizeof *padding->places);
    bool forbids = rules->mask.bias != NULL || !all_longest(keys), complete = true;
    if (forbids) {
        padding->numbers =
            hl_calloc((size_t)(padding->B * n_heads * padding->Tq * padding->Tk), sizeof *padding->numbers);
        complete = padding->numbers != NULL;
    }
    HL_NEED(complete && padding->queries != NULL && padding->keys != NULL && padding->places != NULL,
            "padded attention");
    for (int64_t b = 0, n = 0; b < padding->B; b++) {
        for (int64_t t = 0; t < hl_sequences_length(queries, b); t++) {
            padding->places[n++] = (int32_t)(b * padding->Tq + t);
        }
    }
    if (forbids) {
        fill_bias(padding, rules, n_heads);
    }
    return hl_ok();
}

void hl_naive_padding_free(hl_naive_padding *padding)
{
    hl_free(padding->queries);
    hl_free(padding->keys);
    hl_free(padding->places);
    hl_free(padding->numbers);
    *padding = (hl_naive_padding){ 0 };
}

/* ---- attention ---- */

/* z_h = softmax(q_h k_h^T / sqrt(Dk)) v_h */
static hl_tensor *head_output(hl_tape *tape, hl_multi_head_config c, hl_tensor *q, hl_tensor *k, hl_tensor *v,
                              hl_mask mask, int64_t h)
{
    int64_t kv = h / (c.n_heads / c.n_kv_heads);
    hl_tensor *q_h = hl_slice(tape, q, h * c.d_k, c.d_k);
    hl_tensor *k_h = hl_slice(tape, k, kv * c.d_k, c.d_k);
    hl_tensor *v_h = hl_slice(tape, v, kv * c.d_v, c.d_v);
    hl_tensor *scores = hl_scale(tape, hl_matmul(tape, q_h, k_h, false, true), 1 / sqrt((hl_real)c.d_k));
    return hl_matmul(tape, hl_softmax(tape, scores, mask, h), v_h, false, false);
}

/* q, k or v (`which` 0, 1, 2), with rotary positions if the layer has them. */
static hl_tensor *project(hl_tape *tape, const hl_multi_head *layer, hl_tensor *x, int which,
                          const hl_attention_rules *rules)
{
    hl_tensor *y = hl_multi_head_project(tape, layer, x, which);
    return which < 2 ? hl_multi_head_rotate(tape, layer, y, which, rules) : y;
}

hl_tensor *hl_multi_head_naive_forward(hl_tape *tape, const hl_multi_head *layer, hl_tensor *x, hl_tensor *memory,
                                       const hl_naive_padding *padding)
{
    const hl_naive_padding *p = padding;
    hl_multi_head_config c = layer->config;
    const char *before = hl_tape_scope(tape, layer->name.text);
    hl_mask mask = { .causal = p->rules.mask.causal, .window = c.window, .bias = p->numbers != NULL ? &p->bias : NULL };
    hl_shape queries = HL_SHAPE(p->B, p->Tq), keys = HL_SHAPE(p->B, p->Tk);
    hl_tensor *q = hl_gather_rows(tape, project(tape, layer, x, 0, &p->rules), p->queries, 0, queries);
    hl_tensor *k = hl_gather_rows(tape, project(tape, layer, memory, 1, &p->rules), p->keys, 0, keys);
    hl_tensor *v = hl_gather_rows(tape, project(tape, layer, memory, 2, &p->rules), p->keys, 0, keys);
    hl_tensor *y = NULL;
    for (int64_t h = 0; h < c.n_heads; h++) {
        /* Concat(z_1, ..., z_H) W_O is the sum of every head's z_h times its own columns of W_O. */
        hl_tensor *W_h = hl_slice(tape, layer->out_proj.weight, h * c.d_v, c.d_v);
        if (W_h != NULL) {
            W_h->bf16 = layer->out_proj.weight->bf16;
        }
        hl_tensor *y_h = hl_linear(tape, head_output(tape, c, q, k, v, mask, h), W_h, NULL);
        y = h == 0 ? y_h : hl_add(tape, y, y_h);
    }
    if (layer->out_proj.bias != NULL) {
        y = hl_add(tape, y, layer->out_proj.bias);
    }
    y = hl_gather_rows(tape, y, p->places, 0, HL_SHAPE(p->Nq));
    hl_tape_scope(tape, before);
    return y;
}
