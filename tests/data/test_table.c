#include "data/text/table.h"

#include "core/base/text.h"
#include "core/examples.h"
#include "core/files/files.h"
#include "tests/check_suite.h"
#include "tests/data/text_files.h"
#include "tests/fault_checks.h"

static bool is(hl_span slice, const char *text)
{
    return slice.size == strlen(text) && memcmp(slice.text, text, slice.size) == 0;
}

TEST(columns_have_names_and_numbers)
{
    hl_table *table;
    hl_table_row row;
    int64_t column;
    CHECK_OK(hl_table_open(scratch_file("t", "text\tlabel\t1\n\"a\" b\t\t\\t\n"), true, &table));
    ck_assert(hl_table_find(table, "label", &column).code == HL_OK && column == 1);
    ck_assert(hl_table_find(table, "2", &column).code == HL_OK && column == 1);
    ck_assert(hl_table_find(table, "1", &column).code == HL_OK && column == 2); /* a name goes before a number */
    CHECK_OK(hl_table_next(table, &row));
    ck_assert(row.n_columns == 3 && row.line == 2 && is(row.columns[0], "\"a\" b") && is(row.columns[1], "") &&
              is(row.columns[2], "\\t"));
    CHECK_OK(hl_table_next(table, &row));
    ck_assert_ptr_null(row.columns);
    hl_table_close(table);
    CHECK_OK(hl_table_open(scratch_file("t", "a\n\nb"), false, &table));
    ck_assert(hl_table_find(table, "1", &column).code == HL_OK && column == 0);
    for (int line = 1; line <= 3; line++) {
        CHECK_OK(hl_table_next(table, &row));
        ck_assert(row.line == line && is(row.columns[0], line == 1 ? "a" : line == 2 ? "" : "b"));
    }
    hl_table_close(table);
}

TEST(a_column_that_is_not_there_is_refused_by_name)
{
    hl_table *table;
    int64_t column;
    const char *path = scratch_file("t", "text\tlabel\ttext\n");
    CHECK_OK(hl_table_open(path, true, &table));
    refused_as(hl_table_find(table, "lable", &column), HL_INVALID, path,
               ": has no column lable; its columns are text, label, text");
    refused_as(hl_table_find(table, "4", &column), HL_INVALID, path,
               ": has no column 4; its columns are text, label, text");
    refused_as(hl_table_find(table, "0", &column), HL_INVALID, path,
               ": has no column 0; its columns are text, label, text");
    refused_as(hl_table_find(table, "text", &column), HL_INVALID, path,
               ": has 2 columns named text; give the number, from 1");
    hl_table_close(table);
    CHECK_OK(hl_table_open(path, false, &table));
    refused_as(hl_table_find(table, "text", &column), HL_INVALID, path,
               ": is read without a header: its columns are numbers from 1, not text");
    refused_as(hl_table_find(table, "0", &column), HL_INVALID, path,
               ": is read without a header: its columns are numbers from 1, not 0");
    hl_table_close(table);
}

/* Reads all rows and asks for column `number`, if it is not 0. */
static hl_status read_all(const char *path, bool header, const char *number)
{
    hl_table *table;
    hl_table_row row = { .columns = NULL };
    int64_t column;
    HL_TRY(hl_table_open(path, header, &table));
    hl_status status = number != NULL ? hl_table_find(table, number, &column) : hl_ok();
    do {
        status = status.code == HL_OK ? hl_table_next(table, &row) : status;
    } while (status.code == HL_OK && row.columns != NULL);
    hl_table_close(table);
    return status;
}

TEST(ragged_and_empty_tables_are_refused_by_place)
{
    static const struct {
        const char *text;
        bool header;
        const char *column, *rest;
    } cases[] = {
        { "a\tb\nc\td\te\n", false, NULL, ":2: has 3 columns, not 2 as line 1" },
        { "a\tb\nc\td\n\n\ne\tf\n", true, NULL, ":3: has 1 column, not 2 as line 1" },
        { "a\tb\n", false, "3", ":1: has 2 columns; there is no column 3" },
        { "a\n", false, "999999", ":1: has 1 column; there is no column 999999" },
        { "", false, NULL, ": holds no row" },
        { "", true, NULL, ": holds no row" },
        { "a\tb\n", true, NULL, ": holds no row" },
    };
    for (int i = 0; i < ROWS(cases); i++) {
        const char *path = scratch_file("t", cases[i].text);
        refused_as(read_all(path, cases[i].header, cases[i].column), HL_BAD_FILE, path, cases[i].rest);
    }
}

