/* What `heads` tells of the memory that it takes, and what it refuses for want of it. */
#include "programs/heads/memory.h"

#include "tests/check_suite.h"
#include "tests/programs/heads/lines.h"
#include "tests/runs/runs.h"
#include "train/footprint.h"

enum { HEADS_OF_TINY = 4 };

/* A run of the tiny config, of which nothing but config.ini is looked at. */
static void open_run(hl_opened_model *run)
{
    const char *folder = TINY_RUN("run", "train.steps=1");
    CHECK_OK(hl_opened_model_open(run, folder));
}

static size_t told(const hl_opened_model *run, const char *options)
{
    hl_heads_command command;
    hl_heads_need need;
    CHECK_OK(heads_line(options, &command));
    CHECK_OK(hl_heads_memory(run, &command, &need));
    return need.bytes;
}

/* Where the model does not run its kernels take nothing. */
TEST(a_map_takes_its_snapshot_and_no_kernels)
{
    hl_opened_model run;
    hl_footprint f;
    open_run(&run);
    CHECK_OK(hl_footprint_of(&run.source.config, HL_FOR_TRAINING, 1, (int64_t)run.n_steps, &f));
    size_t one = told(&run, "map run L0H0 --example 0");
    ck_assert_uint_eq(one, f.libraries - f.kernels + f.vocabulary + f.snapshot);
    size_t T = (size_t)run.source.config.sizes.longest;
    ck_assert_uint_eq(told(&run, "map run L0H0"), one + HEADS_OF_TINY * T * T * sizeof(hl_real)); /* means */
    ck_assert_uint_eq(told(&run, "map run L0H0 --example 0 --words"), one + f.snapshot);
    ck_assert_uint_eq(told(&run, "table run"), f.end);
    hl_opened_model_close(&run);
}

TEST(what_is_asked_besides_is_counted)
{
    hl_opened_model run;
    open_run(&run);
    ck_assert_uint_eq(told(&run, "importance run --shapley"),
                      told(&run, "importance run") + (16 * 2 * sizeof(double))); /* of 2^4 sets */
    ck_assert_uint_gt(told(&run, "map run --png a.png"), told(&run, "map run L0H0 --png a.png"));
    ck_assert_uint_gt(told(&run, "prune run"), told(&run, "importance run --keep L0H0"));
    ck_assert_uint_gt(told(&run, "map run --input s1_s2_s3"), told(&run, "map run --input s1"));
    ck_assert_uint_eq(told(&run, "map run --input s1 --json x"), told(&run, "map run --input s1"));
    hl_heads_need two;
    CHECK_OK(hl_heads_memory_of_two(&run, &run, &two));
    ck_assert_uint_gt(two.bytes, told(&run, "table run"));
    hl_opened_model_close(&run);
}

TEST(a_byte_less_is_refused_with_the_remedy)
{
    static const struct {
        const char *options, *remedy;
    } cases[] = {
        { "table run", "the map of one head needs less, and so does a run with fewer snapshots" },
        { "importance run", "fewer patterns.examples or a larger optimizer.accumulate needs less" },
        { "prune run", "fewer patterns.examples or a larger optimizer.accumulate needs less" },
        { "importance run --drop L0H0", "; a run with a larger optimizer.accumulate needs less" },
        { "map run --png a.png", "the figure of one head needs less, and so does a run with fewer patterns" },
        { "map run --input s1 --png a.png", "the figure of one head needs less, and so do fewer tokens" },
        { "map run --input s1", "; fewer tokens need less" },
    };
    hl_opened_model run;
    open_run(&run);
    hl_heads_need need;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hl_heads_command command;
        CHECK_OK(heads_line(cases[i].options, &command));
        CHECK_OK(hl_heads_memory(&run, &command, &need));
        CHECK_OK(hl_heads_need_check(&need, (hl_memory_at_hand){ need.bytes, false }));
        CHECK_FAILS(hl_heads_need_check(&need, (hl_memory_at_hand){ need.bytes - 1, false }), HL_NO_MEMORY,
                    cases[i].remedy);
    }
    CHECK_OK(hl_heads_memory_of_two(&run, &run, &need));
    CHECK_FAILS(hl_heads_need_check(&need, (hl_memory_at_hand){ 1 << 20, true }), HL_NO_MEMORY,
                ": comparing it needs about ");
    hl_opened_model_close(&run);
}

SUITE("memory of heads")
