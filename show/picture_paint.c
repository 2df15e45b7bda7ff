#include "show/private/picture_layout.h"

#include "core/base/memory.h"
#include "show/colour.h"
#include "show/picture_pen.h"

#include <stddef.h>

/* The distance from a line's middle down to the baseline, in font sizes. */
static const double BASELINE = 0.36;
static const double BLACK = 0.1, GREY = 0.35;

/* A map and its position. */
typedef struct cells {
    uint8_t *levels; /* (n_rows, n_columns) */
    hl_panel_blocks n;
    double x, y, width, height;
} cells;

/* Sets the colour of ink; in a dark picture black becomes white. */
static void use_grey(cairo_t *cairo, const hl_picture_layout *layout, double grey)
{
    double shown = layout->picture->dark ? 1 - grey : grey;
    cairo_set_source_rgb(cairo, shown, shown, shown);
}

/* Sets the colour of a level; in a dark picture the colours are reversed, so that no attention is dark. */
static void use_level(cairo_t *cairo, const hl_picture_layout *layout, int level)
{
    hl_rgb colour = hl_colour_of((uint8_t)(layout->picture->dark ? HL_COLOUR_LEVELS - 1 - level : level));
    cairo_set_source_rgb(cairo, colour.red / 255.0, colour.green / 255.0, colour.blue / 255.0);
}

/* Fills the levels and says which of them occur. */
static void compute_levels(const hl_panel *panel, const cells *map, bool occurs[HL_COLOUR_LEVELS])
{
    for (int64_t r = 0; r < map->n.n_rows; r++) {
        for (int64_t c = 0; c < map->n.n_columns; c++) {
            uint8_t level = hl_colour_level(hl_panel_mean(panel, map->n, r, c));
            map->levels[r * map->n.n_columns + c] = level;
            occurs[level] = true;
        }
    }
}

/* The rectangle of the cells `begin` to before `end` of a row, or, `down`, of a column. */
static void add_run(cairo_t *cairo, const cells *map, bool down, int64_t line, int64_t begin, int64_t end)
{
    double width = map->width / (double)map->n.n_columns, height = map->height / (double)map->n.n_rows;
    if (down) {
        cairo_rectangle(cairo, map->x + (double)line * width, map->y + (double)begin * height, width,
                        (double)(end - begin) * height);
    } else {
        cairo_rectangle(cairo, map->x + (double)begin * width, map->y + (double)line * height,
                        (double)(end - begin) * width, height);
    }
}

/* Adds the runs of cells at this level or darker that hold one at this level. */
static void add_runs(cairo_t *cairo, const cells *map, int level, bool down)
{
    int64_t n_lines = down ? map->n.n_columns : map->n.n_rows, length = down ? map->n.n_rows : map->n.n_columns;
    int64_t line_step = down ? 1 : map->n.n_columns, step = down ? map->n.n_columns : 1;
    for (int64_t line = 0; line < n_lines; line++) {
        const uint8_t *levels = map->levels + line * line_step;
        for (int64_t i = 0; i < length; i++) {
            int64_t begin = i;
            bool holds = false;
            for (; i < length && levels[i * step] >= level; i++) {
                holds = holds || levels[i * step] == level;
            }
            if (holds && i - begin > (down ? 1 : 0)) {
                add_run(cairo, map, down, line, begin, i);
            }
        }
    }
}

/* Paints from light to dark, each level also under the darker cells beside its own: so viewers that smooth the edges of
 * shapes show no light seam between two dark cells. */
static void fill_cells(cairo_t *cairo, const hl_picture_layout *layout, const cells *map,
                       const bool occurs[HL_COLOUR_LEVELS])
{
    cairo_set_antialias(cairo, CAIRO_ANTIALIAS_NONE); /* whole pixels, where there are pixels */
    cairo_rectangle(cairo, map->x, map->y, map->width, map->height);
    use_level(cairo, layout, 0);
    cairo_fill(cairo);
    for (int level = 1; level < HL_COLOUR_LEVELS; level++) {
        if (occurs[level]) {
            add_runs(cairo, map, level, false);
            add_runs(cairo, map, level, true);
            use_level(cairo, layout, level);
            cairo_fill(cairo);
        }
    }
    cairo_set_antialias(cairo, CAIRO_ANTIALIAS_DEFAULT);
}

