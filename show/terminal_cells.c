#include "show/terminal_cells.h"

#include "core/base/shown_text.h"

#include <math.h>
#include <stddef.h>

hl_status hl_terminal_check(const hl_terminal *terminal, int least_height)
{
    if ((unsigned)terminal->colours > HL_TERMINAL_24_BIT) {
        return hl_error(HL_INVALID, "unknown number %d of colours of a terminal", (int)terminal->colours);
    }
    if (terminal->width < HL_TERMINAL_LEAST_WIDTH || (terminal->height != 0 && terminal->height < least_height)) {
        return hl_error(HL_INVALID, "a terminal of %d columns and %d lines is too small for a map: it takes %d and %d",
                        terminal->width, terminal->height, HL_TERMINAL_LEAST_WIDTH, least_height);
    }
    return hl_ok();
}

hl_cell_form hl_cell_form_fit(const hl_terminal *terminal, int64_t n_queries, int64_t n_keys, int64_t columns,
                              int64_t lines)
{
    if (n_keys <= columns / 2 && n_queries <= lines) {
        return (hl_cell_form){ { n_queries, n_keys }, 2, 1 };
    }
    hl_cell_form form = { .columns = 1,
                          .rows = terminal->colours != HL_TERMINAL_NO_COLOURS && !terminal->ascii ? 2 : 1 };
    form.n.n_columns = hl_at_most(n_keys, columns);
    double scale = (double)form.n.n_columns / (double)n_keys; /* rows are averaged at least as much as columns */
    int64_t rows = llround((double)n_queries * scale);
    form.n.n_rows = hl_at_most(rows > 1 ? rows : 1, lines < n_queries ? lines * form.rows : n_queries);
    return form;
}

int64_t hl_cell_form_lines(const hl_cell_form *form)
{
    return (form->n.n_rows + form->rows - 1) / form->rows;
}

/* The number, among the 256 colours of terminals, of the one most like the level's: 16 to 231 are a cube of six steps
 * each of red, green and blue, 232 to 255 greys. */
static uint8_t among_256(uint8_t level)
{
    static const uint8_t steps[] = { 0, 95, 135, 175, 215, 255 };
    enum { CUBE = 16, GREYS = 232, END = 256 };
    hl_rgb wanted = hl_colour_of(level);
    double least = 0;
    int nearest = 0;
    for (int i = CUBE; i < END; i++) {
        uint8_t grey = (uint8_t)(8 + 10 * (i - GREYS));
        hl_rgb colour = i < GREYS ? (hl_rgb){ steps[(i - CUBE) / 36], steps[(i - CUBE) / 6 % 6], steps[(i - CUBE) % 6] }
                                  : (hl_rgb){ grey, grey, grey };
        double distance = hl_colour_distance(wanted, colour);
        if (nearest == 0 || distance < least) {
            nearest = i;
            least = distance;
        }
    }
    return (uint8_t)nearest;
}

/* The colour of the character, and the one behind it: their escape sequences. */
typedef enum place { FRONT = 38, BACK = 48 } place;

static void set_colour(hl_cell_pen *pen, place which, uint8_t level)
{
    int *set = which == FRONT ? &pen->front : &pen->back;
    if (*set == level + 1) {
        return;
    }
    *set = level + 1;
    if (pen->terminal->colours == HL_TERMINAL_24_BIT) {
        hl_rgb colour = hl_colour_of(level);
        hl_text_print(pen->text, "\033[%d;2;%d;%d;%dm", (int)which, colour.red, colour.green, colour.blue);
        return;
    }
    if (pen->palette[level] == 0) {
        pen->palette[level] = among_256(level);
    }
    hl_text_print(pen->text, "\033[%d;5;%dm", (int)which, pen->palette[level]);
}

static void reset_colours(hl_cell_pen *pen)
{
    if (pen->front != 0 || pen->back != 0) {
        hl_text_print(pen->text, "\033[0m");
        pen->front = pen->back = 0;
    }
}

static void put_character(hl_cell_pen *pen, double weight, int columns)
{
    static const char *const shades[] = { " ", "\xe2\x96\x91", "\xe2\x96\x92", "\xe2\x96\x93", "\xe2\x96\x88" };
    static const char digits[] = ".123456789";
    double clamped = weight > 0 ? weight < 1 ? weight : 1 : 0;
    if (pen->terminal->ascii) {
        int digit = (int)lround(clamped * 10);
        hl_text_print(pen->text, "%c%s", digits[digit < 9 ? digit : 9], columns > 1 ? " " : "");
        return;
    }
    const char *shade = shades[lround(clamped * 4)];
    hl_text_print(pen->text, "%s%s", shade, columns > 1 ? shade : "");
}

static void put_cell(hl_cell_pen *pen, double weight, int columns)
{
    if (pen->terminal->colours == HL_TERMINAL_NO_COLOURS) {
        put_character(pen, weight, columns);
    } else {
        set_colour(pen, BACK, hl_colour_level(weight));
        hl_terminal_space(pen->text, columns);
    }
}

void hl_cell_pen_line(hl_cell_pen *pen, const hl_panel *panel, const hl_cell_form *form, int64_t line)
{
    int64_t row = line * form->rows;
    bool lower = form->rows == 2 && row + 1 < form->n.n_rows;
    for (int64_t c = 0; c < form->n.n_columns; c++) {
        double weight = hl_panel_mean(panel, form->n, row, c);
        if (lower) { /* the upper half of the character in front, the lower half behind it */
            uint8_t above = hl_colour_level(weight), below = hl_colour_level(hl_panel_mean(panel, form->n, row + 1, c));
            set_colour(pen, BACK, below);
            if (above != below) {
                set_colour(pen, FRONT, above);
            }
            hl_text_print(pen->text, above != below ? "\xe2\x96\x80" : " ");
        } else if (form->rows == 2) {
            set_colour(pen, FRONT, hl_colour_level(weight));
            hl_text_print(pen->text, "\xe2\x96\x80");
        } else {
            put_cell(pen, weight, form->columns);
        }
    }
    reset_colours(pen);
}

void hl_cell_pen_scale(hl_cell_pen *pen, int n)
{
    for (int i = 0; i < n; i++) {
        put_cell(pen, (double)i / (n - 1), 1);
    }
    reset_colours(pen);
}

void hl_terminal_space(hl_text *text, int64_t columns)
{
    hl_text_print(text, "%*s", (int)columns, "");
}

int hl_terminal_put(const hl_terminal *terminal, const char *bytes, int columns, hl_text *text)
{
    int width = 0;
    hl_shown shown, next;
    for (const char *at = bytes; (at = hl_shown_next(at, terminal->ascii, &shown)) != NULL;) {
        bool more = hl_shown_next(at, terminal->ascii, &next) != NULL;
        if (width + shown.columns > columns - (more ? 1 : 0)) {
            if (text != NULL && width < columns) {
                hl_text_print(text, "%s", terminal->ascii ? "~" : "\xe2\x80\xa6");
            }
            return width < columns ? width + 1 : width;
        }
        if (text != NULL) {
            hl_text_print(text, "%s", shown.bytes);
        }
        width += shown.columns;
    }
    return width;
}
