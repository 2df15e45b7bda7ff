#include "core/op.h"
#include "core/ops/activations.h"
#include "core/ops/add.h"
#include "core/ops/sum.h"
#include "programs/bench/profile.h"
#include "programs/bench/workload.h"
#include "programs/timing.h"
#include "tests/check_suite.h"
#include "tests/messages.h"
#include "tests/train/trainer_example.h"
#include "train/setup_data.h"

#include <string.h>
#include <time.h>

/* ---- the observer of a tape ---- */

typedef struct seen {
    const hl_node *node;
    bool backward, end;
} seen;

typedef struct call_log {
    seen calls[32];
    int n;
} call_log;

static void note(call_log *l, const hl_node *node, bool backward, bool end)
{
    ck_assert_int_lt(l->n, 32);
    l->calls[l->n++] = (seen){ node, backward, end };
}

static void note_begin(void *context, const hl_node *node, bool backward)
{
    note(context, node, backward, false);
}

static void note_end(void *context, const hl_node *node, bool backward)
{
    note(context, node, backward, true);
}

/* sum(r + r), r = relu(x), forward and backward, told to `observer`; its nodes into `record`, the last first. Returns
 * their number. */
static int run_small_tape(const hl_tape_observer *observer, bool dry, const hl_node *record[3])
{
    static const hl_real numbers[4] = { 1, -2, 3, -4 };
    hl_arena arena;
    CHECK_OK(hl_arena_init(&arena, 1 << 16));
    hl_tape tape;
    hl_tape_begin(&tape, &arena,
                  (hl_tape_options){ .gradients = true, .memory = { .dry = dry }, .observer = observer });
    hl_tensor *x = hl_tape_tensor(&tape, HL_SHAPE(2, 2), numbers, true);
    hl_tensor *r = hl_relu(&tape, x), *loss = hl_sum(&tape, hl_add(&tape, r, r));
    CHECK_OK(hl_tape_backward(&tape, loss));
    int n = 0;
    for (const hl_node *node = tape.last; node != NULL; node = node->previous) {
        record[n++] = node;
    }
    hl_arena_free(&arena);
    return n;
}

TEST(an_observer_sees_every_node_once_in_each_direction)
{
    call_log l = { .n = 0 };
    const hl_node *record[3]; /* the last first */
    hl_tape_observer observer = { note_begin, note_end, &l };
    ck_assert_int_eq(run_small_tape(&observer, false, record), 3);
    ck_assert_int_eq(l.n, 3 * 2 * 2);
    for (int i = 0; i < 6; i++) {
        bool backward = i >= 3;
        const hl_node *node = backward ? record[i - 3] : record[2 - i];
        for (int end = 0; end < 2; end++) {
            const seen *call = &l.calls[2 * i + end];
            ck_assert(call->node == node && call->backward == backward && call->end == (end == 1));
        }
    }
}

TEST(nothing_runs_on_a_dry_tape)
{
    call_log l = { .n = 0 };
    const hl_node *record[3];
    hl_tape_observer observer = { note_begin, note_end, &l };
    ck_assert_int_eq(run_small_tape(&observer, true, record), 3);
    ck_assert_int_eq(l.n, 0);
}

/* ---- the profile ---- */

static const hl_bench_row *find(const hl_bench_profile *profile, const char *op, bool backward)
{
    for (int i = 0; i < profile->n_rows; i++) {
        if (strcmp(profile->rows[i].op, op) == 0 && profile->rows[i].backward == backward) {
            return &profile->rows[i];
        }
    }
    return NULL;
}

TEST(each_op_has_a_row_with_its_calls_and_bytes)
{
    hl_bench_profiler profiler = { 0 };
    hl_tape_observer observer = hl_bench_profiler_observer(&profiler);
    const hl_node *record[3];
    run_small_tape(&observer, false, record);
    run_small_tape(&observer, false, record);
    hl_bench_profile profile = hl_bench_profiler_result(&profiler, 2, 0.5);
    ck_assert_int_eq(profile.n_rows, 6);
    ck_assert_double_eq(profile.ms, 250);
    static const struct {
        const char *op;
        double forward, backward; /* bytes */
    } ops[] = { { "relu", 16 + 16, 16 + 32 }, { "add", 16 + 16, 32 + 16 }, { "sum", 16 + 4, 32 + 4 } };
    for (int i = 0; i < 3; i++) {
        const hl_bench_row *forward = find(&profile, ops[i].op, false), *backward = find(&profile, ops[i].op, true);
        ck_assert(forward != NULL && backward != NULL);
        ck_assert_double_eq(forward->calls, 1);
        ck_assert_double_eq(backward->calls, 1);
        ck_assert_double_eq(forward->flops, 0);
        ck_assert_double_eq(forward->bytes, ops[i].forward);
        ck_assert_double_eq(backward->bytes, ops[i].backward);
    }
}

