#include "show/terminal_cells.h"

#include "core/base/shown_text.h"

#include <stddef.h>
#include <stdio.h>

enum { MOST_LABEL = 16, MOST_TILES = 8, SCALE = 11 };

/* How one map is placed. */
typedef struct place {
    hl_cell_form form;
    int label; /* columns of the queries' tokens, a space after them included */
    int tiles; /* lines of the keys' tokens */
} place;

/* A token's text to be written downwards: no character is wider than its column. */
typedef struct tiles {
    hl_shown at[MOST_TILES + 1];
    int n; /* more than MOST_TILES where the token is cut */
} tiles;

static tiles tiles_of(const hl_terminal *terminal, const char *token, int columns)
{
    tiles t = { .n = 0 };
    hl_shown shown;
    for (const char *rest; t.n <= MOST_TILES && (rest = hl_shown_next(token, terminal->ascii, &shown)) != NULL;
         token = rest) {
        if (shown.columns <= columns) {
            t.at[t.n++] = shown;
            continue;
        }
        hl_shown_next(token, true, &shown); /* it is spelled out, and each character of that takes a line */
        for (const char *at = shown.bytes; t.n <= MOST_TILES && (at = hl_shown_next(at, true, &t.at[t.n])) != NULL;) {
            t.n++;
        }
    }
    return t;
}

/* Character i of those that `most` lines show. */
static void put_tile(const hl_terminal *terminal, const tiles *t, int i, int most, int columns, hl_text *text)
{
    hl_shown shown = t->at[i];
    if (i == most - 1 && t->n > most) {
        hl_terminal_put(terminal, "  ", 1, text); /* cut to one column: writes the sign for a cut text */
        shown.columns = 1;
    } else {
        hl_text_print(text, "%s", shown.bytes);
    }
    hl_terminal_space(text, columns - shown.columns);
}

/* The first key or query of a block. */
static const char *token_at(const char *const *tokens, int64_t n, int64_t n_blocks, int64_t block)
{
    return tokens[hl_panel_block_begin(n, n_blocks, block)];
}

static int label_columns(const hl_terminal *terminal, const hl_panel *panel)
{
    int most = (int)hl_at_most(MOST_LABEL, terminal->width / 4), longest = 0;
    for (int64_t i = 0; panel->queries != NULL && i < panel->n_queries; i++) {
        int columns = hl_terminal_put(terminal, panel->queries[i], most, NULL);
        longest = columns > longest ? columns : longest;
    }
    return longest > 0 ? longest + 1 : 0;
}

static int tile_lines(const hl_terminal *terminal, const hl_panel *panel, const hl_cell_form *form, int most)
{
    int longest = 0;
    for (int64_t c = 0; panel->keys != NULL && c < form->n.n_columns; c++) {
        tiles t = tiles_of(terminal, token_at(panel->keys, panel->n_keys, form->n.n_columns, c), form->columns);
        longest = t.n > longest ? t.n : longest;
    }
    return longest < most ? longest : most;
}

static place place_map(const hl_terminal *terminal, const hl_panel *panel)
{
    enum { AROUND = 3 }; /* lines for the title, the scale and a note */
    place p = { .label = label_columns(terminal, panel) };
    int64_t columns = terminal->width - p.label;
    int most = terminal->height == 0 ? MOST_TILES : (int)hl_at_most(MOST_TILES, terminal->height / 3);
    int64_t lines = terminal->height == 0 ? INT64_MAX : terminal->height - AROUND;
    p.form = hl_cell_form_fit(terminal, panel->n_queries, panel->n_keys, columns, lines);
    p.tiles = tile_lines(terminal, panel, &p.form, most);
    if (terminal->height != 0) { /* as the keys' tokens need lines, the form may change, and then the tokens shown */
        p.form = hl_cell_form_fit(terminal, panel->n_queries, panel->n_keys, columns, lines - most);
        p.tiles = tile_lines(terminal, panel, &p.form, most);
    }
    return p;
}

static void put_keys(const hl_terminal *terminal, const hl_panel *panel, const place *p, hl_text *text)
{
    for (int line = 0; line < p->tiles; line++) {
        hl_terminal_space(text, p->label);
        for (int64_t c = 0; c < p->form.n.n_columns; c++) {
            const char *token = token_at(panel->keys, panel->n_keys, p->form.n.n_columns, c);
            tiles t = tiles_of(terminal, token, p->form.columns);
            int above = p->tiles - (int)hl_at_most(t.n, p->tiles); /* tokens stand on the map */
            if (line < above) {
                hl_terminal_space(text, p->form.columns);
            } else {
                put_tile(terminal, &t, line - above, p->tiles, p->form.columns, text);
            }
        }
        hl_text_print(text, "\n");
    }
}

static void put_queries(const hl_terminal *terminal, const hl_panel *panel, const place *p, hl_text *text)
{
    hl_cell_pen pen = { .terminal = terminal, .text = text };
    int64_t lines = hl_cell_form_lines(&p->form);
    for (int64_t line = 0; line < lines; line++) {
        if (p->label > 0) {
            const char *token = token_at(panel->queries, panel->n_queries, p->form.n.n_rows, line * p->form.rows);
            hl_terminal_space(text, p->label - 1 - hl_terminal_put(terminal, token, p->label - 1, NULL));
            hl_terminal_put(terminal, token, p->label - 1, text);
            hl_text_print(text, " ");
        }
        hl_cell_pen_line(&pen, panel, &p->form, line);
        hl_text_print(text, "\n");
    }
}

static void put_line(const hl_terminal *terminal, const char *bytes, int columns, hl_text *text)
{
    hl_terminal_put(terminal, bytes, columns, text);
    hl_text_print(text, "\n");
}

hl_status hl_terminal_map(const hl_terminal *terminal, const hl_panel *panel, hl_text *text)
{
    HL_TRY(hl_terminal_check(terminal, HL_TERMINAL_LEAST_HEIGHT));
    HL_TRY(hl_panel_check(panel));
    place p = place_map(terminal, panel);
    if (panel->title != NULL) {
        put_line(terminal, panel->title, terminal->width, text);
    }
    put_keys(terminal, panel, &p, text);
    put_queries(terminal, panel, &p, text);
    hl_cell_pen pen = { .terminal = terminal, .text = text };
    hl_text_print(text, "0 ");
    hl_cell_pen_scale(&pen, SCALE);
    hl_text_print(text, " 1  ");
    put_line(terminal, "down: queries, across: keys", terminal->width - SCALE - (int)sizeof "0  1  " + 1, text);
    const hl_panel_blocks *n = &p.form.n;
    if (n->n_rows < panel->n_queries || n->n_columns < panel->n_keys) {
        char note[128];
        snprintf(note, sizeof note, "averaged from %lld x %lld to %lld x %lld", (long long)panel->n_queries,
                 (long long)panel->n_keys, (long long)n->n_rows, (long long)n->n_columns);
        put_line(terminal, note, terminal->width, text);
    }
    return hl_text_status(text);
}
