#include "tests/check_suite.h"
#include "tests/fault_checks.h"
#include "tests/faults.h"
#include "tests/messages.h"
#include "tests/scratch.h"
#include "train/metrics_csv.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#define HEADER "step,split,loss,accuracy,learning_rate,grad_norm,tokens_per_second\n"

static const hl_metrics_row training = { .step = 10,
                                         .split = "train",
                                         .scores.loss = 1.25,
                                         .scores.accuracy = 0.5,
                                         .learning_rate = 0.001,
                                         .grad_norm = 2.5,
                                         .tokens_per_second = 12345.6 };
static const hl_metrics_row validation = { .step = 10,
                                           .split = "validation",
                                           .scores.loss = 1.0 / 3,
                                           .scores.accuracy = 1,
                                           .learning_rate = -1,
                                           .grad_norm = -1,
                                           .tokens_per_second = 0.4 };
#define TRAINING "10,train,1.25,0.5,0.001,2.5,12346\n"
#define VALIDATION "10,validation,0.333333333,1,,,0\n"

static void assert_holds(const char *path, const char *text)
{
    size_t size;
    char *content = scratch_read(path, &size);
    ck_assert_str_eq(content, text);
    free(content);
}

static const hl_metrics_sum nothing, a_few = { .rows = 3 };

/* The sum of the text's first rows. */
static hl_metrics_sum sum_of(const char *text, int64_t rows)
{
    hl_metrics_sum sum = { .rows = rows };
    const char *line = strchr(text, '\n') + 1;
    for (int64_t i = 0; i < rows; i++) {
        const char *end = strchr(line, '\n'), *speed = end;
        while (speed[-1] != ',') {
            speed--;
        }
        sum.crc = (int64_t)crc32((uLong)sum.crc, (const Bytef *)line, (uInt)(speed - line));
        line = end + 1;
    }
    return sum;
}

static hl_metrics_csv opened(const char *path, hl_metrics_sum until)
{
    hl_metrics_csv csv;
    CHECK_OK(hl_metrics_csv_open(&csv, path, HL_METRICS_PLAIN, until));
    return csv;
}

/* What becomes of opening it after a few rows, in passing. */
static hl_status tried(const char *path)
{
    hl_metrics_csv csv;
    hl_status status = hl_metrics_csv_open(&csv, path, HL_METRICS_PLAIN, a_few);
    hl_metrics_csv_close(&csv);
    return status;
}

static void assert_same(hl_metrics_sum a, hl_metrics_sum b)
{
    ck_assert_int_eq(a.rows, b.rows);
    ck_assert_int_eq(a.crc, b.crc);
}

TEST(rows_are_in_the_file_at_once)
{
    const char *path = scratch_path("metrics.csv");
    hl_metrics_csv csv = opened(path, nothing);
    assert_holds(path, HEADER);
    CHECK_OK(hl_metrics_csv_append(&csv, training));
    assert_holds(path, HEADER TRAINING);
    CHECK_OK(hl_metrics_csv_append(&csv, validation));
    CHECK_OK(hl_metrics_csv_sync(&csv));
    assert_holds(path, HEADER TRAINING VALIDATION);
    assert_same(csv.sum, sum_of(HEADER TRAINING VALIDATION, 2));
    hl_metrics_csv_close(&csv);
}

TEST(what_follows_the_known_rows_is_dropped)
{
    static const struct {
        const char *before, *after;
        int64_t rows; /* known */
    } cases[] = {
        { HEADER TRAINING VALIDATION, HEADER TRAINING VALIDATION, 2 },
        { HEADER TRAINING VALIDATION "20,train,1,1,1,1,1\n", HEADER TRAINING VALIDATION, 2 },
        { HEADER TRAINING VALIDATION "20,train,1,1,1,1,1\n", HEADER TRAINING VALIDATION "20,train,1,1,1,1,1\n", 3 },
        { HEADER TRAINING VALIDATION "20,train,1,1", HEADER TRAINING VALIDATION, 2 },
        { HEADER TRAINING "1", HEADER TRAINING, 1 },
        { HEADER TRAINING "x\n", HEADER TRAINING, 1 },
        { HEADER TRAINING "9,train,1,1,,,1\n", HEADER TRAINING, 1 },
        { HEADER TRAINING VALIDATION, HEADER, 0 },
        { HEADER "0,validation,1,1,,,1\n" TRAINING, HEADER "0,validation,1,1,,,1\n", 1 },
        { HEADER, HEADER, 0 },
        { "", HEADER, 0 },
    };
    const char *path = scratch_path("metrics.csv");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        scratch_write(path, cases[i].before, strlen(cases[i].before));
        hl_metrics_csv csv = opened(path, sum_of(cases[i].after, cases[i].rows));
        assert_holds(path, cases[i].after);
        CHECK_OK(hl_metrics_csv_append(&csv, training));
        char expected[1024];
        strcat(strcpy(expected, cases[i].after), TRAINING);
        assert_same(csv.sum, sum_of(expected, cases[i].rows + 1));
        hl_metrics_csv_close(&csv);
        assert_holds(path, expected);
    }
}