TEST(a_workloads_profile_names_every_op_and_adds_up)
{
    hl_config config = trainer_config("");
    config.task.min_length = config.task.length; /* the same number of operations at each step */
    hl_bench_figures figures;
    hl_threads_setup();
    hl_dataset *dataset;
    CHECK_OK(hl_setup_data(&config, &(hl_data_options){ .use = HL_DATA_CHECK }, &dataset));
    CHECK_OK(hl_bench_workload(&config, dataset, 0.02, true, &figures));
    const hl_bench_profile *profile = &figures.profile;
    double sum = 0, calls = 0, flops = 0;
    for (int i = 0; i < profile->n_rows; i++) {
        const hl_bench_row *row = &profile->rows[i];
        ck_assert_double_gt(row->ms, 0);
        ck_assert(i == 0 || row->ms <= profile->rows[i - 1].ms);
        sum += row->ms;
        calls += row->backward ? 0 : row->calls;
        flops += row->flops;
    }
    ck_assert_double_gt(hl_bench_profile_rest(profile), 0);
    ck_assert_double_eq_tol(sum + hl_bench_profile_rest(profile), profile->ms, 1e-9);
    ck_assert_double_lt(sum, profile->ms);
    ck_assert_double_eq_tol(flops, figures.flops, 1e-6 * flops);

    hl_trainer trainer;
    trainer_make(&trainer, &config);
    trainer_updated(&trainer, 1);
    double nodes = 0;
    hl_tape tape;
    hl_tape_begin(&tape, &trainer.arena,
                  (hl_tape_options){ .training = true, .gradients = true, .memory = { .dry = true } });
    hl_model_loss(&tape, &trainer.model, &trainer.batch.batch, (hl_cross_entropy_args){ 0 }, NULL);
    for (const hl_node *node = tape.last; node != NULL; node = node->previous) {
        ck_assert_msg(find(profile, node->op->name, false) != NULL, "%s forward", node->op->name);
        ck_assert_msg(find(profile, node->op->name, true) != NULL, "%s backward", node->op->name);
        nodes++;
    }
    ck_assert_double_eq(calls, nodes);
    hl_trainer_free(&trainer);
}

/* Observing changes nothing but time: the weights after the same updates are the same. */
TEST(observing_changes_no_bit)
{
    hl_config config = trainer_config("");
    hl_trainer plain, observed;
    hl_bench_profiler profiler = { 0 };
    hl_tape_observer observer = hl_bench_profiler_observer(&profiler);
    trainer_make(&plain, &config);
    trainer_make(&observed, &config);
    ck_assert_ptr_null(observed.observer);
    observed.observer = &observer;
    trainer_updated(&plain, 3);
    trainer_updated(&observed, 3);
    ck_assert_int_gt(profiler.sums.n_rows, 0);
    ck_assert_mem_eq(plain.model.parameters.values, observed.model.parameters.values,
                     (size_t)plain.model.parameters.count * sizeof(hl_real));
    hl_trainer_free(&plain);
    hl_trainer_free(&observed);
}

/* ---- repeating ---- */

static hl_status count_once(void *context)
{
    int *n = context;
    (*n)++;
    return *n == 100 ? hl_error(HL_NOT_FINITE, "enough") : hl_ok();
}

TEST(things_are_done_five_times_at_least_until_they_fail)
{
    int n = 0;
    hl_bench_times times;
    CHECK_OK(hl_bench_repeat(HL_BENCH_LEAST_REPEATS, 0, count_once, &n, &times));
    ck_assert_int_eq(n, HL_BENCH_LEAST_REPEATS);
    ck_assert_int_eq(times.n, n);
    ck_assert(times.quarter <= times.median && times.median <= times.three_quarters && times.mean >= 0);
    message_check(hl_bench_repeat(HL_BENCH_LEAST_REPEATS, 60, count_once, &n, &times), HL_NOT_FINITE, "bench.enough");
    ck_assert_int_eq(n, 100);
}

static hl_status sleep_once(void *context)
{
    static const int milliseconds[HL_BENCH_LEAST_REPEATS] = { 25, 5, 20, 10, 15 };
    int *n = context;
    nanosleep(&(struct timespec){ .tv_nsec = milliseconds[(*n)++] * 1000000L }, NULL);
    return hl_ok();
}

TEST(median_and_quartiles_are_those_of_the_times)
{
    int n = 0;
    hl_bench_times times;
    CHECK_OK(hl_bench_repeat(HL_BENCH_LEAST_REPEATS, 0, sleep_once, &n, &times));
    ck_assert(times.quarter >= 0.010 && times.median >= 0.015 && times.three_quarters >= 0.020);
    ck_assert(times.quarter < times.median && times.median < times.three_quarters);
    ck_assert_double_ge(times.mean, 0.015);
}

SUITE("bench profile")
