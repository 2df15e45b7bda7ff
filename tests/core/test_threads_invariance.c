/* Every op gives the same bits at any thread count, on shapes where threads are really used, and where backward reuses
 * memory. */
#include "core/base/threads.h"
#include "tests/check_suite.h"
#include "tests/core/op_cases.h"
#include "tests/core/op_run.h"

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

static void check_same_bits(const op_case *c, const op_run_result *a, const op_run_result *b, const char *where)
{
    char name[OP_CASE_NAME];
    for (int i = 0; i < OP_RUN_RESULTS; i++) {
        ck_assert_int_eq(a->count[i], b->count[i]);
        size_t bytes = (size_t)a->count[i] * sizeof *a->numbers[i];
        ck_assert_msg(bytes == 0 || memcmp(a->numbers[i], b->numbers[i], bytes) == 0, "%s: result %d has other bits %s",
                      op_case_name(c, name), i, where);
    }
}

LOOP_TEST(values_and_gradients_do_not_depend_on_the_thread_count, 0, op_case_count)
{
    const op_case *c = &op_cases[_i];
    if (!c->large) {
        return;
    }
    check_large(c);
    op_run_result one, many;
    ck_assert(op_run(_i, (op_run_options){ .threads = 1 }, &one));
    for (int threads = 2; threads <= 4; threads++) {
        ck_assert(op_run(_i, (op_run_options){ .threads = threads }, &many));
        check_same_bits(c, &one, &many, threads == 2 ? "on 2 threads" : threads == 3 ? "on 3 threads" : "on 4 threads");
        op_run_free(&many);
    }
    op_run_free(&one);
}

LOOP_TEST(values_and_gradients_do_not_depend_on_the_reuse_of_memory, 0, op_case_count)
{
    op_run_result kept, reused;
    ck_assert(op_run(_i, (op_run_options){ .threads = 2 }, &kept));
    ck_assert(op_run(_i, (op_run_options){ .threads = 2, .reuse = true }, &reused));
    check_same_bits(&op_cases[_i], &kept, &reused, "where memory is reused");
    op_run_free(&kept);
    op_run_free(&reused);
}

LOOP_TEST(attention_does_not_depend_on_whether_weights_are_kept, 0, op_case_count)
{
    const op_case *c = &op_cases[_i];
    op_run_result kept, again;
    if (strcmp(c->op, "attention") != 0) {
        return;
    }
    ck_assert(op_run(_i, (op_run_options){ .threads = 1 }, &kept));
    for (int threads = 1; threads <= 4; threads++) {
        ck_assert(op_run(_i, (op_run_options){ .threads = threads, .reuse = true, .recompute = true }, &again));
        check_same_bits(c, &kept, &again, "where backward makes the weights again");
        op_run_free(&again);
    }
    op_run_free(&kept);
}

SUITE("threads invariance")
