#include "programs/bench/job.h"
#include "tests/check_suite.h"
#include "tests/messages.h"
#include "tests/programs/bench/test_bench.h"
#include "tests/runs/runs.h"

#include <string.h>

static hl_bench_job job_of(const char *const *overrides)
{
    hl_bench_job job = { .config.path = run_config("x.ini", BENCH_TINY), .seconds = 1 };
    for (; *overrides != NULL; overrides++) {
        CHECK_OK(hl_named_config_override(&job.config, *overrides));
    }
    return job;
}
#define JOB(...) job_of((const char *const[]){ __VA_ARGS__, NULL })

TEST(an_override_is_found_by_its_whole_key)
{
    hl_bench_job job = JOB("model.heads=4", " task.length\t = 9", "model.d_k=");
    ck_assert(hl_bench_job_overrides(&job, "model.heads"));
    ck_assert(hl_bench_job_overrides(&job, "task.length"));
    ck_assert(hl_bench_job_overrides(&job, "model.d_k"));
    ck_assert(!hl_bench_job_overrides(&job, "model.head"));
    ck_assert(!hl_bench_job_overrides(&job, "model.heads=4"));
    ck_assert(!hl_bench_job_overrides(&job, "heads"));
    ck_assert(!hl_bench_job_overrides(&job, "model.d_v"));
}

TEST(a_varied_key_takes_the_place_of_the_users)
{
    hl_bench_job job = JOB("train.seed=3", " task.length = 5");
    CHECK_OK(hl_bench_job_vary(&job, "task.length=9"));
    ck_assert_int_eq(job.config.n_overrides, 2);
    CHECK_OK(hl_bench_job_vary(&job, "model.heads=1"));
    ck_assert_int_eq(job.config.n_overrides, 3);
    hl_config config;
    CHECK_OK(hl_bench_job_config(&job, NULL, &config));
    ck_assert_int_eq(config.task.length, 9);
    ck_assert_int_eq(config.model.heads[0], 1);
    ck_assert_int_eq(config.train.seed, 3);
}

/* What the user says twice stays wrong. */
TEST(a_key_given_twice_is_refused)
{
    hl_bench_job job = JOB("model.heads=1", "model.heads=2");
    hl_config config;
    message_check(hl_bench_job_config(&job, NULL, &config), HL_INVALID, "bench.model_heads_given_twice");
}

TEST(a_config_that_trains_nothing_is_refused)
{
    hl_bench_job job = JOB("model.head=none");
    hl_config config;
    message_check(hl_bench_job_config(&job, NULL, &config), HL_INVALID, "bench.model_head_none_leaves_nothing_to");
}

TEST(there_is_room_for_so_many_overrides)
{
    hl_bench_job job = { 0 };
    for (int i = 0; i < HL_MAX_OVERRIDES; i++) {
        CHECK_OK(hl_named_config_override(&job.config, "train.seed=1"));
    }
    CHECK_OK(hl_bench_job_vary(&job, "train.seed=2"));
    message_check(hl_bench_job_vary(&job, "model.heads=2"), HL_INVALID, "bench.more_than_64_overrides");
}

SUITE("bench job")
