#include "show/terminal_cells.h"

#include <stddef.h>

enum { GAP = 2, READABLE = 18 }; /* columns of a map or its title: four side by side in 80 */

/* How small maps are arranged in a terminal. */
typedef struct arrangement {
    int64_t per_row, slot; /* maps side by side, columns for each */
    int64_t lines;         /* lines of each, without its title */
    int64_t n_queries, n_keys;
} arrangement;

static double cells_shown(const hl_cell_form *form)
{
    return (double)form->n.n_rows * (double)form->n.n_columns;
}

/* The largest map's size in each direction, nothing else. */
static arrangement largest_of(const hl_panel *panels, int64_t n)
{
    arrangement s = { 0 };
    for (int64_t i = 0; i < n; i++) {
        s.n_queries = panels[i].n_queries > s.n_queries ? panels[i].n_queries : s.n_queries;
        s.n_keys = panels[i].n_keys > s.n_keys ? panels[i].n_keys : s.n_keys;
    }
    return s;
}

/* The arrangement without a limit of lines: as many maps side by side as stay readable, spread evenly over the rows. */
static arrangement arrange_freely(const hl_terminal *terminal, const hl_panel *panels, int64_t n)
{
    arrangement s = largest_of(panels, n);
    int64_t need = hl_at_most(s.n_keys, READABLE);
    for (int64_t i = 0; i < n; i++) {
        int64_t title = panels[i].title != NULL ? hl_terminal_put(terminal, panels[i].title, READABLE, NULL) : 0;
        need = title > need ? title : need;
    }
    int64_t most = (terminal->width + GAP) / (need + GAP), n_rows = (n - 1) / most + 1;
    s.per_row = (n - 1) / n_rows + 1;
    s.slot = (terminal->width + GAP) / s.per_row - GAP;
    hl_cell_form form = hl_cell_form_fit(terminal, s.n_queries, s.n_keys, s.slot, HL_TERMINAL_USUAL_HEIGHT - 1);
    s.lines = hl_cell_form_lines(&form);
    return s;
}

/* Finds the arrangement that shows most cells in the terminal's height, and of those the one with the widest; per_row
 * is 0 if the maps do not fit. */
static arrangement arrange(const hl_terminal *terminal, const hl_panel *panels, int64_t n)
{
    arrangement best = largest_of(panels, n);
    hl_cell_form best_form = { 0 };
    for (int64_t per_row = 1; per_row <= n && per_row <= terminal->width; per_row++) {
        int64_t slot = (terminal->width + GAP) / per_row - GAP, lines = terminal->height / ((n - 1) / per_row + 1) - 1;
        if (slot >= 1 && lines >= 1) {
            hl_cell_form form = hl_cell_form_fit(terminal, best.n_queries, best.n_keys, slot, lines);
            double more = cells_shown(&form) - cells_shown(&best_form);
            if (more > 0 || (more == 0 && form.columns >= best_form.columns)) {
                best_form = form;
                best.per_row = per_row;
                best.slot = slot;
                best.lines = hl_cell_form_lines(&form);
            }
        }
    }
    return best;
}

static void put_titles(const hl_terminal *terminal, const arrangement *s, const hl_panel *panels, int64_t n,
                       hl_text *text)
{
    for (int64_t i = 0; i < n; i++) {
        const char *title = panels[i].title != NULL ? panels[i].title : "";
        int64_t used = hl_terminal_put(terminal, title, (int)s->slot, text);
        hl_terminal_space(text, i + 1 < n ? s->slot + GAP - used : 0);
    }
    hl_text_print(text, "\n");
}

static void put_maps(const hl_terminal *terminal, const arrangement *s, const hl_panel *panels, int64_t n,
                     hl_text *text)
{
    hl_cell_pen pen = { .terminal = terminal, .text = text };
    for (int64_t line = 0; line < s->lines; line++) {
        for (int64_t i = 0; i < n; i++) {
            hl_cell_form form = hl_cell_form_fit(terminal, panels[i].n_queries, panels[i].n_keys, s->slot, s->lines);
            int64_t used = 0;
            if (line < hl_cell_form_lines(&form)) {
                hl_cell_pen_line(&pen, &panels[i], &form, line);
                used = form.n.n_columns * form.columns;
            }
            hl_terminal_space(text, i + 1 < n ? s->slot + GAP - used : 0);
        }
        hl_text_print(text, "\n");
    }
}

hl_status hl_terminal_heads(const hl_terminal *terminal, const hl_panel *panels, int64_t n, hl_text *text)
{
    HL_TRY(hl_terminal_check(terminal, 1));
    if (n < 1) {
        return hl_error(HL_INVALID, "there is no head to show");
    }
    for (int64_t i = 0; i < n; i++) {
        HL_TRY(hl_panel_check(&panels[i]));
    }
    arrangement s = terminal->height == 0 ? arrange_freely(terminal, panels, n) : arrange(terminal, panels, n);
    if (s.per_row == 0) {
        return hl_error(HL_INVALID, "no room for the maps of %lld heads in %d columns and %d lines", (long long)n,
                        terminal->width, terminal->height);
    }
    for (int64_t first = 0; first < n; first += s.per_row) {
        int64_t in_row = n - first < s.per_row ? n - first : s.per_row;
        put_titles(terminal, &s, panels + first, in_row, text);
        put_maps(terminal, &s, panels + first, in_row, text);
    }
    return hl_text_status(text);
}

void hl_terminal_caption(const hl_terminal *terminal, const char *caption, hl_text *text)
{
    enum { SCALE = 11, AROUND_SCALE = sizeof "  0  1" - 1 };
    int used = hl_terminal_put(terminal, caption, terminal->width, text);
    if (used + AROUND_SCALE + SCALE <= terminal->width) {
        hl_cell_pen pen = { .terminal = terminal, .text = text };
        hl_text_print(text, "  0 ");
        hl_cell_pen_scale(&pen, SCALE);
        hl_text_print(text, " 1");
    }
    hl_text_print(text, "\n");
}
