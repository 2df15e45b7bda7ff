#include "programs/expected_time.h"
#include "tests/check_suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DAY = 24 * 3600 };

/* What is said; to be freed. */
static char *said(double seconds, bool yes, hl_status *status)
{
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    ck_assert_ptr_nonnull(out);
    *status = hl_expected_time_say(seconds, 206, "this machine", "a.ini: 12 steps", yes, out);
    fclose(out);
    return text;
}

TEST(more_than_a_year_begins_only_when_asked_to)
{
    static const struct {
        double days;
        bool yes;
        const char *time;
        hl_code code;
    } cases[] = {
        { 3, false, "3 days", HL_OK },           { 364, false, "12 months", HL_OK },
        { 366, false, "12 months", HL_INVALID }, { 366, true, "12 months", HL_OK },
        { 4745, false, "13 years", HL_INVALID }, { 4745, true, "13 years", HL_OK },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hl_status status;
        char *text = said(cases[i].days * DAY, cases[i].yes, &status), expected[128];
        ck_assert_int_eq(status.code, cases[i].code);
        snprintf(expected, sizeof expected, "a.ini: 12 steps: about %s at the 206.00 GFLOP/s of this machine%s",
                 cases[i].time, status.code == HL_OK ? "\n" : "; ask for less, or begin all the same with --yes");
        ck_assert_str_eq(status.code == HL_OK ? text : status.text, expected);
        ck_assert(status.code == HL_OK || *text == '\0');
        free(text);
    }
}

TEST(little_work_is_not_worth_a_word_nor_a_measurement)
{
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    ck_assert_ptr_nonnull(out);
    CHECK_OK(hl_expected_time_tell(0.9e13, 1, 1, "little", false, out));
    fflush(out);
    ck_assert_uint_eq(size, 0);
    CHECK_OK(hl_expected_time_tell(1.1e13, 1, 1, "more", false, out));
    fflush(out);
    ck_assert_int_eq(strncmp(text, "more: about ", 12), 0);
    ck_assert_ptr_nonnull(strstr(text, "/s of this machine\n"));
    size_t before = size;
    CHECK_OK(hl_expected_time_tell(1.1e13, 1, 1e6, "shared", false, out));
    fflush(out);
    ck_assert_ptr_nonnull(strstr(text + before, "/s of these processes\n"));
    ck_assert_int_eq(hl_expected_time_tell(1e25, 1, 1, "years", false, NULL).code, HL_INVALID);
    CHECK_OK(hl_expected_time_tell(1e25, 1, 1e9, "years", false, NULL));
    CHECK_OK(hl_expected_time_tell(1e25, 1, 1, "years", true, NULL));
    fclose(out);
    free(text);
}

TEST(every_step_that_is_left_counts_and_so_do_layers)
{
    hl_config config = { .model.n_layers = 2, .train.batch_size = 10 };
    ck_assert_double_eq(hl_expected_work(&config, 0, 0), 0);
    ck_assert_double_eq(hl_expected_work(&config, 5e9, -3), 0);
    double one = hl_expected_work(&config, 5e9, 1);
    ck_assert(one >= 5e9 && one < 5.1e9);
    ck_assert_double_eq(hl_expected_work(&config, 5e9, 7), 7 * one);
    config.model.n_layers = 4;
    ck_assert_double_eq(hl_expected_work(&config, 5e9, 1) - 5e9, 2 * (one - 5e9));
}

/* Batches hold examples of the mean length, not the longest. */
TEST(the_mean_length_counts)
{
    hl_config config = { .model.n_layers = 2, .train.batch_size = 10, .sizes = { .longest = 200, .mean = 50 } };
    ck_assert_double_eq(hl_expected_flops(&config, 4e12), 1e12);
    ck_assert_double_eq_tol(hl_expected_work(&config, 4e12, 3), 3e12, 3e9);
    config.sizes.mean = 0; /* not known */
    ck_assert_double_eq(hl_expected_flops(&config, 4e12), 4e12);
}

/* Four batches a validation, each a third of an update; the first and the last validation come beside those of every
 * second step. */
TEST(validations_count)
{
    hl_config config = { .model.n_layers = 2, .train = { .batch_size = 10, .eval_every = 2 } };
    double update = hl_expected_work(&config, 5e9, 1);
    config.train.eval_examples = 40;
    ck_assert_double_eq_tol(hl_expected_work(&config, 5e9, 9), (9 + 6 * 4 / 3.0) * update, 1e-6 * update);
    config.train.eval_every = 0;
    ck_assert_double_eq_tol(hl_expected_work(&config, 5e9, 9), (9 + 2 * 4 / 3.0) * update, 1e-6 * update);
}

SUITE("expected time")
