#include "tests/check_suite.h"
#include "tests/faults.h"
#include "tests/scratch.h"
#include "train/metrics_csv.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEADER "step,split,loss,accuracy,learning_rate,grad_norm,tokens_per_second\n"

static const hl_metrics_row training = { 10, "train", 1.25, 0.5, 0.001, 2.5, 12345.6 };
static const hl_metrics_row validation = { 10, "validation", 1.0 / 3, 1, -1, -1, 0.4 };
#define TRAINING "10,train,1.25,0.5,0.001,2.5,12346\n"
#define VALIDATION "10,validation,0.333333333,1,,,0\n"

static void assert_holds(const char *path, const char *text)
{
    size_t size;
    char *content = scratch_read(path, &size);
    ck_assert_str_eq(content, text);
    free(content);
}

static hl_metrics_csv opened(const char *path, int64_t last_step)
{
    hl_metrics_csv csv;
    hl_status status = hl_metrics_csv_open(&csv, path, last_step);
    ck_assert_msg(status.code == HL_OK, "%s", status.text);
    return csv;
}

START_TEST(rows_are_in_the_file_at_once)
{
    const char *path = scratch_path("metrics.csv");
    hl_metrics_csv csv = opened(path, -1);
    assert_holds(path, HEADER);
    ck_assert_int_eq(hl_metrics_csv_append(&csv, training).code, HL_OK);
    assert_holds(path, HEADER TRAINING);
    ck_assert_int_eq(hl_metrics_csv_append(&csv, validation).code, HL_OK);
    ck_assert_int_eq(hl_metrics_csv_sync(&csv).code, HL_OK);
    assert_holds(path, HEADER TRAINING VALIDATION);
    hl_metrics_csv_close(&csv);
}
END_TEST

START_TEST(what_is_later_than_the_last_step_or_unfinished_is_dropped)
{
    static const struct {
        const char *before, *after;
        int64_t last_step;
    } cases[] = {
        { HEADER TRAINING VALIDATION, HEADER TRAINING VALIDATION, 10 },
        { HEADER TRAINING VALIDATION "20,train,1,1,1,1,1\n", HEADER TRAINING VALIDATION, 10 },
        { HEADER TRAINING VALIDATION "20,train,1,1,1,1,1\n", HEADER TRAINING VALIDATION "20,train,1,1,1,1,1\n", 25 },
        { HEADER TRAINING VALIDATION "20,train,1,1", HEADER TRAINING VALIDATION, 25 },
        { HEADER TRAINING "1", HEADER TRAINING, 10 },
        { HEADER TRAINING VALIDATION, HEADER, 9 },
        { HEADER "0,validation,1,1,,,1\n" TRAINING, HEADER "0,validation,1,1,,,1\n", 0 },
        { HEADER "0,validation,1,1,,,1\n" TRAINING, HEADER, -1 },
        { HEADER, HEADER, 10 },
        { "", HEADER, 10 },
    };
    const char *path = scratch_path("metrics.csv");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        scratch_write(path, cases[i].before, strlen(cases[i].before));
        hl_metrics_csv csv = opened(path, cases[i].last_step);
        assert_holds(path, cases[i].after);
        ck_assert_int_eq(hl_metrics_csv_append(&csv, training).code, HL_OK);
        hl_metrics_csv_close(&csv);
        char expected[1024];
        strcat(strcpy(expected, cases[i].after), TRAINING);
        assert_holds(path, expected);
    }
}
END_TEST

START_TEST(a_file_that_is_no_metrics_is_refused_and_untouched)
{
    static const char *const foreign[] = { "step,split,loss\n1,train,2\n", "s", HEADER };
    const char *path = scratch_path("metrics.csv");
    for (int i = 0; i < 3; i++) {
        size_t size = strlen(foreign[i]) - (i == 2); /* a header without its end of line */
        scratch_write(path, foreign[i], size);
        hl_metrics_csv csv;
        hl_status status = hl_metrics_csv_open(&csv, path, 10);
        ck_assert_int_eq(status.code, HL_BAD_FILE);
        ck_assert_ptr_nonnull(strstr(status.text, "metrics.csv:1: "));
        hl_metrics_csv_close(&csv);
        ck_assert(scratch_holds(path, foreign[i], size));
    }
}
END_TEST

/* Each of them as line 3. */
static const char *const no_rows[] = {
    "",
    "10",
    ",train,1,1,,,1",
    " 1,train,1,1,,,1",
    "-1,train,1,1,,,1",
    "99999999999999999999,train,1,1,,,1",
    "1,test,1,1,,,1",
    "1,training,1,1,,,1",
    "1,train,,1,,,1",
    "1,train,nan,1,,,1",
    "1,train,inf,1,,,1",
    "1,train,0x1,1,,,1",
    "1,train,1e999,1,,,1",
    "1,train,1,1.5,,,1",
    "1,train,1,-0.5,,,1",
    "1,train,1,1,-1,,1",
    "1,train,1,1,,x,1",
    "1,train,1,1,,,",
    "1,train,1,1,,,-1",
    "1,train,1,1,,,1,1",
    "1,train,1,1,,,1,",
    "1,train,1,1,,",
};