TEST(empty_lines_may_end_a_table)
{
    CHECK_OK(read_all(scratch_file("t", "a\tb\nc\td\n\n\n"), true, NULL));
    CHECK_OK(read_all(scratch_file("t", "a\tb\r\n\r\n"), false, NULL));
    refused_as(read_all(scratch_file("t", "a\tb\n\n"), true, NULL), HL_BAD_FILE, scratch_file("t", "a\tb\n\n"),
               ": holds no row");
}

/* The tokens, targets and sources of a row: "a:x@1 b:- ..." */
static hl_status task_text(const char *row_text, bool sources, hl_text *text)
{
    hl_table *table;
    hl_table_row row;
    hl_table_task task;
    HL_TRY(hl_table_open(scratch_file("t", row_text), false, &table));
    hl_status status = hl_table_next(table, &row);
    if (status.code == HL_OK) {
        status = hl_table_task_of(table, &row, 0, 1, sources ? 2 : -1, &task);
    }
    for (int64_t i = 0; status.code == HL_OK && i < task.n; i++) {
        hl_span target = task.targets[i].text != NULL ? task.targets[i] : (hl_span){ "-", 1 };
        hl_text_print(text, "%.*s:%.*s@%d ", (int)task.tokens[i].size, task.tokens[i].text, (int)target.size,
                      target.text, (int)task.sources[i]);
    }
    hl_table_close(table);
    return status;
}

TEST(a_row_may_be_a_toy_task)
{
    hl_text text = { 0 };
    CHECK_OK(task_text("a _  c \t_ x _\t_ 2 0\n", true, &text));
    ck_assert_str_eq(text.bytes, "a:-@-1 _:x@2 c:-@0 ");
    hl_text_free(&text);
    CHECK_OK(task_text("a b\tx _\t9 9 9", false, &text));
    ck_assert_str_eq(text.bytes, "a:x@-1 b:-@-1 ");
    hl_text_free(&text);
    static const struct {
        const char *row, *rest;
    } cases[] = {
        { " \tx\t_", ":1: has no token" },
        { "a b c\tx y\t_", ":1: has 3 tokens, but 2 targets" },
        { "a\tx y\t_", ":1: has 1 token, but 2 targets" },
        { "a b\t_ _\t_ _", ":1: has no target: every one is _" },
        { "a b\tx _\t0", ":1: has 2 tokens, but 1 source" },
        { "a b\tx _\t0 2", ":1: source 2 is no position from 0 to 1, nor _" },
        { "a b\tx _\t-1 _", ":1: source -1 is no position from 0 to 1, nor _" },
        { "a b\tx _\t99999999999999999999 _", ":1: source 99999999999999999999 is no position from 0 to 1, nor _" },
    };
    for (int i = 0; i < ROWS(cases); i++) {
        refused_as(task_text(cases[i].row, true, &text), HL_BAD_FILE, scratch_path("t"), cases[i].rest);
    }
}

static hl_status save_table(const char *path, int version)
{
    return version == 0 ? hl_file_replace(path, "x\ty\na b\tc _\n", 12, HL_DURABLE)
                        : hl_file_replace(path, "x\ty\n", 4, HL_DURABLE);
}

static hl_status load_table(const char *path)
{
    hl_table *table;
    hl_table_row row;
    hl_table_task task = { 0 };
    HL_TRY(hl_table_open(path, true, &table));
    hl_status status = hl_table_next(table, &row);
    if (status.code == HL_OK) {
        status = hl_table_task_of(table, &row, 0, 1, -1, &task);
    }
    if (status.code == HL_OK) {
        ck_assert(task.n == 2 && is(task.tokens[1], "b"));
        status = hl_table_next(table, &row);
    }
    hl_table_close(table);
    return status;
}

TEST(no_failing_call_is_missed)
{
    fault_checks_loading(save_table, load_table, 1);
}

SUITE("table")
