/* Multi-head attention against its naive composition of primitive ops. */
#include "core/base/memory.h"
#include "layers/multi_head_naive.h"
#include "tests/check_suite.h"
#include "tests/layers/attention_cases.h"
#include "tests/layers/examples.h"

#include <string.h>

typedef hl_tensor *forward(hl_tape *tape, const attention_call *call, hl_tensor *x, hl_tensor *memory);

static hl_tensor *batched(hl_tape *tape, const attention_call *call, hl_tensor *x, hl_tensor *memory)
{
    return hl_multi_head_forward(tape, &call->layer, x, memory, &call->rules, NULL, (hl_linear_after){ 0 });
}

static hl_naive_padding padding;

static hl_tensor *naive(hl_tape *tape, const attention_call *call, hl_tensor *x, hl_tensor *memory)
{
    return hl_multi_head_naive_forward(tape, &call->layer, x, memory, &padding);
}

/* Output and gradients of one way to compute a call; blocks of its own. */
typedef struct outcome {
    hl_real *y, *dx, *dmemory, *grads;
} outcome;

static hl_real *copy_of(const hl_real *numbers, int64_t n)
{
    hl_real *copy = owned_calloc(n, sizeof *copy);
    ck_assert_ptr_nonnull(numbers);
    return memcpy(copy, numbers, (size_t)n * sizeof *copy);
}

static outcome run(attention_call *call, forward *way)
{
    const attention_case *c = call->c;
    int64_t n = call->Nq * c->D, n_memory = call->Nk * c->D;
    hl_parameters_zero_grad(&call->parameters);
    hl_tape *tape = example_tape((hl_tape_options){ .gradients = true, .threads = 2 });
    hl_tensor *x = hl_tape_tensor(tape, HL_SHAPE(call->Nq, c->D), call->x, true);
    hl_tensor *memory = c->cross ? hl_tape_tensor(tape, HL_SHAPE(call->Nk, c->D), call->memory, true) : x;
    hl_tensor *y = way(tape, call, x, memory);
    hl_real *dy = example_numbers(7, n);
    hl_status status = hl_tape_backward_from(tape, y, dy);
    ck_assert_msg(status.code == HL_OK, "%s: %s", c->name, status.text);
    outcome o = { .y = copy_of(y->data, n),
                  .dx = copy_of(x->grad, n),
                  .dmemory = c->cross ? copy_of(memory->grad, n_memory) : NULL,
                  .grads = example_grads_copy(&call->parameters) };
    return o;
}

LOOP_TEST(agrees, 0, attention_case_count)
{
    const attention_case *c = &attention_cases[_i];
    attention_call call;
    attention_call_init(&call, c, 0, 0);
    CHECK_OK(hl_naive_padding_init(&padding, &call.rules, c->H));
    outcome expected = run(&call, naive), got = run(&call, batched);
    example_assert_near("y", got.y, expected.y, call.Nq * c->D, 1e-12);
    example_assert_near("dx", got.dx, expected.dx, call.Nq * c->D, 1e-12);
    if (c->cross) {
        example_assert_near("dmemory", got.dmemory, expected.dmemory, call.Nk * c->D, 1e-12);
    }
    for (int p = 0; p < call.parameters.n; p++) {
        const hl_parameter *parameter = &call.parameters.list[p];
        example_assert_near(parameter->name, got.grads + parameter->offset, expected.grads + parameter->offset,
                            parameter->count, 1e-12);
    }
    hl_naive_padding_free(&padding);
    attention_call_free(&call);
}

SUITE("naive attention")
