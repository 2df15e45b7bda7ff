#include "show/colour.h"
#include "show/terminal_map.h"
#include "tests/check_suite.h"
#include "tests/fault_checks.h"
#include "tests/faults.h"
#include "tests/heads/example.h"
#include "tests/show/drawn.h"
#include "tests/show/written.h"

#include <stdlib.h>
#include <string.h>

static drawn made;

static const hl_terminal shades_of_80 = { .width = 80 }, ascii_of_80 = { .width = 80, .ascii = true };

/* Whether a character that is shown takes two columns: of the drawn tokens only these. */
static bool is_wide(const unsigned char *at)
{
    return at[0] == 0xe4 || at[0] == 0xe6 || at[0] == 0xf0;
}

/* Returns how many lines there are. None is wider than the terminal, colours left out; every line takes its colours
 * back, nothing else is a control. */
static int expect_lines_fit(const hl_text *text, const hl_terminal *terminal)
{
    int n_lines = 0, column = 0;
    bool coloured = false, sound = true; /* asked for once: every ck_assert is a write */
    for (const unsigned char *at = (const unsigned char *)text->bytes; *at != '\0'; at++) {
        if (*at == '\033') {
            coloured = at[1] == '[' && at[2] != '0';
            at += 2 + strspn((const char *)at + 2, "0123456789;");
            sound = sound && *at == 'm';
        } else if (*at == '\n') {
            sound = sound && !coloured && column <= terminal->width;
            column = 0;
            n_lines++;
        } else {
            sound = sound && *at >= ' ' && *at != 0x7f;
            column += (*at & 0xc0) == 0x80 ? 0 : is_wide(at) ? 2 : 1;
        }
    }
    ck_assert_msg(sound, "%s", text->bytes);
    ck_assert_int_eq(column, 0);
    return n_lines;
}

/* Draws one map, or n small ones, in place of the text before; returns the number of lines. */
static int draw(hl_terminal terminal, const hl_panel *panel, hl_text *text)
{
    hl_text_free(text);
    expect_ok(hl_terminal_map(&terminal, panel, text));
    return expect_lines_fit(text, &terminal);
}

static int draw_heads(hl_terminal terminal, const hl_panel *panels, int64_t n, hl_text *text)
{
    hl_text_free(text);
    expect_ok(hl_terminal_heads(&terminal, panels, n, text));
    return expect_lines_fit(text, &terminal);
}

static void expect_map(hl_terminal terminal, const hl_panel *panel, const char *expected)
{
    hl_text *text = scratch_text();
    draw(terminal, panel, text);
    ck_assert_str_eq(text->bytes, expected);
}

TEST(a_small_map_is_drawn_with_its_tokens)
{
    static const hl_real weights[] = { 1, 0, 9, (hl_real)0.3, (hl_real)0.7, 9 };
    static const char *const queries[] = { "one", "2" }, *const keys[] = { "<s>", "b" };
    hl_panel panel = { "L0H1", weights, 2, 2, 3, queries, keys };
    expect_map(ascii_of_80, &panel,
               "L0H1\n"
               "    <   \n"
               "    s   \n"
               "    > b \n"
               "one 9 . \n"
               "  2 3 7 \n"
               "0 .1234567899 1  down: queries, across: keys\n");
    expect_map(shades_of_80, &panel,
               "L0H1\n"
               "    <   \n"
               "    s   \n"
               "    > b \n"
               "one \u2588\u2588  \n"
               "  2 \u2591\u2591\u2593\u2593\n"
               "0   \u2591\u2591\u2592\u2592\u2592\u2593\u2593\u2588\u2588 1  down: queries, across: keys\n");
    panel.title = NULL;
    panel.queries = panel.keys = NULL;
    expect_map(ascii_of_80, &panel, "9 . \n3 7 \n0 .1234567899 1  down: queries, across: keys\n");
}

/* "\033[<which>;2;r;g;bm" */
static const char *colour(int which, double weight)
{
    static char sequences[8][32];
    static int next;
    char *sequence = sequences[next++ % 8];
    hl_rgb c = hl_colour_of(hl_colour_level(weight));
    snprintf(sequence, sizeof sequences[0], "\033[%d;2;%d;%d;%dm", which, c.red, c.green, c.blue);
    return sequence;
}

static void expect_lines(hl_terminal terminal, const hl_panel *panel, const char *expected)
{
    hl_text *text = scratch_text();
    draw(terminal, panel, text);
    ck_assert_msg(strncmp(text->bytes, expected, strlen(expected)) == 0, "%s\n%s", text->bytes, expected);
}

