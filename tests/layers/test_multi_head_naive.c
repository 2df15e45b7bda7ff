/* Multi-head attention and its naive composition in bf16, where both multiply by W_O alike: the one by all of it, the
 * other by the columns of a head. (In double they agree: double/test_multi_head_naive.c.) */
#include "core/kernels/bf16.h"
#include "layers/multi_head_naive.h"
#include "tests/check_suite.h"
#include "tests/layers/attention_cases.h"
#include "tests/layers/examples.h"

#include <math.h>

static void fill(hl_tensor *tensor, hl_real value)
{
    for (int64_t i = 0; i < hl_shape_count(tensor->shape); i++) {
        tensor->data[i] = value;
    }
}

/* y[0] with z everywhere 1e-30 and in W_O a number that is finite as a float and infinite as a bf16. */
static hl_real output_of(bool bf16, bool naive)
{
    const attention_case c = {
        .name = "in bf16", .B = 1, .Tq = 3, .Tk = 3, .D = 4, .H = 2, .Hkv = 2, .Dk = 2, .Dv = 2, .bias = true
    };
    attention_call call;
    hl_naive_padding padding;
    attention_call_init(&call, &c, 0, 0);
    CHECK_OK(hl_naive_padding_init(&padding, &call.rules, c.H));
    fill(call.layer.in_proj_weight, 0);
    fill(call.layer.in_proj_bias, 1e-30F);
    fill(call.layer.out_proj.weight, 3.4e38F);
    call.layer.in_proj_weight->bf16 = call.layer.out_proj.weight->bf16 = bf16;
    hl_tape *tape = example_tape((hl_tape_options){ .threads = 1 });
    hl_tensor *x = hl_tape_tensor(tape, HL_SHAPE(call.Nq, c.D), call.x, false);
    hl_tensor *y = naive ? hl_multi_head_naive_forward(tape, &call.layer, x, x, &padding)
                         : hl_multi_head_forward(tape, &call.layer, x, x, &call.rules, NULL, (hl_linear_after){ 0 });
    CHECK_OK(hl_tape_status(tape));
    hl_real found = y->data[0];
    hl_naive_padding_free(&padding);
    attention_call_free(&call);
    return found;
}

TEST(both_multiply_by_the_output_weights_in_bf16)
{
    ck_assert(isfinite(output_of(false, false)) && isfinite(output_of(false, true)));
    if (hl_bf16_missing() == NULL) {
        ck_assert(isinf(output_of(true, false)) && isinf(output_of(true, true)));
    }
}

SUITE("naive attention in bf16")
