#include "show/private/picture_layout.h"

#include "show/picture_pen.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

/* A figure is about as wide as a page's text: seven inches, 504 points. */
static const double MARGIN = 5, GAP = 9, AXIS_SPACE = 13, BAR_SPACE = 50, LEAST_BAR = 60, MOST_BAR = 170;
static const double LEAST_WIDTH = 230;

static const double TITLE = 7.5, SMALL_TITLE = 5.5, NARROW = 75;

/* Smaller tokens cannot be read in print. */
static const double MOST_TOKEN_SIZE = 8, LEAST_TOKEN_SIZE = 4, TOKEN_PER_CELL = 0.9;

/* How large maps are drawn: a single head fills the width of the page, the heads of a grid divide it down to a least
 * size. */
typedef struct proportions {
    double least_side, most_side, most_cell, least_slot, token_width;
} proportions;
static const proportions
    single = { .least_side = 400, .most_side = 400, .most_cell = 15, .least_slot = 140, .token_width = 64 },
    grid = { .least_side = 44, .most_side = 190, .most_cell = 12, .least_slot = 44, .token_width = 40 };
static const double GRID_WIDTH = 410;

static bool same_tokens(const char *const *a, int64_t n_a, const char *const *b, int64_t n_b)
{
    if (a == NULL || b == NULL || n_a != n_b) {
        return false;
    }
    for (int64_t i = 0; a != b && i < n_a; i++) {
        if (strcmp(a[i], b[i]) != 0) {
            return false;
        }
    }
    return true;
}

static bool names_queries(const hl_picture_slot *slot)
{
    const hl_panel *panel = slot->panel, *left = slot->column > 0 ? panel - 1 : NULL;
    return panel->queries != NULL &&
           (left == NULL || !same_tokens(panel->queries, panel->n_queries, left->queries, left->n_queries));
}

static bool names_keys(const hl_picture *picture, const hl_picture_slot *slot)
{
    const hl_panel *panel = slot->panel, *below = NULL;
    if (slot->row + 1 < picture->n_rows && slot->column < picture->row_lengths[slot->row + 1]) {
        below = panel + picture->row_lengths[slot->row];
    }
    return panel->keys != NULL &&
           (below == NULL || !same_tokens(panel->keys, panel->n_keys, below->keys, below->n_keys));
}

bool hl_picture_next(const hl_picture_layout *layout, hl_picture_slot *slot)
{
    const hl_picture *picture = layout->picture;
    if (slot->panel == NULL) {
        slot->panel = picture->panels;
        slot->y = layout->top;
    } else {
        slot->panel++;
        slot->column++;
    }
    if (slot->column == picture->row_lengths[slot->row]) {
        bool shows_keys = slot->row_names_keys && layout->token_step > 0;
        slot->y += layout->slot_height + (shows_keys ? layout->key_height : 0) + GAP + layout->title_height;
        slot->column = 0;
        slot->row_names_keys = false;
        slot->row++;
    }
    if (slot->row == picture->n_rows) {
        return false;
    }
    slot->x = layout->left + (double)slot->column * layout->column_step;
    slot->names_queries = names_queries(slot);
    slot->names_keys = names_keys(picture, slot);
    slot->row_names_keys = slot->row_names_keys || slot->names_keys;
    return true;
}

/* The properties of the panels that the layout depends on. */
typedef struct extent {
    int64_t n_panels, n_columns, n_queries, n_keys; /* the largest of their kind */
    bool queries_inside;                            /* some panel that is not the first of its row names its queries */
} extent;

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static extent measure_panels(const hl_picture_layout *layout)
{
    extent e = { 0 };
    hl_picture_slot slot = { 0 };
    while (hl_picture_next(layout, &slot)) {
        e.n_panels++;
        e.n_columns = larger(e.n_columns, slot.column + 1);
        e.n_queries = larger(e.n_queries, slot.panel->n_queries);
        e.n_keys = larger(e.n_keys, slot.panel->n_keys);
        e.queries_inside = e.queries_inside || (slot.names_queries && slot.column > 0);
    }
    return e;
}

/* The sizes of cells and of the tokens beside them. */
static void size_cells(hl_picture_layout *layout, const extent *e, const proportions *sizes)
{
    double width = (GRID_WIDTH - GAP * (double)(e->n_columns - 1)) / (double)e->n_columns;
    double side = fmin(fmax(width, sizes->least_side), sizes->most_side);
    layout->cell = fmin(side / (double)larger(e->n_queries, e->n_keys), sizes->most_cell);
    layout->cell = layout->cell > 1 ? floor(layout->cell * 8) / 8 : layout->cell; /* short numbers make small files */
    layout->token_size = fmin(layout->cell * TOKEN_PER_CELL, MOST_TOKEN_SIZE);
    layout->token_width = sizes->token_width;
    layout->token_step = 1;
    if (layout->token_size < LEAST_TOKEN_SIZE) {
        layout->token_step = e->n_panels == 1 ? (int64_t)ceil(LEAST_TOKEN_SIZE / layout->token_size) : 0;
        layout->token_size = LEAST_TOKEN_SIZE;
    }
    layout->slot_width = fmax(layout->cell * (double)e->n_keys, sizes->least_slot);
    layout->slot_height = layout->cell * (double)e->n_queries;
    layout->averaged = larger(e->n_queries, e->n_keys) > HL_PICTURE_MOST_CELLS;
}

