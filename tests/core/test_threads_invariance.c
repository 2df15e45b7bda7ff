/* Every op gives the same bits at any thread count, on shapes where threads are really used. */
#include "core/memory.h"
#include "core/threads.h"
#include "tests/check_suite.h"
#include "tests/core/op_cases.h"
#include "tests/core/op_run.h"

#include <stdlib.h>
#include <string.h>

/* That a case is large enough is decided by the library: it must ask for more than one thread for what the op touches
 * least, the numbers of its largest input. */
static void check_large(const op_case *c)
{
    char name[OP_CASE_NAME];
    int64_t most = 0;
    for (int i = 0; i < op_case_inputs(c); i++) {
        int64_t count = hl_shape_count(c->inputs[i].shape);
        most = count > most ? count : most;
    }
    bool attention = strcmp(c->op, "attention") == 0, embedding = strcmp(c->op, "embedding") == 0;
    if (!attention && !embedding && strcmp(c->op, "matmul") != 0 && strcmp(c->op, "softmax") != 0) {
        ck_assert_msg(hl_threads_for(4, most) == 4, "%s is too small for threads", op_case_name(c, name));
    }
}

START_TEST(values_and_gradients_do_not_depend_on_the_thread_count)
{
    const op_case *c = &op_cases[_i];
    if (!c->large) {
        return;
    }
    check_large(c);
    char name[OP_CASE_NAME];
    op_run_result one, many;
    ck_assert(op_run(_i, 1, &one));
    for (int threads = 1; threads <= 4; threads++) {
        ck_assert(op_run(_i, threads, &many));
        for (int i = 0; i < OP_RUN_RESULTS; i++) {
            ck_assert_int_eq(one.count[i], many.count[i]);
            ck_assert_msg(one.count[i] == 0 || memcmp(one.numbers[i], many.numbers[i],
                                                      (size_t)one.count[i] * sizeof *one.numbers[i]) == 0,
                          "%s: result %d has other bits on %d threads", op_case_name(c, name), i, threads);
            free(many.numbers[i]);
        }
    }
    for (int i = 0; i < OP_RUN_RESULTS; i++) {
        free(one.numbers[i]);
    }
}
END_TEST

static void add_tests(TCase *tc)
{
    tcase_add_loop_test(tc, values_and_gradients_do_not_depend_on_the_thread_count, 0, op_case_count);
}
SUITE("threads invariance", add_tests)