TEST(colours_are_those_of_the_pictures)
{
    static const hl_real weights[] = { 0, (hl_real)0.5, 1, 1 };
    hl_panel panel = { NULL, weights, 2, 2, 2, NULL, NULL };
    char expected[400];
    snprintf(expected, sizeof expected, "%s  %s  \033[0m\n%s    \033[0m\n0 ", colour(48, 0), colour(48, 0.5),
             colour(48, 1));
    expect_lines((hl_terminal){ 80, 0, HL_TERMINAL_24_BIT, false }, &panel, expected);
    expect_lines((hl_terminal){ 80, 0, HL_TERMINAL_24_BIT, true }, &panel, expected);
}

TEST(two_queries_share_a_line_where_there_is_no_room)
{
    static hl_real weights[3][15];
    weights[0][0] = weights[2][0] = weights[1][1] = weights[0][1] = 1;
    hl_panel panel = { NULL, weights[0], 3, 15, 15, NULL, NULL };
    char expected[600];
    /* above 1, below 0; both 1; both 0, ...; the third has none below */
    snprintf(expected, sizeof expected, "%s%s\u2580%s %s             \033[0m\n%s\u2580%s\u2580", colour(48, 0),
             colour(38, 1), colour(48, 1), colour(48, 0), colour(38, 1), colour(38, 0));
    expect_lines((hl_terminal){ 20, 0, HL_TERMINAL_24_BIT, false }, &panel, expected);
}

static double luma_of(int red, int green, int blue)
{
    return 0.3 * red + 0.59 * green + 0.11 * blue;
}

TEST(the_256_colours_darken_with_the_weight)
{
    enum { N = 32 };
    static hl_real weights[N];
    for (int i = 0; i < N; i++) {
        weights[i] = (hl_real)i / (N - 1);
    }
    hl_panel panel = { NULL, weights, 1, N, N, NULL, NULL };
    hl_text *text = scratch_text();
    draw((hl_terminal){ 80, 0, HL_TERMINAL_256_COLOURS, false }, &panel, text);
    static const int steps[] = { 0, 95, 135, 175, 215, 255 };
    double last = 1000;
    int seen = 0;
    char *end = strchr(text->bytes, '\n');
    for (const char *at = text->bytes; (at = strstr(at, "48;5;")) != NULL && at < end; at++, seen++) {
        int code = atoi(at + 5), cube = code - 16, grey = 8 + 10 * (code - 232);
        ck_assert_int_ge(code, 16);
        ck_assert_int_le(code, 255);
        double luma = code >= 232 ? grey : luma_of(steps[cube / 36], steps[cube / 6 % 6], steps[cube % 6]);
        ck_assert_msg(luma < last + 12, "%d: %g after %g", code, luma, last); /* the cube is coarse */
        last = luma;
    }
    ck_assert_int_ge(seen, 8);
    ck_assert_double_lt(last, 30);
}

TEST(what_has_no_room_is_averaged)
{
    static hl_real weights[40][40];
    for (int i = 0; i < 40; i++) {
        for (int j = 0; j < 40; j++) {
            weights[i][j] = i < 2 && j < 2 ? (hl_real)(i == j) : (hl_real)0.25;
        }
    }
    hl_panel panel = { NULL, weights[0], 40, 40, 40, NULL, NULL };
    hl_text *text = scratch_text();
    draw((hl_terminal){ .width = 20, .ascii = true }, &panel, text);
    ck_assert_ptr_nonnull(strstr(text->bytes, "\naveraged from 40 x ~\n"));
    ck_assert(strncmp(text->bytes, "53333333333333333333\n33", 23) == 0);
    draw((hl_terminal){ .width = 80, .height = 16, .ascii = true }, &panel, text);
    ck_assert_ptr_nonnull(strstr(text->bytes, "\naveraged from 40 x 40 to 8 x 40\n"));
    draw((hl_terminal){ .width = 40, .ascii = true }, &panel, text);
    ck_assert_ptr_null(strstr(text->bytes, "averaged"));
}

static const int sizes[][2] = { { 1, 1 }, { 2, 7 }, { 21, 21 }, { 64, 64 }, { 33, 150 }, { 150, 33 } };

static hl_terminal terminal_of(int i, int width, int height)
{
    return (hl_terminal){ width, height, (hl_terminal_colours)(i % 3), i / 3 == 1 };
}