TEST(a_file_that_is_no_metrics_is_refused_and_untouched)
{
    static const char *const foreign[] = { "step,split,loss\n1,train,2\n", "s", HEADER };
    const char *path = scratch_path("metrics.csv");
    for (int i = 0; i < 3; i++) {
        size_t size = strlen(foreign[i]) - (i == 2); /* a header without its end of line */
        scratch_write(path, foreign[i], size);
        message_check(tried(path), HL_BAD_FILE, "train.not_the_header_of_a_metrics");
        ck_assert(scratch_holds(path, foreign[i], size));
    }
}

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
    message_check(tried(path), HL_BAD_FILE, "train.not_a_row_of_a_metrics");
    ck_assert(scratch_holds(path, text, size));
    ck_assert_int_eq(hl_metrics_csv_check(path, text, size, nothing).code, HL_BAD_FILE);
}

TEST(a_line_that_is_no_row_is_refused_and_untouched)
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

TEST(a_step_before_the_last_is_refused_and_untouched)
{
    static const char text[] = HEADER "0,train,1,1,,,1\n" TRAINING "9,train,1,1,,,1\n";
    const char *path = scratch_path("metrics.csv");
    scratch_write(path, text, sizeof text - 1);
    message_check(tried(path), HL_BAD_FILE, "train.step_9_after_step_10_which");
    ck_assert(scratch_holds(path, text, sizeof text - 1));
    ck_assert_int_eq(hl_metrics_csv_check(path, text, sizeof text - 1, nothing).code, HL_BAD_FILE);
}

TEST(what_a_checkpoint_knows_must_be_there)
{
#define FIRST HEADER "0,validation,1,1,,,1\n"
#define KNOWN FIRST TRAINING VALIDATION
    static const struct {
        const char *text, *message; /* NULL: good */
    } cases[] = {
        { KNOWN, NULL },
        { KNOWN "14,train,1,1,,,1\n15,tr", NULL },
        { FIRST "10,train,1.25,0.5,0.001,2.5,777\n" VALIDATION, NULL }, /* the speed is not the run's */
        { FIRST TRAINING, "has lost rows of this run (2 of 3 are left); put the file back, or start again with" },
        { FIRST TRAINING "10,validation,0.333333333,1,,,0", "(2 of 3 are left)" },
        { HEADER, "(0 of 3 are left)" },
        { "", "(0 of 3 are left)" },
        { FIRST VALIDATION TRAINING, "the first 3 rows are not those that the run wrote; put the file back, or" },
        { FIRST TRAINING "10,validation,0.333333332,1,,,0\n", "the first 3 rows are not" },
        { FIRST TRAINING "11,validation,0.333333333,1,,,0\n", "the first 3 rows are not" },
        { FIRST "10,train,1.25,0.5,0.001,2.50,12346\n" VALIDATION, "the first 3 rows are not" },
        { FIRST "14,train,1,1,,,1\n15,train,1,1,,,1\n", "the first 3 rows are not" },
        { "step\n", ":1: not the header" },
        { FIRST "x\n", ":3: not a row" },
        { FIRST TRAINING "4,train,1,1,,,1\n", ":4: step 4 after step 10" },
    };
    const hl_metrics_sum known = sum_of(KNOWN, 3);
    const char *path = scratch_path("metrics.csv");
    ck_assert_ptr_nonnull(
        strstr(hl_metrics_csv_check_until(path, known).text,
               "metrics.csv: missing, with 3 rows of this run; put the file back, or start again with "
               "--overwrite"));
    CHECK_OK(hl_metrics_csv_check_until(path, nothing));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *text = cases[i].text, *message = cases[i].message;
        scratch_write(path, text, strlen(text));
        hl_status status = hl_metrics_csv_check_until(path, known);
        ck_assert_msg(status.code == (message != NULL ? HL_BAD_FILE : HL_OK), "%zu: %s", i, status.text);
        ck_assert_msg(message == NULL || strstr(status.text, message) != NULL, "%zu: %s", i, status.text);
        ck_assert(scratch_holds(path, text, strlen(text)));
        ck_assert(*text == '\0' || hl_metrics_csv_check(path, text, strlen(text), known).code == status.code);
    }
}

