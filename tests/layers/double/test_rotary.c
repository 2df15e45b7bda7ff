/* Multi-head attention with rotary positions: weights depend on distances, so positions that are all moved by the same
 * number change nothing; positions that are not do. */
#include "tests/check_suite.h"
#include "tests/layers/attention_cases.h"
#include "tests/layers/examples.h"

#include <math.h>

enum { MOVED = 7, POSITIONS = 512 };

/* y for positions that count from `first` in each sequence, and from `key_first` for the memory. */
static void output_of(attention_call *call, int32_t first, int32_t key_first, hl_real *y)
{
    int32_t *positions[2] = { owned_calloc(call->Nq, sizeof(int32_t)), owned_calloc(call->Nk, sizeof(int32_t)) };
    const hl_sequences *sequences[2] = { &call->rules.queries, &call->rules.keys };
    for (int i = 0; i < 2; i++) {
        for (int64_t b = 0, n = 0; b < sequences[i]->n; b++) {
            for (int64_t t = 0; t < hl_sequences_length(sequences[i], b); t++) {
                positions[i][n++] = (int32_t)t + (i == 0 ? first : key_first);
            }
        }
    }
    call->rules.query_positions = positions[0];
    call->rules.key_positions = positions[1];
    const attention_case *c = call->c;
    hl_tape *tape = example_tape((hl_tape_options){ 0 });
    hl_tensor *x = hl_tape_tensor(tape, HL_SHAPE(call->Nq, c->D), call->x, false);
    hl_tensor *memory = c->cross ? hl_tape_tensor(tape, HL_SHAPE(call->Nk, c->D), call->memory, false) : x;
    const hl_tensor *out =
        hl_multi_head_forward(tape, &call->layer, x, memory, &call->rules, NULL, (hl_linear_after){ 0 });
    ck_assert_msg(out != NULL, "%s: %s", c->name, hl_tape_status(tape).text);
    for (int64_t i = 0; i < call->Nq * c->D; i++) {
        y[i] = out->data[i];
    }
}

static double difference(const hl_real *a, const hl_real *b, int64_t n)
{
    double most = 0;
    for (int64_t i = 0; i < n; i++) {
        most = fmax(most, fabs((double)(a[i] - b[i])));
    }
    return most;
}

LOOP_TEST(positions_that_move_together_change_nothing, 0, attention_case_count)
{
    attention_call call;
    attention_call_init(&call, &attention_cases[_i], 0, 0);
    const attention_case *c = call.c;
    hl_rotary rotary = { .max_length = POSITIONS, .width = c->Dk };
    CHECK_OK(hl_rotary_allocate(&rotary));
    call.layer.config.rotary = &rotary;
    int64_t n = call.Nq * c->D;
    hl_real *plain = owned_calloc(n, sizeof *plain), *moved = owned_calloc(n, sizeof *moved),
            *apart = owned_calloc(n, sizeof *apart);
    output_of(&call, 0, 0, plain);
    output_of(&call, MOVED, MOVED, moved);
    ck_assert_msg(difference(plain, moved, n) < 1e-12, "%s: %g", c->name, difference(plain, moved, n));
    if (c->cross && c->Dk > 1 && c->Tk > 1) {
        output_of(&call, MOVED, 0, apart);
        ck_assert_msg(difference(plain, apart, n) > 1e-6, "%s", c->name);
    }
    hl_rotary_free(&rotary);
    attention_call_free(&call);
}

SUITE("rotary attention")
