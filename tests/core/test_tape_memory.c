/* For every op case: a pass needs as much memory as its dry tape says, and with less it fails with an error. */
#include "core/base/threads.h"
#include "tests/check_suite.h"
#include "tests/core/op_cases.h"
#include "tests/owned.h"

#include <string.h>

/* A case with its numbers. */
typedef struct work {
    const op_case *c;
    hl_real *values[OP_CASE_MAX_INPUTS];
    hl_real *dy;
} work;

static void prepare(work *w, const op_case *c)
{
    hl_threads_setup();
    *w = (work){ .c = c };
    for (int i = 0; i < op_case_inputs(c); i++) {
        w->values[i] = owned_calloc(hl_shape_count(c->inputs[i].shape), sizeof(hl_real));
        op_case_fill(c, i, w->values[i]);
    }
}

/* Forward, and backward too where `gradients`, in an arena of so many bytes. */
static hl_status run(work *w, size_t bytes, int threads, bool gradients, bool dry, hl_tape **tape)
{
    hl_tensor *in[OP_CASE_MAX_INPUTS] = { NULL };
    *tape = owned_tape(bytes, op_case_options(threads, gradients, dry));
    for (int i = 0; i < op_case_inputs(w->c); i++) {
        in[i] = hl_tape_tensor(*tape, w->c->inputs[i].shape, dry ? NULL : w->values[i], true);
    }
    hl_tensor *y = w->c->build(*tape, in, w->c->attributes);
    if (y != NULL && w->dy == NULL) {
        w->dy = owned_calloc(hl_shape_count(y->shape), sizeof *w->dy);
    }
    return gradients && hl_tape_status(*tape).code == HL_OK ? hl_tape_backward_from(*tape, y, w->dy)
                                                            : hl_tape_status(*tape);
}

/* The bytes that the pass will hold when it ends, and the most on the way. */
static void measure(work *w, int threads, bool gradients, size_t *held, size_t *bytes)
{
    hl_tape *tape;
    CHECK_OK(run(w, (size_t)1 << 16, threads, gradients, true, &tape));
    *held = tape->memory.records + tape->memory.held;
    *bytes = hl_tape_bytes(tape);
}

LOOP_TEST(a_pass_takes_what_its_dry_run_counted, 0, op_case_count)
{
    work w;
    prepare(&w, &op_cases[_i]);
    for (int variant = 0; variant < 4; variant++) {
        int threads = variant % 2 == 0 ? 1 : 3;
        bool gradients = variant >= 2;
        size_t held, bytes;
        hl_tape *tape;
        measure(&w, threads, gradients, &held, &bytes);
        hl_status status = run(&w, bytes, threads, gradients, false, &tape);
        char name[OP_CASE_NAME];
        ck_assert_msg(status.code == HL_OK, "%s: %s", op_case_name(w.c, name), status.text);
        ck_assert_uint_eq(tape->arena->used, held);
        ck_assert_uint_eq(tape->arena->peak, bytes);
    }
}

/* Every arena of less is full at some other place. */
LOOP_TEST(a_full_arena_is_a_clean_error, 0, op_case_count)
{
    work w;
    prepare(&w, &op_cases[_i]);
    size_t held, bytes, steps = 40;
    measure(&w, 1, true, &held, &bytes);
    for (size_t step = 0; step < steps; step++) {
        hl_tape *tape;
        hl_status status = run(&w, step == 0 ? bytes - 64 : step * bytes / steps / 64 * 64, 1, true, false, &tape);
        ck_assert_int_eq(status.code, HL_NO_MEMORY);
        ck_assert_str_eq(status.text, "out of memory: the arena of one step is full");
        ck_assert_int_eq(hl_tape_status(tape).code, HL_NO_MEMORY);
    }
}

SUITE("tape memory")
