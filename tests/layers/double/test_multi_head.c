/* The gradients of multi-head attention: of x, memory, gate and every parameter. */
#include "core/base/memory.h"
#include "tests/check_suite.h"
#include "tests/gradient_check.h"
#include "tests/layers/attention_cases.h"
#include "tests/layers/examples.h"

/* A call with what is probed of it. */
typedef struct probed_call {
    attention_call call;
    int gate; /* the place of the gate among the inputs; 0: none */
    const hl_real *const *replace;
} probed_call;

static hl_tensor *build(hl_tape *tape, hl_tensor *const *in, void *context)
{
    const probed_call *p = context;
    hl_tensor *memory = p->call.c->cross ? in[1] : in[0];
    hl_head_probe probe = { .gate = p->gate > 0 ? in[p->gate] : NULL, .replace = p->replace };
    return hl_multi_head_forward(tape, &p->call.layer, in[0], memory, &p->call.rules, &probe, (hl_linear_after){ 0 });
}

static void check(probed_call *p, bool gated, hl_tape_options options)
{
    const attention_case *c = p->call.c;
    hl_real *gates = example_numbers(4, c->B * c->H);
    gradient_input inputs[3] = { { .name = "x", .shape = HL_SHAPE(p->call.Nq, c->D), .values = p->call.x } };
    int n = 1;
    if (c->cross) {
        inputs[n++] =
            (gradient_input){ .name = "memory", .shape = HL_SHAPE(p->call.Nk, c->D), .values = p->call.memory };
    }
    if (gated) {
        p->gate = n;
        inputs[n++] = (gradient_input){ .name = "gate", .shape = HL_SHAPE(c->B, c->H), .values = gates };
    }
    gradient_check_assert(c->name, &(gradient_check){ .build = build,
                                                      .context = p,
                                                      .inputs = inputs,
                                                      .n_inputs = n,
                                                      .parameters = &p->call.parameters,
                                                      .options = options });
}

LOOP_TEST(plain, 0, attention_case_count)
{
    probed_call p = { .gate = 0 };
    attention_call_init(&p.call, &attention_cases[_i], 0, 0);
    check(&p, false, (hl_tape_options){ 0 });
    attention_call_free(&p.call);
}

LOOP_TEST(dropped_and_gated, 0, attention_case_count)
{
    probed_call p = { .gate = 0 };
    attention_call_init(&p.call, &attention_cases[_i], (hl_real)0.375, (hl_real)0.25);
    check(&p, true, (hl_tape_options){ .training = true, .seed = 5, .step = 1 });
    attention_call_free(&p.call);
}

/* Given weights stand for the last head's softmax, but for the first row of every example, which it keeps. */
LOOP_TEST(replaced, 0, attention_case_count)
{
    probed_call p = { .gate = 0 };
    const attention_case *c = &attention_cases[_i];
    attention_call_init(&p.call, c, 0, 0);
    int64_t Tq = p.call.rules.queries.longest, Tk = p.call.rules.keys.longest;
    hl_real *given = example_numbers(6, c->B * Tq * Tk);
    for (int64_t i = 0; i < c->B * Tq * Tk; i++) {
        bool kept = i / Tk % Tq == 0;
        given[i] = kept ? -1 : (1 + given[i]) / 2;
    }
    const hl_real *heads[8] = { NULL };
    heads[c->H - 1] = given;
    p.replace = heads;
    check(&p, true, (hl_tape_options){ 0 });
    attention_call_free(&p.call);
}

SUITE("multi-head gradients")
