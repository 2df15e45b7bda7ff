#include "heads/validation_sums_pass.h"

#include "core/base/threads.h"
#include "heads/offset.h"
#include "tests/check_suite.h"
#include "tests/faults.h"
#include "tests/heads/expect_score.h"
#include "tests/heads/gathered_example.h"

#include <string.h>

enum { E = 7, T = 12 };

/* The recorder keeps all weights of the examples that the pass only looked at. */
static void expect_metrics_of(const hl_patterns *all, const hl_validation_sums *s, int layer)
{
    for (int64_t k = -T; k <= T; k++) {
        hl_score plain = hl_offset_score(all, k);
        expect_score(hl_validation_sums_offset(s, layer, all->head, k), plain.value, plain.baseline, plain.n, 1e-5);
    }
    expect_scores(hl_validation_sums_scores(s, layer, all->head), plain_scores(all), 1e-5);
}

LOOP_TEST(sums_are_the_metrics_of_all_examples, 0, 2)
{
    example f;
    hl_model_config config = example_config(16);
    config.causal = _i % 2 == 1;
    example_set_up(&f, config, E, T, 4);
    expect_ok(hl_recorder_record(&f.recorder, 0, NULL, &f.arena));
    static hl_validation_sums_pass pass;
    gathered_set_up(&f, 3, &pass);
    for (int again = 0; again < 2; again++) { /* what was gathered before is forgotten */
        const hl_validation_sums *s = gathered_run(&f, 3, 1, &pass);
        for (int layer = 0; layer < EXAMPLE_LAYERS; layer++) {
            for (int64_t head = 0; head < config.heads[layer]; head++) {
                hl_patterns all = hl_recorder_patterns(&f.recorder, layer, head);
                expect_metrics_of(&all, s, layer);
            }
        }
    }
    hl_validation_sums_pass_free(&pass);
    hl_validation_sums_pass_free(&pass); /* twice is allowed */
    example_tear_down(&f);
}

TEST(the_same_bits_at_any_number_of_threads)
{
    static hl_validation_sums_pass one, more;
    example f;
    hl_threads_setup();
    example_set_up(&f, example_config(16), 40, 24, 20);
    gathered_set_up(&f, 20, &one);
    gathered_set_up(&f, 20, &more);
    gathered_run(&f, 20, 1, &one);
    for (int threads = 2; threads <= 4; threads++) {
        gathered_run(&f, 20, threads, &more);
        ck_assert_mem_eq(more.numbers, one.numbers, one.count * sizeof *one.numbers);
    }
    hl_validation_sums_pass_free(&one);
    hl_validation_sums_pass_free(&more);
    example_tear_down(&f);
}

TEST(a_set_up_that_lacks_memory_leaves_nothing)
{
    static hl_validation_sums_pass pass;
    hl_model_config config = example_config(8);
    faults_begin();
    for (int n = 1; n <= 2; n++) {
        faults_in_memory(n, FAULTS_ONCE);
        ck_assert_int_eq(hl_validation_sums_pass_init(&pass, &config, E, T).code, HL_NO_MEMORY);
        ck_assert_int_eq(faults_live_blocks(), 0);
        ck_assert_ptr_null(pass.numbers);
    }
    faults_in_memory(0, FAULTS_ONCE);
    ck_assert_int_eq(hl_validation_sums_pass_init(&pass, &config, INT64_MAX / 2, T).code, HL_NO_MEMORY);
    ck_assert_int_eq(hl_validation_sums_pass_init(&pass, &config, E, INT64_MAX / 2).code, HL_NO_MEMORY);
    ck_assert_int_eq(faults_live_blocks(), 0);
    ck_assert_uint_eq(hl_validation_sums_pass_bytes(&config, 1, INT64_MAX / 2), SIZE_MAX);
    ck_assert_uint_eq(hl_validation_sums_pass_bytes(&config, INT64_MAX / 2, T), SIZE_MAX);
    faults_end();
}

SUITE("validation sums of a pass")