static void frame(cairo_t *cairo, const hl_picture_layout *layout, double x, double y, double width, double height)
{
    cairo_rectangle(cairo, x, y, width, height);
    use_grey(cairo, layout, GREY);
    cairo_set_line_width(cairo, 0.5);
    cairo_stroke(cairo);
}

static void paint_title(cairo_t *cairo, const hl_picture_layout *layout, const hl_picture_slot *slot)
{
    const char *rest = slot->panel->title;
    if (rest == NULL) {
        return;
    }
    hl_pen_font(cairo, layout->title_size);
    use_grey(cairo, layout, BLACK);
    int lines = hl_pen_count_lines(cairo, rest, layout->slot_width, HL_PICTURE_TITLE_LINES);
    for (int left = lines; left > 0; left--) {
        hl_pen_line line;
        rest = hl_pen_split(cairo, rest, layout->slot_width, left == 1, &line);
        hl_pen_draw(cairo, &line, slot->x, slot->y - HL_PICTURE_TICK - 0.5 - (left - 1) * layout->title_line, 0, false);
    }
}

/* Where not every token is shown, draws a short line between a token and its row or column. */
static void tick(cairo_t *cairo, const hl_picture_layout *layout, double x, double y, double dx, double dy)
{
    if (layout->token_step > 1) {
        cairo_move_to(cairo, x, y);
        cairo_rel_line_to(cairo, dx, dy);
        cairo_set_line_width(cairo, 0.5);
        cairo_stroke(cairo);
    }
}

static void paint_keys(cairo_t *cairo, const hl_picture_layout *layout, const hl_picture_slot *slot)
{
    double bottom = slot->y + layout->cell * (double)slot->panel->n_queries;
    double below = bottom + HL_PICTURE_TICK, baseline = BASELINE * layout->token_size;
    for (int64_t j = 0; j < slot->panel->n_keys; j += layout->token_step) {
        double middle = slot->x + ((double)j + 0.5) * layout->cell;
        hl_pen_line line = hl_pen_fit(cairo, slot->panel->keys[j], layout->token_width);
        tick(cairo, layout, middle, bottom, 0, HL_PICTURE_TICK / 2);
        if (layout->keys_upwards) {
            hl_pen_draw(cairo, &line, middle + baseline, below, 1, true);
        } else {
            hl_pen_draw(cairo, &line, middle, below + 2 * baseline, 0.5, false);
        }
    }
}

static void paint_panel(cairo_t *cairo, const hl_picture_layout *layout, const hl_picture_slot *slot, uint8_t *levels)
{
    bool occurs[HL_COLOUR_LEVELS] = { false };
    const hl_panel *panel = slot->panel;
    cells map = {
        .levels = levels,
        .n = { hl_at_most(panel->n_queries, HL_PICTURE_MOST_CELLS), hl_at_most(panel->n_keys, HL_PICTURE_MOST_CELLS) },
        .x = slot->x,
        .y = slot->y,
        .width = layout->cell * (double)panel->n_keys,
        .height = layout->cell * (double)panel->n_queries,
    };
    compute_levels(slot->panel, &map, occurs);
    fill_cells(cairo, layout, &map, occurs);
    frame(cairo, layout, map.x, map.y, map.width, map.height);
    paint_title(cairo, layout, slot);
    hl_pen_font(cairo, layout->token_size);
    use_grey(cairo, layout, BLACK);
    if (slot->names_queries && layout->token_step > 0) {
        for (int64_t i = 0; i < slot->panel->n_queries; i += layout->token_step) {
            double middle = slot->y + ((double)i + 0.5) * layout->cell;
            hl_pen_line line = hl_pen_fit(cairo, slot->panel->queries[i], layout->token_width);
            tick(cairo, layout, slot->x, middle, -HL_PICTURE_TICK / 2, 0);
            hl_pen_draw(cairo, &line, slot->x - HL_PICTURE_TICK, middle + BASELINE * layout->token_size, 1, false);
        }
    }
    if (slot->names_keys && layout->token_step > 0) {
        paint_keys(cairo, layout, slot);
    }
}