static void expect_refused(const char *path, const char *text, size_t size)
{
    scratch_write(path, text, size);
    hl_metrics_csv csv;
    hl_status status = hl_metrics_csv_open(&csv, path, 10);
    ck_assert_msg(status.code == HL_BAD_FILE, "%s", text);
    ck_assert_msg(strstr(status.text, "metrics.csv:3: not a row") != NULL, "%s", status.text);
    hl_metrics_csv_close(&csv);
    ck_assert(scratch_holds(path, text, size));
    ck_assert_int_eq(hl_metrics_csv_check(path, text, size).code, HL_BAD_FILE);
}

START_TEST(a_line_that_is_no_row_is_refused_and_untouched)
{
    const char *path = scratch_path("metrics.csv");
    for (size_t i = 0; i < sizeof no_rows / sizeof *no_rows; i++) {
        char text[512];
        int size = snprintf(text, sizeof text, HEADER "0,train,1,1,,,1\n%s\n" TRAINING, no_rows[i]);
        expect_refused(path, text, (size_t)size);
    }
    static const char zero[] = HEADER "0,train,1,1,,,1\n1,train,1,1,,,1\0\n" TRAINING;
    expect_refused(path, zero, sizeof zero - 1);
    char huge[600];
    int size = snprintf(huge, sizeof huge, HEADER "0,train,1,1,,,1\n1,train,%0300d,1,,,1\n", 1);
    expect_refused(path, huge, (size_t)size);
}
END_TEST

START_TEST(a_step_before_the_last_is_refused_and_untouched)
{
    static const char text[] = HEADER "0,train,1,1,,,1\n" TRAINING "9,train,1,1,,,1\n";
    const char *path = scratch_path("metrics.csv");
    scratch_write(path, text, sizeof text - 1);
    hl_metrics_csv csv;
    hl_status status = hl_metrics_csv_open(&csv, path, 10);
    ck_assert_int_eq(status.code, HL_BAD_FILE);
    ck_assert_msg(strstr(status.text, "metrics.csv:4: step 9 after step 10, which no run writes; take the line out") !=
                      NULL,
                  "%s", status.text);
    hl_metrics_csv_close(&csv);
    ck_assert(scratch_holds(path, text, sizeof text - 1));
    ck_assert_int_eq(hl_metrics_csv_check(path, text, sizeof text - 1).code, HL_BAD_FILE);
}
END_TEST

/* A checkpoint of step 12: trained for 2 steps since a row, validated twice since the best one at step 5. */
START_TEST(what_a_checkpoint_stands_on_must_be_there)
{
#define BEGUN HEADER "0,validation,1,1,,,1\n5,train,1,1,,,1\n"
#define BEST "5,validation,1,1,,,1\n"
    static const struct {
        const char *text, *message; /* NULL: good */
    } cases[] = {
        { BEGUN BEST VALIDATION TRAINING "12,validation,1,1,,,1\n", NULL },
        { BEGUN BEST VALIDATION TRAINING "12,validation,1,1,,,1\n14,train,1,1,,,1\n15,tr", NULL },
        { BEGUN BEST TRAINING VALIDATION "13,validation,1,1,,,1\n", "lost rows" },
        { BEGUN BEST VALIDATION "12,validation,1,1,,,1\n14,train,1,1,,,1\n", "lost rows" },
        { BEGUN TRAINING VALIDATION "12,validation,1,1,,,1\n", "lost rows" },
        { HEADER "5,train,1,1,,,1\n" BEST TRAINING VALIDATION "12,validation,1,1,,,1\n", "lost rows" },
        { HEADER "0,train,1,1,,,1\n" BEST TRAINING VALIDATION "12,validation,1,1,,,1\n", "lost rows" },
        { HEADER BEST TRAINING VALIDATION "12,validation,1,1,,,1\n", "lost rows" },
        { BEGUN BEST TRAINING VALIDATION "12,validation,1,1,,,1", "lost rows" },
        { BEGUN, "lost rows" },
        { HEADER, "lost rows" },
        { "", "lost rows" },
        { "step\n", ":1: not the header" },
        { BEGUN BEST "x\n", ":5: not a row" },
        { BEGUN BEST TRAINING "4,train,1,1,,,1\n", ":6: step 4 after step 10" },
    };
    const hl_train_state state = { .best_step = 5, .since_best = 2, .n_updates = 2 };
    const hl_metrics_until until = { 12, &state };
    const char *path = scratch_path("metrics.csv");
    ck_assert_ptr_nonnull(strstr(hl_metrics_csv_check_until(path, &until).text,
                                 "metrics.csv: missing, and the checkpoint is of step 12; put the file back, or begin "
                                 "anew with --overwrite"));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        scratch_write(path, cases[i].text, strlen(cases[i].text));
        hl_status status = hl_metrics_csv_check_until(path, &until);
        ck_assert_msg(status.code == (cases[i].message != NULL ? HL_BAD_FILE : HL_OK), "%zu: %s", i, status.text);
        ck_assert_msg(cases[i].message == NULL || strstr(status.text, cases[i].message) != NULL, "%zu: %s", i,
                      status.text);
        ck_assert(scratch_holds(path, cases[i].text, strlen(cases[i].text)));
    }
}
END_TEST

