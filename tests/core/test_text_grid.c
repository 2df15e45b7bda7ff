#include "core/base/text_grid.h"
#include "tests/check_suite.h"
#include "tests/faults.h"
#include "tests/scratch.h"

#include <stdio.h>
#include <string.h>

static void fill(hl_text_grid *grid)
{
    static const char *const cells[3][4] = { { "", "h", "loss", "steps" },
                                             { "base", "16",
                                               "0.5 \xc2\xb1"
                                               "0.25",
                                               "7" },
                                             { "", "1", "2", "" } };
    CHECK_OK(hl_text_grid_init(grid, 3, 4));
    for (int r = 0; r < 3; r++) {
        for (int c = 0; c < 4; c++) {
            hl_text_grid_set(grid, r, c, "%s", cells[r][c]);
        }
    }
}

static void expect(int width, int64_t repeated, bool ascii, const char *expected)
{
    hl_text_grid grid;
    hl_text *text = scratch_text();
    fill(&grid);
    hl_text_grid_print(&grid, width, repeated, ascii, text);
    ck_assert_str_eq(text->bytes, expected);
    hl_text_grid_free(&grid);
}

TEST(columns_are_aligned_by_characters)
{
    expect(80, 2, false,
           "       h       loss  steps\n"
           "base  16  0.5 \xc2\xb1"
           "0.25      7\n"
           "       1          2       \n");
}

/* As in the names of files of a sweep: each of these characters takes two columns of a terminal. */
TEST(wide_characters_take_two_columns)
{
    hl_text_grid grid;
    hl_text *text = scratch_text();
    CHECK_OK(hl_text_grid_init(&grid, 3, 2));
    hl_text_grid_set(&grid, 0, 0, "\u65e5\u672c\u8a9e"); /* Japanese, in Chinese characters */
    hl_text_grid_set(&grid, 0, 1, "1");
    hl_text_grid_set(&grid, 1, 0, "caf\u00e9");
    hl_text_grid_set(&grid, 1, 1, "\ud55c");
    hl_text_grid_set(&grid, 2, 1, "123");
    hl_text_grid_print(&grid, 80, 1, false, text);
    ck_assert_str_eq(text->bytes, "\u65e5\u672c\u8a9e    1\ncaf\u00e9     \ud55c\n        123\n");
    hl_text_grid_free(&grid);
}

TEST(ascii_spells_the_sign)
{
    expect(80, 2, true,
           "       h        loss  steps\n"
           "base  16  0.5 +-0.25      7\n"
           "       1           2       \n");
}

TEST(columns_without_room_follow_below_their_names)
{
    static const char parts[] = "       h       loss\n"
                                "base  16  0.5 \xc2\xb1"
                                "0.25\n"
                                "       1          2\n"
                                "\n"
                                "       h  steps\n"
                                "base  16      7\n"
                                "       1       \n";
    expect(19, 2, false, parts);
    expect(25, 2, false, parts);
    expect(1, 2, false, parts); /* too narrow for any: one at a time */
}

TEST(markdown_has_the_same_cells)
{
    hl_text_grid grid;
    hl_text *text = scratch_text();
    fill(&grid);
    hl_text_grid_markdown(&grid, text);
    ck_assert_str_eq(text->bytes, "|  | h | loss | steps |\n|---|---:|---:|---:|\n"
                                  "| base | 16 | 0.5 \xc2\xb1"
                                  "0.25 | 7 |\n|  | 1 | 2 |  |\n");
    hl_text_grid_free(&grid);
}

TEST(markdown_shows_texts_as_they_are)
{
    static const char *const cells[] = { "a|b", "**a**", "_a_", "`a`", "~~a~~", "[a](b)",
                                         "<b>", "&lt;",  "$a$", "\\|", "a\nb" };
    static const char markdown[] = "| a\\|b | \\*\\*a\\*\\* | \\_a\\_ | \\`a\\` | \\~\\~a\\~\\~ | \\[a\\](b) | "
                                   "\\<b> | \\&lt; | \\$a\\$ | \\\\\\| | a b |\n";
    enum { CELLS = ROWS(cells) };
    hl_text_grid grid;
    hl_text *text = scratch_text();
    hl_text_grid_init(&grid, 1, CELLS);
    for (int c = 0; c < CELLS; c++) {
        hl_text_grid_set(&grid, 0, c, "%s", cells[c]);
    }
    hl_text_grid_markdown(&grid, text);
    ck_assert_msg(strncmp(text->bytes, markdown, strlen(markdown)) == 0, "%s", text->bytes);
    hl_text_grid_free(&grid);
}

TEST(a_cell_can_be_set_again)
{
    hl_text_grid grid;
    fill(&grid);
    hl_text_grid_set(&grid, 1, 1, "%d", 32);
    ck_assert_str_eq(hl_text_grid_at(&grid, 1, 1), "32");
    hl_text_grid_free(&grid);
    hl_text_grid_free(&grid);
}

TEST(want_of_memory_stays_on_the_grid)
{
    faults_begin();
    for (int n = 1; n <= 2; n++) {
        hl_text_grid grid;
        faults_in_memory(n, FAULTS_ONCE);
        hl_text_grid_init(&grid, 2, 2);
        hl_text_grid_set(&grid, 0, 0, "a");
        ck_assert_int_eq(grid.error.code, HL_NO_MEMORY);
        hl_text printed = { 0 }, markdown = { 0 }; /* which nobody can take for whole */
        hl_text_grid_print(&grid, 80, 1, false, &printed);
        hl_text_grid_markdown(&grid, &markdown);
        ck_assert_int_eq(hl_text_status(&printed).code, HL_NO_MEMORY);
        ck_assert_int_eq(hl_text_status(&markdown).code, HL_NO_MEMORY);
        hl_text_grid_free(&grid);
        ck_assert_int_eq(faults_live_blocks(), 0);
    }
    faults_end();
}

SUITE("text_grid")