/* Whatever bit of the rows is inverted, but those of speeds. */
TEST(a_flipped_bit_is_refused)
{
    const char *path = scratch_path("metrics.csv");
    char text[] = KNOWN;
    const hl_metrics_sum known = sum_of(text, 3);
    int refused = 0;
    for (size_t i = 0; i < 8 * (sizeof text - 1); i++) {
        text[i / 8] ^= (char)(1 << i % 8);
        scratch_write(path, text, sizeof text - 1);
        bool speed = strchr(text + i / 8, ',') == NULL || strcspn(text + i / 8, ",") > strcspn(text + i / 8, "\n");
        hl_status status = hl_metrics_csv_check_until(path, known);
        ck_assert_msg(speed || status.code == HL_BAD_FILE, "bit %zu: %s", i, text);
        refused += status.code == HL_BAD_FILE;
        text[i / 8] ^= (char)(1 << i % 8);
    }
    ck_assert_int_gt(refused, 1000);
}

TEST(what_may_still_be_being_written_is_no_fault)
{
    static const char *const whole[] = { HEADER, HEADER TRAINING VALIDATION, HEADER TRAINING "10,val" };
    for (int i = 0; i < 3; i++) {
        CHECK_OK(hl_metrics_csv_check("m", whole[i], strlen(whole[i]), nothing));
    }
    ck_assert_str_eq(hl_metrics_csv_check("m", "step\n", 5, nothing).text, "m:1: not the header of a metrics.csv");
}

TEST(a_row_is_read_as_it_was_written)
{
    static const char line[] = VALIDATION;
    hl_metrics_row row;
    ck_assert(hl_metrics_row_read(line, sizeof line - 2, &row));
    ck_assert(row.step == 10 && strcmp(row.split, "validation") == 0 && row.scores.accuracy == 1 &&
              row.scores.loss == 0.333333333);
    ck_assert(row.learning_rate == -1 && row.grad_norm == -1 && row.tokens_per_second == 0);
    static const char trained[] = TRAINING;
    ck_assert(hl_metrics_row_read(trained, sizeof trained - 2, &row));
    ck_assert(row.learning_rate == 0.001 && row.grad_norm == 2.5 && row.tokens_per_second == 12346);
}

#define TOKENS_HEADER \
    "step,split,loss,accuracy,learning_rate,grad_norm,tokens_per_second,perplexity,bits_per_character,bits_per_word\n"
#define TOKENS_TRAINING "10,train,1.25,0.5,0.001,2.5,12346,,,\n"
#define TOKENS_VALIDATION "10,validation,0.333333333,1,,,0,1.5,,12.25\n"
#define CLASSES_HEADER "step,split,loss,accuracy,learning_rate,grad_norm,tokens_per_second,macro_f1,micro_f1\n"
#define CLASSES_VALIDATION "10,validation,0.333333333,1,,,0,0,0.5\n"

static void write_rows(const char *path, hl_metrics_kind kind, const hl_metrics_row *rows, int n, hl_metrics_sum *sum)
{
    hl_metrics_csv csv;
    CHECK_OK(hl_metrics_csv_open(&csv, path, kind, nothing));
    for (int i = 0; i < n; i++) {
        CHECK_OK(hl_metrics_csv_append(&csv, rows[i]));
    }
    *sum = csv.sum;
    hl_metrics_csv_close(&csv);
}

