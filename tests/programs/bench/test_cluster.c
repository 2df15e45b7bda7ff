/* What a step takes with several processes: the model, by hand, and what is printed with ranks that are threads. */
#include "programs/bench/cluster.h"

#include "core/kernels/bf16.h"
#include "programs/bench/cluster_cost.h"
#include "tests/check_suite.h"
#include "tests/messages.h"
#include "tests/runs/runs.h"
#include "tests/scratch.h"
#include "tests/train/thread_ranks.h"

#include <string.h>

/* Messages of 1 ms latency that a megabyte holds up for 1 s: both count apart. */
static double exchange(int leaves, int n, size_t bytes)
{
    return hl_bench_cluster_exchange((hl_bench_link){ .latency = 1e-3, .bandwidth = 1e6 }, leaves, n, bytes);
}

TEST(an_exchange_takes_its_messages_one_after_the_other)
{
    static const struct {
        int leaves, n, up, down;
    } cases[] = {
        { 8, 2, 1, 1 },  { 8, 4, 2, 2 }, { 8, 8, 3, 3 },
        { 8, 3, 3, 2 }, /* leaves 0 1, 2 3 4, 5 6 7: 5 joins 4, then 6 7 them, then all of these 0 .. 3 */
        { 3, 3, 2, 2 },  { 6, 2, 2, 1 }, /* leaves 0 1 2, 3 4 5: 3 joins 2, then 4 5 the others */
        { 64, 2, 1, 1 }, { 5, 4, 3, 2 }, /* 0, 1, 2, 3 4: 3 joins 2, both 0 1, and 4 all of them */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double up = cases[i].up, down = cases[i].down;
        ck_assert_double_eq_tol(exchange(cases[i].leaves, cases[i].n, 1000000), (up + down) * 1.002 + 2 * down * 0.001,
                                1e-12);
        ck_assert_double_eq_tol(exchange(cases[i].leaves, cases[i].n, 0), (up + down) * 0.002 + 2 * down * 0.001,
                                1e-12);
    }
    ck_assert_double_eq(exchange(8, 1, 1000000), 0);
}

typedef struct together {
    hl_bench_job job;
    FILE *out, *nowhere;
    hl_status statuses[THREAD_RANKS_MOST];
} together;

static void measure(hl_ranks *ranks, void *context)
{
    together *t = context;
    t->statuses[ranks->rank] = hl_bench_cluster(&t->job, ranks, ranks->rank == 0 ? t->out : t->nowhere);
}

/* What rank 0 of n prints in this precision; all of them end with this code. */
static char *printed(int n, const char *precision, hl_code code)
{
    together t = { .job = { .config = { .path = run_tiny_config() }, .threads = 1, .seconds = 0.01 },
                   .out = tmpfile(),
                   .nowhere = fopen("/dev/null", "w") };
    ck_assert(t.out != NULL && t.nowhere != NULL);
    CHECK_OK(hl_named_config_override(&t.job.config, "train.leaves=4"));
    CHECK_OK(hl_named_config_override(&t.job.config, precision));
    thread_ranks_run(n, measure, &t);
    for (int r = 0; r < n; r++) {
        ck_assert_msg(t.statuses[r].code == code, "%s", t.statuses[r].text);
    }
    static char text[4096];
    rewind(t.out);
    text[fread(text, 1, sizeof text - 1, t.out)] = '\0';
    fclose(t.out);
    fclose(t.nowhere);
    return text;
}

/* The figures in the line of that many processes; 0 where there is none. */
static int figures_of(const char *text, int n)
{
    const char *begin = scratch_format("\n%-10d", n);
    double step = 0, measured = 0, computes = 0, exchanges = 0, times = 0;
    const char *line = strstr(text, begin);
    char row[128] = "";
    if (line != NULL) {
        snprintf(row, sizeof row, "%.*s", (int)strcspn(line + 11, "\n"), line + 11);
    }
    int found = sscanf(row, "%lf%lf%lf%lfx%lf", &computes, &exchanges, &step, &times, &measured);
    found = found > 0 ? found : 0;
    ck_assert(found == 0 || (computes > 0 && (exchanges > 0) == (n > 1)));
    ck_assert_double_eq_tol(computes + exchanges, step, 2e-3);
    return found;
}

TEST(steps_are_expected_for_any_number_and_measured_for_those_there_are)
{
    char *text = printed(3, "train.precision=float", HL_OK);
    ck_assert_msg(strstr(text, "3 processes of 1 thread, 4 leaves, gradients of ") == text, "%s", text);
    ck_assert_ptr_nonnull(strstr(text, "\n8 bytes "));
    ck_assert_int_eq(figures_of(text, 1), 4);
    ck_assert_int_eq(figures_of(text, 2), 4);
    ck_assert_int_eq(figures_of(text, 3), 5);
    ck_assert_int_eq(figures_of(text, 4), 4);
    ck_assert_int_eq(figures_of(text, 8), 0);
    ck_assert_ptr_null(strstr(text, "bf16"));
    text = printed(2, "train.precision=auto", HL_OK);
    ck_assert((strstr(text, ", products in bf16\n") != NULL) == (hl_bf16_missing() == NULL));
    ck_assert_int_eq(figures_of(text, 2), 5);
}

TEST(one_process_and_more_than_leaves_are_refused)
{
    printed(5, "train.precision=float", HL_INVALID);
    hl_bench_job job = { .config = { .path = run_tiny_config() }, .seconds = 0.01 };
    message_check(hl_bench_cluster(&job, NULL, stdout), HL_INVALID, "bench.cluster_1_process_of_a_config");
}

SUITE("bench cluster")
