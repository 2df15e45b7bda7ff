#include "tests/layers/attention_cases.h"

#include "core/base/memory.h"
#include "tests/layers/examples.h"

#include <math.h>

/* clang-format off */
const attention_case attention_cases[] = {
    { "packed",                  2, 3, 3, 4, 2, 2, 2, 2, .bias = true },
    { "packed, no bias",         2, 3, 3, 4, 2, 2, 2, 2, .bias = false },
    { "one of everything",       1, 1, 1, 1, 1, 1, 1, 1, .bias = true },
    { "one head",                2, 5, 5, 3, 1, 1, 3, 3, .bias = true, .causal = true },
    { "causal",                  2, 5, 5, 6, 3, 3, 2, 2, .bias = true, .causal = true },
    { "ragged",                  3, 4, 4, 4, 2, 2, 2, 2, .bias = true, .q_lengths = { 4, 2, 1 } },
    { "ragged keys alone",       3, 4, 4, 4, 2, 2, 2, 2, .bias = true, .cross = true, .k_lengths = { 1, 4, 3 } },
    { "longer than a block",     2, 65, 65, 2, 1, 1, 2, 2, .bias = true, .q_lengths = { 65, 3 } },
    { "causal and ragged",       3, 5, 5, 6, 2, 2, 3, 3, .bias = true, .causal = true, .q_lengths = { 5, 3, 1 } },
    { "Dk and Dv free",          2, 3, 3, 5, 3, 3, 2, 4, .bias = true },
    { "Dk and Dv free, no bias", 2, 3, 3, 5, 3, 3, 4, 1, .causal = true },
    { "grouped queries",         2, 3, 3, 8, 4, 2, 2, 2, .bias = true },
    { "grouped queries, causal", 2, 4, 4, 5, 6, 3, 1, 2, .bias = true, .causal = true, .q_lengths = { 3, 4 } },
    { "multi-query",             2, 3, 3, 5, 4, 1, 3, 2, .bias = true },
    { "multi-query, no bias",    1, 7, 7, 3, 5, 1, 1, 1, .bias = false },
    { "cross, packed",           2, 3, 5, 4, 2, 2, 2, 2, .bias = true, .cross = true },
    { "cross, packed, no bias",  2, 1, 7, 4, 2, 2, 2, 2, .cross = true, .k_lengths = { 7, 3 } },
    { "cross, more queries",     2, 5, 1, 4, 2, 2, 2, 2, .bias = true, .cross = true },
    { "cross, unpacked",         2, 3, 4, 5, 4, 2, 3, 1, .bias = true, .cross = true, .q_lengths = { 2, 3 }, .k_lengths = { 4, 1 } },
    { "bias for all",            2, 3, 3, 4, 2, 2, 2, 2, .bias = true, .bias_examples = 1, .bias_heads = 1 },
    { "bias of each head",       2, 3, 3, 4, 2, 2, 2, 2, .bias = true, .bias_examples = 1, .bias_heads = 2 },
    { "bias of each example",    2, 3, 4, 4, 2, 1, 2, 2, .bias = true, .cross = true, .bias_examples = 2, .bias_heads = 1 },
    { "window",                  2, 5, 5, 4, 2, 2, 2, 2, .bias = true, .window = 3, .q_lengths = { 5, 2 } },
    { "window of itself",        1, 3, 3, 4, 2, 1, 2, 3, .bias = true, .window = 1 },
    { "window, causal, bias",    2, 6, 6, 4, 2, 2, 2, 2, .bias = true, .causal = true, .window = 2, .bias_examples = 2, .bias_heads = 2, .forbidding = true, .q_lengths = { 6, 4 } },
    { "window in blocks",        2, 230, 230, 2, 1, 1, 2, 2, .bias = true, .window = 5, .q_lengths = { 230, 81 } },
    { "window in blocks, causal", 2, 211, 211, 2, 2, 1, 1, 2, .causal = true, .window = 70, .q_lengths = { 211, 145 } },
    { "window in blocks, bias",  1, 205, 205, 2, 1, 1, 2, 2, .bias = true, .window = 4, .bias_examples = 1, .bias_heads = 1 },
    { "window at the last panel", 1, 75, 75, 2, 1, 1, 2, 1, .bias = true, .window = 1 },
    { "window in blocks, few keys", 1, 300, 97, 2, 1, 1, 1, 1, .bias = true, .cross = true, .window = 9 },
    { "bias that forbids",       2, 4, 4, 6, 3, 3, 2, 2, .bias = true, .causal = true, .bias_examples = 2, .bias_heads = 3, .forbidding = true, .q_lengths = { 4, 3 } },
};
/* clang-format on */
const int attention_case_count = sizeof attention_cases / sizeof *attention_cases;

static void make_bias(attention_call *call)
{
    const attention_case *c = call->c;
    hl_shape shape = HL_SHAPE(c->bias_examples, c->bias_heads, c->Tq, c->Tk);
    int64_t n = hl_shape_count(shape);
    call->bias = example_numbers(3, n);
    for (int64_t i = 0; c->forbidding && i < n; i++) {
        if (i < c->Tk || i % 5 == 3) {
            call->bias[i] = -INFINITY;
        }
    }
    call->bias_tensor = (hl_tensor){ .shape = shape, .data = call->bias };
    call->rules.mask.bias = &call->bias_tensor;
}

void attention_call_init(attention_call *call, const attention_case *c, hl_real dropout_weights, hl_real dropout_concat)
{
    *call = (attention_call){ .c = c };
    call->layer = hl_multi_head_make(&call->parameters, hl_name_of("attention"),
                                     (hl_multi_head_config){ .d_model = c->D,
                                                             .n_heads = c->H,
                                                             .n_kv_heads = c->Hkv,
                                                             .d_k = c->Dk,
                                                             .d_v = c->Dv,
                                                             .bias = c->bias,
                                                             .window = c->window,
                                                             .dropout_weights = dropout_weights,
                                                             .dropout_concat = dropout_concat });
    example_fill(&call->parameters);
    call->rules.mask.causal = c->causal;
    call->rules.queries = example_sequences(c->B, c->Tq, c->q_lengths[0] > 0 ? c->q_lengths : NULL, call->q_offsets);
    call->rules.keys = call->rules.queries;
    if (c->cross) {
        call->rules.keys = example_sequences(c->B, c->Tk, c->k_lengths[0] > 0 ? c->k_lengths : NULL, call->k_offsets);
    }
    call->Nq = hl_sequences_first(&call->rules.queries, c->B);
    call->Nk = hl_sequences_first(&call->rules.keys, c->B);
    call->x = example_numbers(1, call->Nq * c->D);
    call->memory = c->cross ? example_numbers(2, call->Nk * c->D) : NULL;
    if (c->bias_examples > 0) {
        make_bias(call);
    }
}

void attention_call_free(attention_call *call)
{
    hl_parameters_free(&call->parameters);
}