static void paint_bar(cairo_t *cairo, const hl_picture_layout *layout, const char *name)
{
    static const char *const ticks[] = { "0", "0.25", "0.5", "0.75", "1" };
    enum { STEPS = 64, LAST_TICK = 4 };
    double x = layout->grid_right + 12, y = layout->top, height = layout->bar_height;
    cairo_set_antialias(cairo, CAIRO_ANTIALIAS_NONE);
    for (int i = 0; i < STEPS; i++) { /* from the bottom up, each step over the end of the one before */
        use_level(cairo, layout, i * (HL_COLOUR_LEVELS - 1) / (STEPS - 1));
        cairo_rectangle(cairo, x, y, HL_PICTURE_BAR_WIDTH, height * (STEPS - i) / STEPS);
        cairo_fill(cairo);
    }
    cairo_set_antialias(cairo, CAIRO_ANTIALIAS_DEFAULT);
    frame(cairo, layout, x, y, HL_PICTURE_BAR_WIDTH, height);
    hl_pen_font(cairo, HL_PICTURE_TEXT_SIZE);
    for (int i = 0; i <= LAST_TICK; i++) {
        double at = y + height * (1 - (double)i / LAST_TICK);
        cairo_move_to(cairo, x + HL_PICTURE_BAR_WIDTH, at);
        cairo_rel_line_to(cairo, 2, 0);
        cairo_stroke(cairo);
        hl_pen_write(cairo, ticks[i], HL_PICTURE_MOST_PIXELS, x + HL_PICTURE_BAR_WIDTH + 4,
                     at + BASELINE * HL_PICTURE_TEXT_SIZE, 0, false);
    }
    hl_pen_write(cairo, name, HL_PICTURE_MOST_PIXELS, x + HL_PICTURE_BAR_WIDTH + 29, y + height / 2, 0.5, true);
}

/* Writes an axis name beside the middle of the maps, or, where it is longer than they are, as near to it as the page
 * allows. */
static void paint_axis(cairo_t *cairo, const hl_picture_layout *layout, const char *name, bool upwards)
{
    hl_pen_line line = hl_pen_fit(cairo, name, layout->width + layout->height);
    double middle = (upwards ? layout->top + layout->map_bottom : layout->left + layout->map_right) / 2;
    double least = layout->caption_left + line.width / 2;
    double at = middle > least ? middle : least;
    double x = upwards ? layout->axis_left : at, y = upwards ? at : layout->grid_bottom + HL_PICTURE_LINE;
    hl_pen_draw(cairo, &line, x, y, 0.5, upwards);
}

hl_status hl_picture_paint(const void *context, cairo_t *cairo)
{
    const hl_picture_layout *layout = context;
    const hl_picture *picture = layout->picture;
    uint8_t *levels = hl_malloc((size_t)HL_PICTURE_MOST_CELLS * HL_PICTURE_MOST_CELLS);
    HL_NEED(levels != NULL, "a picture");
    hl_picture_slot slot = { 0 };
    while (hl_picture_next(layout, &slot)) {
        paint_panel(cairo, layout, &slot, levels);
    }
    paint_bar(cairo, layout, picture->names.colours != NULL ? picture->names.colours : "attention weight");
    hl_pen_font(cairo, HL_PICTURE_TEXT_SIZE);
    use_grey(cairo, layout, GREY);
    paint_axis(cairo, layout, picture->names.rows != NULL ? picture->names.rows : "query (attends)", true);
    paint_axis(cairo, layout, picture->names.columns != NULL ? picture->names.columns : "key (attended to)", false);
    double y = layout->caption_top;
    const char *rest = picture->caption;
    for (int left = HL_PICTURE_CAPTION_LINES; rest != NULL && left > 0; left--) {
        hl_pen_line line;
        rest = hl_pen_split(cairo, rest, layout->caption_width, left == 1, &line);
        hl_pen_draw(cairo, &line, layout->caption_left, y, 0, false);
        y += HL_PICTURE_LINE;
    }
    if (layout->averaged) {
        hl_pen_write(cairo, "Maps are averaged down to at most 512 x 512 cells.", HL_PICTURE_MOST_PIXELS,
                     layout->caption_left, y, 0, false);
    }
    hl_free(levels);
    return hl_ok();
}
