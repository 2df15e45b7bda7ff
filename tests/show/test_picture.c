#include "show/picture.h"

#include "show/colour.h"
#include "show/picture_pen.h"
#include "show/private/picture_layout.h"
#include "tests/check_suite.h"
#include "tests/fault_checks.h"
#include "tests/faults.h"
#include "tests/heads/example.h"
#include "tests/show/drawn.h"

#include <math.h>
#include <string.h>
#include <zlib.h>

static drawn made;
static const int64_t one_panel[] = { 1 };

static hl_status print_as(int format, const hl_picture *picture, hl_text *bytes)
{
    return hl_picture_print(picture, (hl_picture_format)format, 144, bytes);
}

enum { PNG = HL_PNG, SVG = HL_SVG, PDF = HL_PDF, FORMATS = HL_PICTURE_FORMATS };

/* `rows` rows of that many panels, all of the made-up map, each with a title. */
static hl_picture grid_of(hl_panel *panels, const int64_t *rows, int64_t n_rows, int64_t n_tokens)
{
    int64_t n = 0;
    for (int64_t r = 0; r < n_rows; r++) {
        n += rows[r];
    }
    drawn_panels(&made, panels, (int)n, "L0H3 offset(-11) 0.98", n_tokens);
    return (hl_picture){
        .panels = panels, .row_lengths = rows, .n_rows = n_rows, .caption = "copy_task, step 250, example 0"
    };
}

static cairo_t *measuring(void)
{
    cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_A8, 1, 1);
    cairo_t *cairo = cairo_create(surface);
    cairo_surface_destroy(surface);
    return cairo;
}

static hl_picture_layout layout_of(const hl_picture *picture)
{
    cairo_t *cairo = measuring();
    hl_picture_layout layout = hl_picture_lay_out(picture, cairo);
    cairo_destroy(cairo);
    return layout;
}