LOOP_TEST(no_line_is_wider_and_no_map_higher_than_asked, 0, 6)
{
    hl_text *text = scratch_text();
    for (int s = 0; s < ROWS(sizes); s++) {
        hl_panel panel = drawn_panel(&made, "L0H3 offset(-11) 0.98 and a long title", sizes[s][0], sizes[s][1]);
        for (int width = HL_TERMINAL_LEAST_WIDTH; width < 130; width += 1 + width / 4) {
            for (int height = 0; height < 40; height += height == 0 ? HL_TERMINAL_LEAST_HEIGHT : 9) {
                int lines = draw(terminal_of(_i, width, height), &panel, text);
                ck_assert(height == 0 || lines <= height);
                ck_assert_int_ge(lines, 3);
            }
        }
    }
}

static bool is_ascii(const hl_text *text)
{
    for (size_t i = 0; i < text->size; i++) {
        if ((text->bytes[i] & 0x80) != 0) {
            return false;
        }
    }
    return true;
}

LOOP_TEST(tokens_may_hold_anything, 0, 6)
{
    hl_panel panel = drawn_panel(&made, "\033[31mL0\xffH0", DRAWN_NASTY, DRAWN_NASTY);
    panel.queries = panel.keys = drawn_nasty;
    hl_text *text = scratch_text();
    for (int width = HL_TERMINAL_LEAST_WIDTH; width < 100; width++) {
        hl_terminal terminal = terminal_of(_i, width, 0);
        draw(terminal, &panel, text);
        ck_assert_int_eq(is_ascii(text), terminal.ascii);
        ck_assert_ptr_nonnull(strstr(text->bytes, "\\x1b[31mL0\\xffH"));
    }
}

TEST(heads_stand_side_by_side)
{
    static const hl_real one[] = { 1, 0, 0, 1 }, other[] = { 0, 1, 1, 0 };
    hl_panel panels[] = { { "L0H0 previous", one, 2, 2, 2, NULL, NULL },
                          { "L0H1", other, 2, 2, 2, NULL, NULL },
                          { NULL, one, 1, 2, 2, NULL, NULL } };
    hl_text *text = scratch_text();
    draw_heads((hl_terminal){ .width = 43, .ascii = true }, panels, 3, text);
    ck_assert_str_eq(text->bytes, "L0H0 previous  L0H1           \n"
                                  "9 .            . 9            9 . \n"
                                  ". 9            9 .            \n");
    draw_heads((hl_terminal){ .width = 42, .ascii = true }, panels, 3, text);
    ck_assert_str_eq(text->bytes, "L0H0 previous         L0H1\n"
                                  "9 .                   . 9 \n"
                                  ". 9                   9 . \n"
                                  "\n"
                                  "9 . \n"
                                  "\n");
}

/* Twelve heads on 13 tokens: no token is averaged with another and no label is cut. In 18 columns more are averaged. */
TEST(without_a_limit_of_lines_heads_stay_readable)
{
    enum { HEADS = 12 };
    static const struct {
        const char *title;
        int64_t tokens;
        int width, per_row, columns;
    } cases[] = { { "L5H11", 13, 80, 4, 13 },         { "L5H11", 13, 200, 12, 13 }, { "L5H11", 13, 34, 2, 13 },
                  { "L5H11", 60, 80, 4, 18 },         { "L5H11", 60, 200, 6, 31 },  { "L5H11", 3, 80, 6, 6 },
                  { "L5H11 next_word", 3, 80, 4, 6 }, { "L5H11", 60, 20, 1, 20 } };
    hl_text *text = scratch_text();
    for (int c = 0; c < ROWS(cases); c++) {
        hl_panel panels[HEADS];
        drawn_panels(&made, panels, HEADS, cases[c].title, cases[c].tokens);
        int lines = draw_heads((hl_terminal){ .width = cases[c].width, .ascii = true }, panels, HEADS, text);
        int per_row = 0, all = 0, columns = 0;
        const char *end = strchr(text->bytes, '\n');
        for (const char *at = text->bytes; (at = strstr(at, cases[c].title)) != NULL; at++, all++) {
            per_row += at < end;
        }
        end = strchr(end + 1, '\n'); /* of the first line of the maps */
        for (const char *at = end; at[-1] != '\n' && (at[-1] != ' ' || at[-2] != ' '); at--) { /* of the last map */
            columns++;
        }
        ck_assert_int_eq(all, HEADS);
        ck_assert_msg(per_row == cases[c].per_row && columns == cases[c].columns, "%d: %d, %d", (int)c, per_row,
                      columns);
        ck_assert_int_le(lines, HEADS / per_row * HL_TERMINAL_USUAL_HEIGHT);
    }
}

