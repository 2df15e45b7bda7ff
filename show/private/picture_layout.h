/* The positions of everything in a picture, and how it is painted by them. Lengths are in points, y grows downwards. */
#pragma once

#include "show/picture.h"

#include <cairo.h>
#include <stdbool.h>
#include <stdint.h>

#define HL_PICTURE_TEXT_SIZE 7.0 /* of axis names, the bar, the caption */
#define HL_PICTURE_LINE 9.5      /* from one line of text to the next */
#define HL_PICTURE_TICK 3.0      /* between a map and its tokens or title */
#define HL_PICTURE_BAR_WIDTH 8.0
enum { HL_PICTURE_TITLE_LINES = 3, HL_PICTURE_CAPTION_LINES = 4 };

typedef struct hl_picture_layout {
    const hl_picture *picture; /* not owned */
    double width, height;
    double left, top;               /* of the first map */
    double slot_width;              /* of the widest map and its title */
    double column_step;             /* from a map's left edge to the next one's */
    double title_size;              /* of their font */
    double title_line;              /* from one line of a title to the next */
    double title_height;            /* above each map */
    double slot_height;             /* of the tallest map */
    double cell;                    /* the side of one query's and key's square */
    int64_t token_step;             /* 1: every token is shown, 2: every second, ...; 0: none */
    double token_size;              /* of their font */
    double token_width;             /* the longest a token may be */
    double key_height;              /* below a map that names its keys */
    bool keys_upwards;              /* turned, because they would overlap */
    bool averaged;                  /* some map has more than HL_PICTURE_MOST_CELLS */
    double map_right, map_bottom;   /* of the last maps */
    double grid_right, grid_bottom; /* of titles and tokens, too */
    double axis_left;               /* the baseline of the queries' axis name */
    double bar_height;
    double caption_left, caption_top, caption_width; /* caption_top: the first baseline */
} hl_picture_layout;

/* A panel and its place. */
typedef struct hl_picture_slot {
    const hl_panel *panel;
    int64_t row, column;
    bool names_queries, names_keys; /* whether its tokens are shown: not those that the map left or below shows */
    bool row_names_keys;            /* whether any panel of the row so far does */
    double x, y;                    /* the map's corner, top left */
} hl_picture_slot;

/* Moves to the next panel, from a zeroed slot to the first. False after the last; y is then where the maps of a further
 * row would begin. */
bool hl_picture_next(const hl_picture_layout *layout, hl_picture_slot *slot);

/* Computes the layout of a checked picture; measures texts with `cairo`. */
hl_picture_layout hl_picture_lay_out(const hl_picture *picture, cairo_t *cairo);

/* Paints a picture by its layout, the context of a hl_drawing. HL_NO_MEMORY; cairo's own errors stay on `cairo`. */
hl_status hl_picture_paint(const void *context, cairo_t *cairo);