static uint32_t big_endian(const char *at)
{
    const unsigned char *b = (const unsigned char *)at;
    return (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
}

LOOP_TEST(a_png_has_the_size_and_resolution_asked_for, 0, 3)
{
    static const double resolutions[] = { 72, 200, 36.5 };
    double dpi = resolutions[_i];
    hl_panel panels[5];
    hl_picture picture = grid_of(panels, (int64_t[]){ 2, 3 }, 2, 9);
    hl_picture_layout layout = layout_of(&picture);
    hl_text bytes = { 0 };
    hl_text_print(&bytes, "before");
    expect_ok(hl_picture_print(&picture, HL_PNG, dpi, &bytes));
    const char *png = bytes.bytes + strlen("before");
    ck_assert_int_eq(memcmp(png, "\x89PNG\r\n\x1a\n\0\0\0\rIHDR", 16), 0);
    ck_assert_uint_eq(big_endian(png + 16), (uint32_t)ceil(layout.width * dpi / 72));
    ck_assert_uint_eq(big_endian(png + 20), (uint32_t)ceil(layout.height * dpi / 72));
    ck_assert_int_eq(memcmp(png + 33, "\0\0\0\tpHYs", 8), 0);
    ck_assert_uint_eq(big_endian(png + 41), (uint32_t)lround(dpi / 0.0254));
    ck_assert_uint_eq(big_endian(png + 45), (uint32_t)lround(dpi / 0.0254));
    ck_assert_int_eq(png[49], 1);
    ck_assert_uint_eq(big_endian(png + 50), (uint32_t)crc32(0, (const unsigned char *)png + 37, 13));
    ck_assert_int_eq(memcmp(bytes.bytes + bytes.size - 8, "IEND\xae\x42\x60\x82", 8), 0);
    hl_text_free(&bytes);
}

typedef struct reader {
    const char *at, *end;
} reader;

static cairo_status_t read_bytes(void *closure, unsigned char *bytes, unsigned count)
{
    reader *r = closure;
    if ((size_t)(r->end - r->at) < count) {
        return CAIRO_STATUS_READ_ERROR;
    }
    memcpy(bytes, r->at, count);
    r->at += count;
    return CAIRO_STATUS_SUCCESS;
}

/* The picture as pixels; to be destroyed. */
static cairo_surface_t *drawn_pixels(const hl_picture *picture, double dpi)
{
    hl_text *bytes = scratch_text();
    expect_ok(hl_picture_print(picture, HL_PNG, dpi, bytes));
    reader r = { bytes->bytes, bytes->bytes + bytes->size };
    cairo_surface_t *surface =
        cairo_image_surface_create_from_png_stream(read_bytes, &r); /* checks every chunk's CRC */
    ck_assert_int_eq(cairo_surface_status(surface), CAIRO_STATUS_SUCCESS);
    return surface;
}

/* 0xRRGGBB at a place in points. */
static uint32_t pixel(cairo_surface_t *surface, double scale, double x, double y)
{
    const unsigned char *row =
        cairo_image_surface_get_data(surface) + (ptrdiff_t)floor(y * scale) * cairo_image_surface_get_stride(surface);
    uint32_t value;
    memcpy(&value, row + 4 * (ptrdiff_t)floor(x * scale), sizeof value);
    return value & 0xffffff;
}

static uint32_t colour_of(const hl_picture *picture, double weight)
{
    uint8_t level = hl_colour_level(weight);
    hl_rgb c = hl_colour_of(picture->dark ? (uint8_t)(255 - level) : level);
    return (uint32_t)c.red << 16 | (uint32_t)c.green << 8 | c.blue;
}

/* The middle and three corners of every cell of every panel have the weight's colour. */
static void expect_cells(const hl_picture *picture, double dpi)
{
    double scale = dpi / 72;
    cairo_surface_t *surface = drawn_pixels(picture, dpi);
    hl_picture_layout layout = layout_of(picture);
    hl_picture_slot slot = { 0 };
    uint32_t paper = picture->dark ? 0x1d2327 : 0xffffff;
    int wrong = 0;
    while (hl_picture_next(&layout, &slot)) {
        for (int64_t i = 0; i < slot.panel->n_queries; i++) {
            for (int64_t j = 0; j < slot.panel->n_keys; j++) {
                uint32_t expected = colour_of(picture, slot.panel->weights[i * slot.panel->stride + j]);
                for (int corner = 0; corner < 4; corner++) {
                    double x = slot.x + ((double)j + (corner % 2 == 0 ? 0.5 : 0.75)) * layout.cell;
                    double y = slot.y + ((double)i + (corner / 2 == 0 ? 0.5 : 0.75)) * layout.cell;
                    wrong += pixel(surface, scale, x, y) != expected;
                }
            }
        }
        ck_assert_uint_eq(pixel(surface, scale, slot.x + (double)slot.panel->n_keys * layout.cell + 2, slot.y + 2),
                          paper);
    }
    ck_assert_int_eq(wrong, 0);
    ck_assert_uint_eq(pixel(surface, scale, 1, 1), paper);
    ck_assert_uint_eq(pixel(surface, scale, layout.grid_right + 16, layout.top + 0.7), colour_of(picture, 1));
    ck_assert_uint_eq(pixel(surface, scale, layout.grid_right + 16, layout.top + layout.bar_height - 0.7),
                      colour_of(picture, 0));
    cairo_surface_destroy(surface);
}

TEST(cells_have_the_colours_of_their_weights)
{
    hl_panel panels[9];
    hl_picture picture = grid_of(panels, (int64_t[]){ 2, 4, 1 }, 3, 21);
    panels[1].n_queries = 5;
    panels[3].n_keys = 7;
    panels[4].weights = made.weights + DRAWN_STRIDE;
    panels[4].n_queries = 20;
    expect_cells(&picture, 144);
    picture.dark = true;
    expect_cells(&picture, 144);
    picture = grid_of(panels, one_panel, 1, 64);
    expect_cells(&picture, 200);
    picture = grid_of(panels, one_panel, 1, 1);
    expect_cells(&picture, 144);
}

TEST(large_maps_are_averaged_down)
{
    enum { N = 600 };
    hl_panel panel = drawn_panel(&made, NULL, N, N);
    for (int i = 0; i < N * DRAWN_STRIDE; i++) {
        made.weights[i] = i % 2 == 0 ? (hl_real)0.2 : (hl_real)0.6; /* the stride is odd: a chequer */
    }
    hl_picture large = { .panels = &panel, .row_lengths = one_panel, .n_rows = 1 };
    hl_picture_layout layout = layout_of(&large);
    ck_assert(layout.averaged);
    ck_assert_int_gt(layout.token_step, 3);
    cairo_surface_t *surface = drawn_pixels(&large, 200);
    ck_assert_uint_eq(pixel(surface, 200.0 / 72, layout.left + 20, layout.top + 20), colour_of(&large, 0.4));
    cairo_surface_destroy(surface);
    panel.n_queries = panel.n_keys = HL_PICTURE_MOST_CELLS;
    ck_assert(!layout_of(&large).averaged);
}

LOOP_TEST(tokens_are_shown_where_they_can_be_read, 0, 8)
{
    static const struct {
        int64_t n_tokens, n_columns, step;
        double size;
    } known[] = { { 1, 1, 1, 8 },   { 21, 1, 1, 8 }, { 64, 1, 1, 5.5 }, { 128, 1, 2, 4 },
                  { 400, 1, 5, 4 }, { 21, 4, 1, 4 }, { 21, 8, 0, 4 },   { 8, 8, 1, 4.5 } };
    hl_panel panels[2 * 8];
    int64_t rows[] = { known[_i].n_columns, known[_i].n_columns };
    hl_picture picture = grid_of(panels, rows, known[_i].n_columns > 1 ? 2 : 1, known[_i].n_tokens);
    hl_picture_layout layout = layout_of(&picture);
    ck_assert_int_eq(layout.token_step, known[_i].step);
    ck_assert_double_ge(layout.token_size, known[_i].size);
    ck_assert(layout.token_step == 0 || layout.token_size <= layout.cell * (double)layout.token_step);
    ck_assert_double_le(layout.width, 7.3 * 72);
}

/* Rows of 3 and 2 panels: which name their queries and keys, as five letters each. */
static void expect_named(const hl_picture *picture, const char *queries, const char *keys)
{
    hl_picture_slot slot = { 0 };
    hl_picture_layout layout = layout_of(picture);
    char names[2][8] = { "", "" };
    double bottom = 0;
    for (int n = 0; hl_picture_next(&layout, &slot); n++) {
        names[0][n] = slot.names_queries ? 'q' : '-';
        names[1][n] = slot.names_keys ? 'k' : '-';
        ck_assert_double_ge(slot.x, 0);
        ck_assert_double_ge(slot.y, (slot.column == 0 ? bottom : 0) + layout.title_height);
        ck_assert_double_le(slot.x + layout.cell * (double)slot.panel->n_keys, layout.width);
        bottom = slot.column == 0 ? slot.y + layout.slot_height : bottom;
    }
    ck_assert_double_le(bottom, layout.height);
    ck_assert_str_eq(names[0], queries);
    ck_assert_str_eq(names[1], keys);
}

TEST(tokens_are_not_shown_again_beside_the_next_panel)
{
    static const char *others[DRAWN_TOKENS];
    hl_panel panels[5];
    hl_picture picture = grid_of(panels, (int64_t[]){ 3, 2 }, 2, 5);
    expect_named(&picture, "q--q-", "--kkk");
    memcpy(others, made.tokens, sizeof others);
    panels[1].queries = panels[1].keys = others; /* equal texts */
    expect_named(&picture, "q--q-", "--kkk");
    others[4] = "other";
    expect_named(&picture, "qqqq-", "-kkkk");
    panels[1].n_queries = 4;
    panels[0].queries = panels[4].keys = NULL;
    expect_named(&picture, "-qqq-", "-kkk-");
}

static void expect_same(int format, const hl_picture *picture, const hl_text *other, bool same)
{
    hl_text *bytes = scratch_text();
    expect_ok(print_as(format, picture, bytes));
    ck_assert_int_eq(bytes->size == other->size && memcmp(bytes->bytes, other->bytes, bytes->size) == 0, same);
}

LOOP_TEST(equal_pictures_are_equal_bytes, 0, FORMATS)
{
    hl_panel panels[6];
    hl_picture picture = grid_of(panels, (int64_t[]){ 4, 2 }, 2, 21);
    hl_text *first = scratch_text();
    expect_ok(print_as(_i, &picture, first));
    expect_same(_i, &picture, first, true);
    made.weights[3] = 1 - made.weights[3];
    expect_same(_i, &picture, first, false);
    made.weights[3] = 1 - made.weights[3];
    for (int i = 0; i < 3; i++) { /* each name is drawn */
        picture.names.rows = i == 0 ? "relation" : NULL;
        picture.names.columns = i == 1 ? "head" : NULL;
        picture.names.colours = i == 2 ? "share" : NULL;
        expect_same(_i, &picture, first, false);
    }
}

/* Whether elements are nested, attributes quoted, and & begins nothing but an entity. */
static void expect_well_formed(const hl_text *svg)
{
    char open[64][32];
    int depth = 0;
    const char *at = strstr(svg->bytes, "?>");
    ck_assert_uint_eq(strlen(svg->bytes), svg->size);
    ck_assert(strncmp(svg->bytes, "<?xml ", 6) == 0 && at != NULL);
    ck_assert_ptr_null(strchr(svg->bytes, '&'));
    while ((at = strchr(at + 1, '<')) != NULL) {
        bool closing = at[1] == '/';
        const char *name = at + 1 + closing, *end = at;
        size_t length = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");
        ck_assert(length > 0 && length < sizeof open[0]);
        for (bool quoted = false; quoted || *end != '>'; end++) {
            ck_assert(*end != '\0' && (end == at || *end != '<'));
            quoted = quoted != (*end == '"');
        }
        if (closing) {
            ck_assert_int_gt(depth--, 0);
            ck_assert(strlen(open[depth]) == length && strncmp(open[depth], name, length) == 0);
        } else if (end[-1] != '/') {
            ck_assert_int_lt(depth, 64);
            snprintf(open[depth++], sizeof open[0], "%.*s", (int)length, name);
        }
        at = end;
    }
    ck_assert_int_eq(depth, 0);
}

LOOP_TEST(tokens_titles_and_captions_may_hold_anything, 0, FORMATS)
{
    hl_panel panel = drawn_panel(&made, NULL, DRAWN_NASTY, DRAWN_NASTY);
    panel.queries = panel.keys = drawn_nasty;
    for (int i = 0; i < DRAWN_NASTY; i++) {
        hl_text bytes = { 0 };
        panel.title = drawn_nasty[i];
        hl_picture picture = { .panels = &panel, .row_lengths = one_panel, .n_rows = 1, .caption = drawn_nasty[i] };
        expect_ok(print_as(_i, &picture, &bytes));
        ck_assert_uint_gt(bytes.size, 1000);
        if (_i == SVG) {
            expect_well_formed(&bytes);
        }
        hl_text_free(&bytes);
    }
}

TEST(a_pdf_begins_and_ends_as_one_and_has_no_date)
{
    hl_panel panels[1];
    hl_picture picture = grid_of(panels, one_panel, 1, 21);
    hl_text *bytes = scratch_text();
    expect_ok(hl_picture_print(&picture, HL_PDF, 0, bytes));
    ck_assert_int_eq(strncmp(bytes->bytes, "%PDF-1.", 7), 0);
    ck_assert_str_eq(bytes->bytes + bytes->size - 6, "%%EOF\n");
    bool dated = false, font = false;
    for (size_t i = 0; i + 8 < bytes->size; i++) {
        dated = dated || memcmp(bytes->bytes + i, "Date", 4) == 0;
        font = font || memcmp(bytes->bytes + i, "+DejaVuS", 8) == 0;
    }
    ck_assert(!dated);
    ck_assert(font);
}

TEST(lines_break_at_spaces_and_are_cut_at_the_end)
{
    cairo_t *cairo = measuring();
    hl_pen_line line;
    hl_pen_font(cairo, 8);
    double width = hl_pen_fit(cairo, "one two", 1000).width;
    ck_assert_double_gt(width, 20);
    ck_assert_str_eq(hl_pen_split(cairo, "one two three", width, false, &line), "three");
    ck_assert_str_eq(line.bytes, "one two");
    ck_assert_double_eq_tol(line.width, width, 1e-9);
    ck_assert_str_eq(hl_pen_split(cairo, "one two three", width - 0.01, false, &line), "two three");
    ck_assert_ptr_null(hl_pen_split(cairo, "one two", width, false, &line));
    ck_assert_str_eq(line.bytes, "one two");
    ck_assert_ptr_null(hl_pen_split(cairo, "one two three", width, true, &line));
    ck_assert_str_eq(line.bytes, "one t\u2026");
    ck_assert_double_le(line.width, width);
    ck_assert_ptr_null(hl_pen_split(cairo, drawn_longest, width, false, &line));
    ck_assert_str_eq(line.bytes + strlen(line.bytes) - 4, "w\u2026");
    ck_assert_double_le(line.width, width);
    ck_assert_int_eq(hl_pen_count_lines(cairo, "one two three four one two", width, 9), 4);
    ck_assert_int_eq(hl_pen_count_lines(cairo, "one two three four one two", width, 2), 2);
    line = hl_pen_fit(cairo, drawn_longest, 1e9);
    ck_assert_str_eq(line.bytes, drawn_longest);
    static char huge[5000];
    memset(huge, 'i', sizeof huge - 1);
    line = hl_pen_fit(cairo, huge, 1e9);
    ck_assert_uint_lt(strlen(line.bytes), sizeof line.bytes);
    ck_assert_ptr_nonnull(strstr(line.bytes, "\u2026"));
    cairo_destroy(cairo);
}

static void expect_refused(const hl_picture *picture)
{
    for (int f = 0; f < FORMATS; f++) {
        hl_text bytes = { 0 };
        hl_status status = print_as(f, picture, &bytes);
        ck_assert_int_eq(status.code, HL_INVALID);
        ck_assert(status.text[0] != '\0');
        ck_assert_ptr_null(bytes.bytes);
    }
}

TEST(what_cannot_be_drawn_is_refused)
{
    static const char *const missing[] = { "a", NULL, "c" };
    hl_panel good = drawn_panel(&made, "L0H0", 3, 3), bad[] = { good, good, good, good, good, good };
    bad[0].weights = NULL;
    bad[1].n_queries = 0;
    bad[2].n_keys = -1;
    bad[3].stride = 2;
    bad[4].keys = missing;
    bad[5].queries = missing;
    for (int i = 0; i < ROWS(bad); i++) {
        expect_refused(&(hl_picture){ .panels = &bad[i], .row_lengths = one_panel, .n_rows = 1 });
    }
    static const int64_t rows[][2] = { { 0 }, { 1, 0 }, { -1 }, { HL_PICTURE_MOST_PANELS + 1 } };
    static const int64_t counts[] = { 0, 2, 1, 1 };
    for (int i = 0; i < ROWS(rows); i++) {
        expect_refused(&(hl_picture){ .panels = &good, .row_lengths = rows[i], .n_rows = counts[i] });
    }
}

TEST(a_resolution_that_cannot_be_is_refused)
{
    static hl_panel panels[40];
    static const double wrong[] = { 0, -1, NAN, INFINITY, 2401 };
    hl_text bytes = { 0 };
    hl_picture picture = grid_of(panels, one_panel, 1, 3);
    for (int i = 0; i < 5; i++) {
        ck_assert_int_eq(hl_picture_print(&picture, HL_PNG, wrong[i], &bytes).code, HL_INVALID);
    }
    picture = grid_of(panels, (int64_t[]){ 40 }, 1, 21);
    hl_status status = hl_picture_print(&picture, HL_PNG, 2400, &bytes);
    ck_assert_int_eq(status.code, HL_INVALID);
    ck_assert_ptr_nonnull(strstr(status.text, "pixels"));
    ck_assert_ptr_null(bytes.bytes);
}

LOOP_TEST(want_of_memory_is_reported, 0, FORMATS)
{
    faults_begin();
    hl_panel panels[2];
    hl_picture picture = grid_of(panels, (int64_t[]){ 2 }, 1, 9);
    int n = 0;
    while (fault_checks_next(&n, FAULTS_ONCE)) {
        hl_text bytes = { 0 };
        fault_checks_turn(print_as(_i, &picture, &bytes));
        hl_text_free(&bytes);
    }
    ck_assert_int_gt(n, 3);
    faults_end();
}

SUITE("pictures")