LOOP_TEST(heads_fit_a_low_terminal, 0, 6)
{
    hl_text *text = scratch_text();
    hl_panel panels[3];
    drawn_panels(&made, panels, 3, "L0H0", 21);
    for (int height = 2; height < HL_TERMINAL_LEAST_HEIGHT; height++) {
        ck_assert_int_le(draw_heads(terminal_of(_i, 60, height), panels, 3, text), height);
    }
}

/* As many as no terminal of the usual height has room for. */
TEST(a_file_has_room_for_all_heads)
{
    static hl_panel panels[512];
    drawn_panels(&made, panels, 512, "L0H0", 3);
    hl_text *text = scratch_text();
    draw_heads((hl_terminal){ .width = 80 }, panels, 512, text);
    ck_assert_int_eq(count_of(text->bytes, "L0H0"), 512);
}

LOOP_TEST(the_lines_of_heads_depend_on_sizes_alone, 0, 6)
{
    hl_text *text = scratch_text();
    for (int s = 0; s < ROWS(sizes); s++) {
        hl_panel panel = drawn_panel(&made, NULL, sizes[s][0], sizes[s][1]);
        for (int n = 1; n <= 16; n = 2 * n + (n == 4 ? -3 : 0)) {
            for (int width = 40; width < 210; width += 57) {
                hl_panel panels[16];
                int lines[2];
                hl_terminal terminal = terminal_of(_i, width, 50);
                for (int version = 0; version < 2; version++) {
                    for (int h = 0; h < n; h++) {
                        panels[h] = panel;
                        panels[h].title = version == 1 ? "\xe4\xb8\xad L0H3 offset(-11) 0.98, that is long" : NULL;
                    }
                    made.weights[0] = (hl_real)version;
                    lines[version] = draw_heads(terminal, panels, n, text);
                }
                ck_assert_int_eq(lines[0], lines[1]);
                ck_assert_int_le(lines[0], terminal.height);
            }
        }
    }
}

TEST(what_cannot_be_shown_is_refused)
{
    hl_text text = { 0 };
    hl_panel panel = drawn_panel(&made, "L0H0", 3, 3), wrong = panel;
    static hl_panel many[400];
    drawn_panels(&made, many, 400, "L0H0", 3);
    ck_assert_int_eq(hl_terminal_map(&(hl_terminal){ .width = 19 }, &panel, &text).code, HL_INVALID);
    ck_assert_int_eq(hl_terminal_map(&(hl_terminal){ 80, 15, HL_TERMINAL_NO_COLOURS, false }, &panel, &text).code,
                     HL_INVALID);
    ck_assert_int_eq(hl_terminal_map(&(hl_terminal){ 80, -1, HL_TERMINAL_NO_COLOURS, false }, &panel, &text).code,
                     HL_INVALID);
    ck_assert_int_eq(hl_terminal_heads(&(hl_terminal){ .width = 19 }, &panel, 1, &text).code, HL_INVALID);
    ck_assert_int_eq(hl_terminal_heads(&(hl_terminal){ .width = 80, .height = 1 }, &panel, 1, &text).code, HL_INVALID);
    ck_assert_int_eq(hl_terminal_heads(&(hl_terminal){ .width = 80, .height = -1 }, &panel, 1, &text).code, HL_INVALID);
    ck_assert_int_eq(hl_terminal_heads(&shades_of_80, &panel, 0, &text).code, HL_INVALID);
    ck_assert_int_eq(hl_terminal_heads(&(hl_terminal){ .width = 80, .height = 24 }, many, 400, &text).code, HL_INVALID);
    wrong.n_keys = 0;
    ck_assert_int_eq(hl_terminal_map(&shades_of_80, &wrong, &text).code, HL_INVALID);
    ck_assert_int_eq(hl_terminal_heads(&shades_of_80, &wrong, 1, &text).code, HL_INVALID);
    ck_assert_ptr_null(text.bytes);
}

LOOP_TEST(want_of_memory_is_reported, 0, 2)
{
    faults_begin();
    hl_panel panels[3];
    drawn_panels(&made, panels, 3, "L0H0", 21);
    int n = 0;
    while (fault_checks_next(&n, FAULTS_ONCE)) {
        hl_text text = { 0 };
        fault_checks_turn(_i == 0 ? hl_terminal_map(&shades_of_80, panels, &text)
                                  : hl_terminal_heads(&shades_of_80, panels, 3, &text));
        hl_text_free(&text);
    }
    ck_assert_int_gt(n, 3);
    faults_end();
}

SUITE("maps in a terminal")