TEST(rows_of_text_end_with_its_figures)
{
    hl_metrics_row rows[2] = { training, validation };
    rows[0].scores.perplexity = (double)INFINITY; /* too large a number */
    rows[0].scores.bits_per_character = rows[0].scores.bits_per_word = rows[1].scores.bits_per_character = -1;
    rows[1].scores.perplexity = 1.5;
    rows[1].scores.bits_per_word = 12.25;
    rows[1].scores.micro_f1 = 0.5;
    const char *path = scratch_path("metrics.csv");
    hl_metrics_sum sum, same;
    write_rows(path, HL_METRICS_TOKENS, rows, 2, &sum);
    assert_holds(path, TOKENS_HEADER TOKENS_TRAINING TOKENS_VALIDATION);
    CHECK_OK(hl_metrics_csv_check_until(path, sum));
    hl_metrics_row row;
    ck_assert(hl_metrics_row_read(TOKENS_VALIDATION, strlen(TOKENS_VALIDATION) - 1, &row));
    ck_assert(row.kind == HL_METRICS_TOKENS && row.scores.perplexity == 1.5 && row.scores.bits_per_character == -1);
    ck_assert(row.scores.bits_per_word == 12.25 && row.tokens_per_second == 0);
    ck_assert(hl_metrics_row_read(TOKENS_TRAINING, strlen(TOKENS_TRAINING) - 1, &row) &&
              row.scores.bits_per_word == -1);
    rows[1].tokens_per_second = 99; /* which is in no sum; a figure is */
    remove(path);
    write_rows(path, HL_METRICS_TOKENS, rows, 2, &same);
    assert_same(same, sum);
    rows[1].scores.bits_per_word = 12.5;
    remove(path);
    write_rows(path, HL_METRICS_TOKENS, rows, 2, &same);
    ck_assert_int_ne(same.crc, sum.crc);
    ck_assert_int_eq(hl_metrics_csv_check_until(path, sum).code, HL_BAD_FILE);
    remove(path);
    write_rows(path, HL_METRICS_CLASSES, rows + 1, 1, &sum);
    assert_holds(path, CLASSES_HEADER "10,validation,0.333333333,1,,,99,0,0.5\n");
    ck_assert(hl_metrics_row_read(CLASSES_VALIDATION, strlen(CLASSES_VALIDATION) - 1, &row));
    ck_assert(row.kind == HL_METRICS_CLASSES && row.scores.macro_f1 == 0 && row.scores.micro_f1 == 0.5);
}

TEST(a_file_has_rows_of_one_kind)
{
    static const char *const texts[] = { HEADER TOKENS_VALIDATION,
                                         TOKENS_HEADER VALIDATION,
                                         TOKENS_HEADER CLASSES_VALIDATION,
                                         CLASSES_HEADER TOKENS_TRAINING,
                                         CLASSES_HEADER "10,validation,0.5,1,,,0,0.5\n",
                                         TOKENS_HEADER "10,validation,0.5,1,,,0,x,1,1\n" };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        ck_assert_str_eq(hl_metrics_csv_check("m", texts[i], strlen(texts[i]), nothing).text,
                         "m:2: not a row of a metrics.csv; remove the line");
    }
    const char *path = scratch_path("metrics.csv");
    scratch_write(path, CLASSES_HEADER, strlen(CLASSES_HEADER));
    hl_metrics_csv csv;
    hl_status status = hl_metrics_csv_open(&csv, path, HL_METRICS_PLAIN, nothing);
    ck_assert_ptr_nonnull(strstr(status.text, "metrics.csv:1: has the columns of another task; start again with"));
    hl_metrics_csv_close(&csv);
    assert_holds(path, CLASSES_HEADER);
}

TEST(a_row_goes_through_in_pieces_and_past_interruptions)
{
    const char *path = scratch_path("metrics.csv");
    faults_begin();
    faults_pieces(3);
    faults_interrupts(true);
    hl_metrics_csv csv = opened(path, nothing);
    CHECK_OK(hl_metrics_csv_append(&csv, training));
    CHECK_OK(hl_metrics_csv_sync(&csv));
    hl_metrics_csv_close(&csv);
    faults_end();
    assert_holds(path, HEADER TRAINING);
}

#define BEFORE HEADER "1,train,1,1,1,1,1\n"

static hl_status open_append_sync(const char *path)
{
    hl_metrics_csv csv;
    hl_status status = hl_metrics_csv_open(&csv, path, HL_METRICS_PLAIN, sum_of(BEFORE, 1));
    HL_THEN(status, hl_metrics_csv_append(&csv, training));
    HL_THEN(status, hl_metrics_csv_sync(&csv));
    hl_metrics_csv_close(&csv);
    return status;
}

TEST(whatever_fails_is_reported_and_nothing_leaks)
{
    const char *path = scratch_path("metrics.csv");
    static const char before[] = BEFORE "20,train,1,1,1,1,1\n";
    faults_begin();
    int harmless = 0, n = 1;
    for (;; n++) {
        scratch_write(path, before, sizeof before - 1);
        faults_in_files(n, FAULTS_ONCE, ENOSPC);
        hl_status status = open_append_sync(path);
        if (faults_file_calls() < n) {
            CHECK_OK(status);
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
    for (n = 0; fault_checks_next(&n, FAULTS_ONCE);) {
        scratch_write(path, before, sizeof before - 1);
        fault_checks_turn(open_append_sync(path));
    }
    ck_assert_int_gt(n, 2);
    faults_end();
}

TEST(a_zeroed_one_is_closed_without_harm)
{
    hl_metrics_csv csv = { 0 };
    hl_metrics_csv_close(&csv);
    ck_assert_int_ge(fcntl(0, F_GETFD), 0); /* 0 is nobody's but standard input's */
}

SUITE("metrics.csv")