START_TEST(what_may_still_be_being_written_is_no_fault)
{
    static const char *const whole[] = { HEADER, HEADER TRAINING VALIDATION, HEADER TRAINING "10,val" };
    for (int i = 0; i < 3; i++) {
        ck_assert_int_eq(hl_metrics_csv_check("m", whole[i], strlen(whole[i])).code, HL_OK);
    }
    ck_assert_str_eq(hl_metrics_csv_check("m", "step\n", 5).text, "m:1: not the header of a metrics.csv");
}
END_TEST

START_TEST(a_row_is_read_as_it_was_written)
{
    static const char line[] = VALIDATION;
    hl_metrics_row row;
    ck_assert(hl_metrics_row_read(line, sizeof line - 2, &row));
    ck_assert(row.step == 10 && strcmp(row.split, "validation") == 0 && row.accuracy == 1 && row.loss == 0.333333333);
    ck_assert(row.learning_rate == -1 && row.grad_norm == -1 && row.tokens_per_second == 0);
    static const char trained[] = TRAINING;
    ck_assert(hl_metrics_row_read(trained, sizeof trained - 2, &row));
    ck_assert(row.learning_rate == 0.001 && row.grad_norm == 2.5 && row.tokens_per_second == 12346);
}
END_TEST

START_TEST(a_row_goes_through_in_pieces_and_past_interruptions)
{
    const char *path = scratch_path("metrics.csv");
    faults_begin();
    faults_pieces(3);
    faults_interrupts(true);
    hl_metrics_csv csv = opened(path, -1);
    ck_assert_int_eq(hl_metrics_csv_append(&csv, training).code, HL_OK);
    ck_assert_int_eq(hl_metrics_csv_sync(&csv).code, HL_OK);
    hl_metrics_csv_close(&csv);
    faults_end();
    assert_holds(path, HEADER TRAINING);
}
END_TEST

static hl_status open_append_sync(const char *path)
{
    hl_metrics_csv csv;
    hl_status status = hl_metrics_csv_open(&csv, path, 10);
    if (status.code == HL_OK) {
        status = hl_metrics_csv_append(&csv, training);
    }
    if (status.code == HL_OK) {
        status = hl_metrics_csv_sync(&csv);
    }
    hl_metrics_csv_close(&csv);
    return status;
}

START_TEST(whatever_fails_is_reported_and_nothing_leaks)
{
    const char *path = scratch_path("metrics.csv");
    static const char before[] = HEADER "1,train,1,1,1,1,1\n20,train,1,1,1,1,1\n";
    faults_begin();
    int harmless = 0, n = 1;
    for (;; n++) {
        scratch_write(path, before, sizeof before - 1);
        faults_in_files(n, FAULTS_ONCE, ENOSPC);
        hl_status status = open_append_sync(path);
        if (faults_file_calls() < n) {
            ck_assert_int_eq(status.code, HL_OK);
            break;
        }
        harmless += status.code == HL_OK;
        ck_assert(status.code == HL_OK || (status.code == HL_BAD_FILE && strstr(status.text, path) != NULL));
        ck_assert_int_eq(faults_open_files(), 0);
        ck_assert_int_eq(faults_live_blocks(), 0);
    }
    ck_assert_int_gt(n, 10);
    ck_assert_int_le(harmless, 4); /* closing what was read or synced; removing a temporary file that is not there */
    faults_in_files(0, FAULTS_ONCE, 0);
    for (n = 1;; n++) {
        scratch_write(path, before, sizeof before - 1);
        faults_in_memory(n, FAULTS_ONCE);
        hl_status status = open_append_sync(path);
        ck_assert_int_eq(faults_live_blocks(), 0);
        if (faults_allocations() < n) {
            break;
        }
        ck_assert_int_eq(status.code, HL_NO_MEMORY);
    }
    ck_assert_int_gt(n, 2);
    faults_end();
}
END_TEST

static void add_tests(TCase *tc)
{
    tcase_add_test(tc, rows_are_in_the_file_at_once);
    tcase_add_test(tc, what_is_later_than_the_last_step_or_unfinished_is_dropped);
    tcase_add_test(tc, a_file_that_is_no_metrics_is_refused_and_untouched);
    tcase_add_test(tc, a_line_that_is_no_row_is_refused_and_untouched);
    tcase_add_test(tc, a_step_before_the_last_is_refused_and_untouched);
    tcase_add_test(tc, what_a_checkpoint_stands_on_must_be_there);
    tcase_add_test(tc, what_may_still_be_being_written_is_no_fault);
    tcase_add_test(tc, a_row_is_read_as_it_was_written);
    tcase_add_test(tc, a_row_goes_through_in_pieces_and_past_interruptions);
    tcase_add_test(tc, whatever_fails_is_reported_and_nothing_leaks);
}
SUITE("metrics.csv", add_tests)
