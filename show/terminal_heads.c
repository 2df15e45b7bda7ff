#include "show/terminal_cells.h"

#include <stddef.h>

enum { GAP = 2, LINES_IN_FILE = 8 };

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

/* Finds the arrangement that shows most cells, and of those the one with the widest, with at least so many lines for
 * each map, whatever the terminal's height; per_row is 0 where the maps do not fit. */
static arrangement arrange(const hl_terminal *terminal, const hl_panel *panels, int64_t n, int64_t least)
{
    int64_t height = terminal->height != 0 ? terminal->height : HL_TERMINAL_USUAL_HEIGHT;
    arrangement best = { 0 };
    for (int64_t i = 0; i < n; i++) {
        best.n_queries = panels[i].n_queries > best.n_queries ? panels[i].n_queries : best.n_queries;
        best.n_keys = panels[i].n_keys > best.n_keys ? panels[i].n_keys : best.n_keys;
    }
    hl_cell_form best_form = { 0 };
    for (int64_t per_row = 1; per_row <= n && per_row <= terminal->width; per_row++) {
        int64_t slot = (terminal->width + GAP) / per_row - GAP, lines = height / ((n - 1) / per_row + 1) - 1;
        lines = lines > least ? lines : least;
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
    arrangement s = arrange(terminal, panels, n, 0);
    if (s.per_row == 0 && terminal->height == 0) { /* a file ends nowhere */
        s = arrange(terminal, panels, n, LINES_IN_FILE);
    }
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
