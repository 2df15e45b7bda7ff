/* The slower configs show what they were written to show, with several seeds: heads that follow grammar. */
#include "tests/check_suite.h"
#include "tests/runs/answers.h"
#include "tests/runs/runs.h"
#include "tests/scratch.h"

#include <string.h>

static const char *train(int seed)
{
    const char *number = scratch_format("train.seed=%d", seed);
    const char *folder = run_path("run");
    OK(RUN_BUILT(run_shipped_config("agreement.ini"), number, "train.threads=1", "--quiet", "--out", folder));
    double loss, accuracy;
    run_last_row(folder, "validation", &loss, &accuracy);
    ck_assert_msg(accuracy >= 0.99, "seed %d: accuracy %g", seed, accuracy);
    return folder;
}

/* The relations for which some head is far above the best fixed offset after the last step; heads[] says which. */
enum { RELATIONS = 8, LAYERS = 2, HEADS_EACH = 6, LAST_STEP = 3000 };

static int far_above(const char *folder, double margin, bool specialists[LAYERS * HEADS_EACH])
{
    double best[RELATIONS] = { 0 };
    int heads[RELATIONS] = { 0 }, n = 0, found = 0;
    char names[RELATIONS][64];
    found_metric row;
    for (const char *csv = run_read(run_file(folder, "heads.csv")); found_next(&csv, "relation(", &row);) {
        int r = 0;
        for (; r < n && strcmp(names[r], row.name) != 0; r++) {
        }
        ck_assert_int_lt(r, RELATIONS);
        if (r == n) {
            strcpy(names[n++], row.name);
        }
        if (row.step == LAST_STEP && row.value - row.baseline > best[r]) {
            best[r] = row.value - row.baseline;
            heads[r] = row.layer * HEADS_EACH + row.head;
        }
    }
    ck_assert_int_eq(n, RELATIONS);
    for (int r = 0; r < RELATIONS; r++) {
        found += best[r] >= margin;
        specialists[heads[r]] = specialists[heads[r]] || best[r] >= margin;
    }
    return found;
}

LOOP_TEST(grammar_takes_heads_for_different_relations, 1, 4)
{
    bool specialists[LAYERS * HEADS_EACH] = { false };
    ck_assert_int_ge(far_above(train(_i), 0.4, specialists), 2);
    int n = 0;
    for (int h = 0; h < LAYERS * HEADS_EACH; h++) {
        n += specialists[h];
    }
    ck_assert_int_ge(n, 2);
}

SUITE("claims", .seconds = 600)