/* The width of the longest of the tokens that are shown. */
static double longest_token(cairo_t *cairo, const hl_picture_layout *layout, const char *const *tokens, int64_t n)
{
    double longest = 0;
    for (int64_t i = 0; i < n; i += layout->token_step) {
        longest = fmax(longest, hl_pen_fit(cairo, tokens[i], layout->token_width).width);
    }
    return longest;
}

/* Returns the width of the longest query token, and sets how the keys are placed. */
static double measure_tokens(cairo_t *cairo, hl_picture_layout *layout)
{
    double query = 0, key = 0;
    hl_pen_font(cairo, layout->token_size);
    hl_picture_slot slot = { 0 };
    while (layout->token_step > 0 && hl_picture_next(layout, &slot)) {
        const hl_panel *panel = slot.panel;
        query =
            slot.names_queries ? fmax(query, longest_token(cairo, layout, panel->queries, panel->n_queries)) : query;
        key = slot.names_keys ? fmax(key, longest_token(cairo, layout, panel->keys, panel->n_keys)) : key;
    }
    layout->keys_upwards = key > layout->cell * (double)layout->token_step * TOKEN_PER_CELL;
    layout->key_height = ceil(HL_PICTURE_TICK + (layout->keys_upwards ? key : layout->token_size));
    return query;
}

/* Sizes the titles, with a smaller font where maps are narrow. */
static void size_titles(cairo_t *cairo, hl_picture_layout *layout)
{
    int most = 0;
    layout->title_size = layout->slot_width < NARROW ? SMALL_TITLE : TITLE;
    layout->title_line = ceil(layout->title_size * 1.2);
    hl_pen_font(cairo, layout->title_size);
    hl_picture_slot slot = { 0 };
    while (hl_picture_next(layout, &slot)) {
        if (slot.panel->title != NULL) {
            int lines = hl_pen_count_lines(cairo, slot.panel->title, layout->slot_width, HL_PICTURE_TITLE_LINES);
            most = lines > most ? lines : most;
        }
    }
    layout->title_height = most > 0 ? most * layout->title_line + 1 : 0;
}

/* Places the end of the grid, the bar to its right, and axis names and caption below. */
static void close_layout(cairo_t *cairo, hl_picture_layout *layout, const extent *e)
{
    hl_picture_slot slot = { 0 };
    while (hl_picture_next(layout, &slot)) {
        layout->map_bottom = slot.y + layout->slot_height;
    }
    double last_column = layout->left + layout->column_step * (double)(e->n_columns - 1);
    layout->map_right = last_column + layout->cell * (double)e->n_keys;
    layout->grid_right = last_column + layout->slot_width;
    layout->bar_height = fmin(fmax(layout->map_bottom - layout->top, LEAST_BAR), MOST_BAR);
    layout->grid_bottom = fmax(slot.y - GAP - layout->title_height, layout->top + layout->bar_height);
    layout->width = ceil(fmax(layout->grid_right + BAR_SPACE, LEAST_WIDTH) + MARGIN);
    layout->caption_left = layout->axis_left = MARGIN;
    layout->axis_left += HL_PICTURE_TEXT_SIZE;
    layout->caption_width = layout->width - 2 * MARGIN;
    layout->caption_top = layout->grid_bottom + AXIS_SPACE + GAP / 3 + HL_PICTURE_TEXT_SIZE;
    hl_pen_font(cairo, HL_PICTURE_TEXT_SIZE);
    int lines = layout->averaged;
    if (layout->picture->caption != NULL) {
        lines += hl_pen_count_lines(cairo, layout->picture->caption, layout->caption_width, HL_PICTURE_CAPTION_LINES);
    }
    double below = lines > 0 ? layout->caption_top + (lines - 1) * HL_PICTURE_LINE : layout->grid_bottom + AXIS_SPACE;
    layout->height = ceil(below + MARGIN);
}

hl_picture_layout hl_picture_lay_out(const hl_picture *picture, cairo_t *cairo)
{
    hl_picture_layout layout = { .picture = picture };
    extent e = measure_panels(&layout);
    size_cells(&layout, &e, e.n_panels == 1 ? &single : &grid);
    double queries = measure_tokens(cairo, &layout);
    double query_width = queries > 0 ? queries + HL_PICTURE_TICK : 0;
    size_titles(cairo, &layout);
    layout.left = ceil(MARGIN + AXIS_SPACE + query_width);
    layout.top = MARGIN + layout.title_height;
    layout.column_step = layout.slot_width + GAP + (e.queries_inside ? ceil(query_width) : 0);
    close_layout(cairo, &layout, &e);
    return layout;
}
