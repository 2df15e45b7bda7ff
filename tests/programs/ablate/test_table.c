/* From results to the table. */
#include "programs/ablate/table.h"
#include "tests/programs/ablate/tiny_plan.h"

#include <math.h>
#include <string.h>

enum { SEEDS = 3, VARIANTS = 3 };

/* "heads=4" lost a training; "heads=1" has other losses at all seeds. */
static const hl_ablate_result results[VARIANTS * SEEDS] = {
    { HL_ABLATE_DONE, 24, 1.5, 0.5, 12, 2 },    { HL_ABLATE_DONE, 24, 2.5, 0.25, -1, 4 },
    { HL_ABLATE_DONE, 24, 4.0, 0.75, 8, NAN },  { HL_ABLATE_DONE, 24, 1, 1, 4, 1 },
    { HL_ABLATE_DONE, 24, 1, 1, 4, 1 },         { HL_ABLATE_DONE, 24, 1, 1, 4, 1 },
    { HL_ABLATE_DONE, 24, 1.25, 0.5, -1, 1.5 }, { HL_ABLATE_FAILED, -1, 77, 0.5, -1, NAN },
    { HL_ABLATE_DONE, 24, 1.5, 0.5, -1, 2.5 },
};

static hl_ablate_plan *make_plan(void)
{
    hl_ablate_plan *plan = tiny_plan("1,2,4", SEEDS);
    ck_assert_int_eq(plan->base, 1);
    return plan;
}

static void expect_near(double found, double expected)
{
    ck_assert_msg(fabs(found - expected) <= 1e-9 * fmax(1, fabs(expected)), "%.12g is not %.12g", found, expected);
}

TEST(rows_are_of_the_trainings_that_are_done)
{
    hl_ablate_plan *plan = make_plan();
    hl_ablate_summary summary;
    CHECK_OK(hl_ablate_summary_make(plan, results, &summary));
    const hl_ablate_row *one = &summary.rows[0], *base = &summary.rows[1], *four = &summary.rows[2];
    expect_near(one->intervals[HL_ABLATE_LOSS].mean, 8.0 / 3);
    expect_near(one->intervals[HL_ABLATE_PERPLEXITY].mean, (exp(1.5) + exp(2.5) + exp(4)) / 3);
    expect_near(one->intervals[HL_ABLATE_ACCURACY].mean, 0.5);
    ck_assert(one->intervals[HL_ABLATE_LOSS].n == 3 && one->intervals[HL_ABLATE_STEPS_TO_TARGET].n == 2 &&
              one->intervals[HL_ABLATE_SECONDS].n == 2);
    expect_near(one->intervals[HL_ABLATE_STEPS_TO_TARGET].mean, 10);
    expect_near(one->intervals[HL_ABLATE_SECONDS].mean, 3);
    ck_assert(four->intervals[HL_ABLATE_LOSS].n == 2 && four->values[HL_ABLATE_LOSS][1] == 1.5 &&
              four->intervals[HL_ABLATE_STEPS_TO_TARGET].n == 0);
    expect_near(four->intervals[HL_ABLATE_LOSS].mean, 1.375);
    ck_assert(isnan(base->p));
    expect_near(one->p, hl_paired_test((const double[]){ 0.5, 1.5, 3 }, (const double[]){ 0, 0, 0 }, 3));
    expect_near(four->p, hl_paired_test((const double[]){ 0.25, 0.5 }, (const double[]){ 0, 0 }, 2));
    hl_ablate_summary_free(&summary);
}

TEST(cells_show_means_intervals_and_counts)
{
    static const char *const four[] = { "",
                                        "4",
                                        "4",
                                        "4",
                                        NULL,
                                        NULL,
                                        "1.3750 \xc2\xb1"
                                        "1.5883",
                                        "0.205",
                                        "3.986 \xc2\xb1"
                                        "6.298",
                                        "50.00 \xc2\xb1"
                                        "0.00",
                                        "- (0/2)",
                                        "2.0 \xc2\xb1"
                                        "6.4" };
    hl_ablate_plan *plan = make_plan();
    hl_ablate_summary summary;
    hl_text_grid grid;
    ck_assert_int_eq(hl_ablate_summary_make(plan, results, &summary).code, HL_OK);
    ck_assert_int_eq(hl_ablate_table_make(plan, &summary, 0.995, &grid).code, HL_OK);
    ck_assert_int_eq(grid.n_rows, 4);
    ck_assert_int_eq(grid.n_columns, 12);
    for (int column = 0; column < 12; column++) {
        if (four[column] != NULL) {
            ck_assert_str_eq(hl_text_grid_at(&grid, 3, column), four[column]);
        }
    }
    ck_assert_str_eq(hl_text_grid_at(&grid, 0, 10), "steps to 99.5%");
    ck_assert_str_eq(hl_text_grid_at(&grid, 2, 0), "base");
    ck_assert_str_eq(hl_text_grid_at(&grid, 2, 7), "-");
    ck_assert_str_eq(hl_text_grid_at(&grid, 1, 10), "10 \xc2\xb1"
                                                    "25 (2/3)");
    hl_text_grid_free(&grid);
    hl_ablate_summary_free(&summary);
}

TEST(notes_name_what_failed)
{
    hl_ablate_plan *plan = make_plan();
    hl_text text = { 0 };
    hl_ablate_table_notes(plan, results, 0.99, 80, &text);
    ck_assert_int_eq(strncmp(text.bytes, "Means with 95% confidence intervals over the runs", 49), 0);
    ck_assert_ptr_nonnull(strstr(text.bytes, "Failed and left out: heads=4,seed=2\n"));
    for (const char *line = text.bytes; *line != '\0'; line += strcspn(line, "\n") + 1) {
        ck_assert_uint_le(strcspn(line, "\n"), 80);
    }
    hl_text_free(&text);
    plan->seeds = 1;
    hl_ablate_table_notes(plan, results, 0.99, 80, &text);
    ck_assert_ptr_nonnull(strstr(text.bytes, "One seed tells nothing of chance"));
    hl_text_free(&text);
}

SUITE("ablate_table")
