/* The shipped configs show what they were written to show: the copy task's heads look at a fixed offset and are labeled
 * so; without positions none can; recall needs a head that finds the value of a key; where no head is needed, none gets
 * a label; relations of words are labeled by their names. With one seed, and with several as long_claims. */
#include "tests/check_suite.h"
#include "tests/runs/answers.h"
#include "tests/runs/runs.h"
#include "tests/scratch.h"

#include <stdlib.h>
#include <string.h>

static found_head heads[FOUND_MOST];

/* In the environment of long_claims: 3. */
static int n_seeds(void)
{
    const char *seeds = getenv("HEADLIGHT_CLAIMS_SEEDS");
    return seeds != NULL ? atoi(seeds) : 1;
}

static const char *train(const char *config, int seed, const char *override)
{
    const char *number = scratch_format("train.seed=%d", seed);
    const char *folder = run_path("run");
    OK(RUN_BUILT(run_shipped_config(config), number, "train.threads=1", "--quiet", "--out", folder, override));
    return folder;
}

LOOP_TEST(copying_takes_heads_that_look_back_to_the_symbol, 1, 1 + n_seeds())
{
    const char *folder = train("copy_task.ini", _i, NULL);
    double loss, accuracy;
    run_last_row(folder, "validation", &loss, &accuracy);
    ck_assert_double_ge(accuracy, 0.999);
    int n = found_heads(folder, heads);
    ck_assert_int_ge(found_faithful(heads, n, "offset(-11)", 0.7), 2);
    for (int i = 0; i < n; i++) {
        ck_assert_msg(strcmp(heads[i].label, "offset(-11)") == 0 || strcmp(heads[i].label, "mixed") == 0, "%s",
                      heads[i].label);
    }
    ck_assert_ptr_nonnull(strstr(HEADS(folder).out, ": faithful to \"offset(-11)\""));
}

LOOP_TEST(no_head_is_faithful_where_none_is_needed, 1, 1 + n_seeds())
{
    const char *folder = train("identity_copy.ini", _i, NULL);
    int n = found_heads(folder, heads);
    for (int i = 0; i < n; i++) {
        ck_assert(heads[i].faithful != FOUND_YES && heads[i].in_group != FOUND_YES);
    }
    ck_assert_ptr_null(strstr(HEADS(folder).out, ": faithful to"));
}

LOOP_TEST(without_positions_offsets_stay_at_their_baseline, 1, 1 + n_seeds())
{
    const char *folder = train("copy_task.ini", _i, "model.positions=none");
    const char *csv = run_read(run_file(folder, "heads.csv"));
    found_metric row;
    int rows = 0;
    while (found_next(&csv, "offset(", &row)) {
        double lift = (row.value - row.baseline) / (1 - row.baseline);
        ck_assert_msg(lift < 0.1, "step %d: L%dH%d: %s %g", row.step, row.layer, row.head, row.name, row.value);
        rows++;
    }
    ck_assert_int_ge(rows, 8 * 3);
    int n = found_heads(folder, heads);
    for (int i = 0; i < n; i++) {
        ck_assert_ptr_null(strstr(heads[i].label, "offset"));
    }
}

LOOP_TEST(recall_takes_a_head_that_finds_the_keys_value, 1, 1 + n_seeds())
{
    const char *folder = train("recall.ini", _i, NULL);
    double loss, accuracy;
    run_last_row(folder, "validation", &loss, &accuracy);
    ck_assert_double_ge(accuracy, 0.999);
    int n = found_heads(folder, heads);
    ck_assert_int_ge(found_faithful(heads, n, "alignment", 0.85), 1);
    ck_assert_ptr_nonnull(strstr(HEADS(folder).out, ": faithful to \"alignment\""));
}

TEST(relations_bear_their_names)
{
    const char *folder = run_path("run");
    EXPECT_RUN(0, run_shipped_config("agreement.ini"), "train.steps=1", "train.batch_size=8", "train.eval_examples=24",
               "patterns.examples=8", "--quiet", "--out", folder);
    const char *csv = run_read(run_file(folder, "heads.csv"));
    ck_assert_ptr_nonnull(strstr(csv, "\n0,0,0,relation(det_noun),"));
    ck_assert_ptr_nonnull(strstr(csv, "\n1,1,5,relation(noun_pronoun),"));
    OK(HEADS(folder));
    ck_assert_str_eq(run_read(run_file(folder, "heads.csv")), csv);
}

SUITE("claims", .seconds = 120)
