#include "show/sweep_report.h"
#include "tests/check_suite.h"
#include "tests/fault_checks.h"
#include "tests/faults.h"
#include "tests/heads/example.h"
#include "tests/show/written.h"

#include <string.h>

static const char nasty[] = "</td><script>alert('x')</script>\"&]]>\xe2\x80\xa8\xe2\x80\xae\x01";

/* Writes a page of two rows, whose first run has a picture and a report of its own, with `text` wherever texts
 * stand. */
static hl_status write_page(const char *name, hl_text *page)
{
    hl_text svg = { .bytes = "<svg/>", .size = 6 }, png = { .bytes = "PNG", .size = 3 },
            dark = { .bytes = "DARK", .size = 4 };
    hl_sweep_run runs[] = {
        { .name = name, .report = "heads=1/report.html", .maps = &png, .dark_maps = &dark, .base = true },
        { .name = name, .missing = "no snapshot was taken" }
    };
    hl_text_grid grid;
    hl_sweep_report report = { .title = name,
                               .command = name,
                               .table = &grid,
                               .notes = "first\nsecond\n",
                               .chart = &svg,
                               .narrow_chart = &dark,
                               .runs = runs };
    hl_status status = hl_text_grid_init(&grid, 3, 2);
    for (int row = 0; row < 3 && status.code == HL_OK; row++) {
        hl_text_grid_set(&grid, row, 0, "%s", name);
        hl_text_grid_set(&grid, row, 1, "cell %d", row);
    }
    HL_THEN(status, grid.error);
    HL_THEN(status, hl_sweep_report_write(&report, page));
    hl_text_grid_free(&grid);
    return status;
}

TEST(every_row_opens_its_run)
{
    hl_text *page = scratch_text();
    expect_ok(write_page("row", page));
    ck_assert_int_eq(strncmp(page->bytes, "<!doctype html>", 15), 0);
    ck_assert_int_eq(count_of(page->bytes, "<details>"), 2);
    ck_assert_int_eq(count_of(page->bytes, "cell 2"), 1);
    ck_assert_int_eq(count_of(page->bytes, "class=\"values base\""), 1);
    ck_assert_ptr_nonnull(strstr(page->bytes, "data:image/svg+xml;base64,PHN2Zy8+\"")); /* <svg/> */
    ck_assert_ptr_nonnull(strstr(page->bytes, "data:image/png;base64,UE5H\""));         /* PNG */
    ck_assert_ptr_nonnull(strstr(
        page->bytes, "<source media=\"(prefers-color-scheme: dark)\" srcset=\"data:image/png;base64,REFSSw==\">"));
    ck_assert_ptr_nonnull(
        strstr(page->bytes, "<source media=\"(max-width: 520px)\" srcset=\"data:image/svg+xml;base64,REFSSw==\">"));
    ck_assert_ptr_nonnull(strstr(page->bytes, "href=\"heads=1/report.html\""));
    ck_assert_ptr_nonnull(strstr(page->bytes, "no snapshot was taken"));
    ck_assert_ptr_nonnull(strstr(page->bytes, "<p class=\"hint\">second</p>"));
}

TEST(the_page_needs_nothing_else_and_runs_nothing)
{
    hl_text *page = scratch_text();
    expect_ok(write_page("row", page));
    ck_assert_int_eq(count_of(page->bytes, "<script"), 0);
    ck_assert_int_eq(count_of(page->bytes, "http:") + count_of(page->bytes, "https:"), 0);
    ck_assert_ptr_nonnull(strstr(page->bytes, "default-src 'none'; style-src"));
    ck_assert_int_eq(count_of(page->bytes, "@STYLE@") + count_of(page->bytes, "@DATA@"), 0);
}

TEST(texts_are_shown_and_never_interpreted)
{
    hl_text *page = scratch_text();
    expect_ok(write_page(nasty, page));
    ck_assert_int_eq(count_of(page->bytes, "<script"), 0);
    ck_assert_int_eq(count_of(page->bytes, "&#60;/td&#62;&#60;script&#62;alert(&#39;x&#39;)&#60;/"
                                           "script&#62;&#34;&#38;]]&#62;\\u{2028}\\u{202e}\\x01"),
                     10); /* title, command, a cell in each of three rows, its column's name beside two of them, two
                               runs, an image's description */
}

TEST(want_of_memory_is_told)
{
    faults_begin();
    int n = 0;
    while (fault_checks_next(&n, FAULTS_ONCE)) {
        hl_text page = { 0 };
        fault_checks_turn(write_page("row", &page));
        hl_text_free(&page);
    }
    ck_assert_int_gt(n, 9);
    faults_end();
}

SUITE("sweep_report")
