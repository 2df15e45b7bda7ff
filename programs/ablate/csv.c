#include "programs/ablate/csv.h"

#include "core/base/memory.h"
#include "core/base/units.h"
#include "core/files/files.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_BYTES = 1 << 28 };

/* ---- writing ---- */

static void write_header(const hl_ablate_plan *plan, hl_text *text)
{
    hl_text_print(text, "cell,seed");
    hl_ablate_plan_columns(plan, NULL, text);
    hl_text_print(text, ",parameters,flops_per_step,steps");
    for (int m = 0; m < HL_ABLATE_MEASURES; m++) {
        hl_text_print(text, ",%s", hl_ablate_measure_names[m]);
    }
    hl_text_print(text, ",status\n");
}

static void write_row(const hl_ablate_plan *plan, int64_t cell, const hl_ablate_result *result, hl_text *text)
{
    const hl_ablate_variant *variant = hl_ablate_plan_variant(plan, cell);
    bool done = result->state == HL_ABLATE_DONE;
    hl_text_print(text, "%s,%" PRId64, variant->name, hl_ablate_plan_seed(plan, cell));
    hl_ablate_plan_columns(plan, &variant->config, text);
    hl_text_print(text, ",%" PRId64 ",%.0f,", variant->parameters, variant->flops);
    if (done) {
        hl_text_print(text, "%" PRId64, result->steps);
    }
    for (int m = 0; m < HL_ABLATE_MEASURES; m++) {
        char field[HL_UNITS_TEXT];
        double value = hl_ablate_measured(result, (hl_ablate_measure)m);
        int decimals = m == HL_ABLATE_SECONDS ? 3 : m == HL_ABLATE_STEPS_TO_TARGET ? 0 : -1;
        if (decimals >= 0 && isfinite(value)) {
            hl_text_print(text, ",%.*f", decimals, value);
        } else {
            hl_text_print(text, ",%s", hl_units_field(value, field));
        }
    }
    hl_text_print(text, ",%s\n", done ? "done" : "failed");
}

hl_status hl_ablate_csv_print(const hl_ablate_plan *plan, const hl_ablate_result *results, hl_text *text)
{
    write_header(plan, text);
    for (int64_t i = 0; i < hl_ablate_plan_cells(plan); i++) {
        if (results[i].state == HL_ABLATE_DONE || results[i].state == HL_ABLATE_FAILED) {
            write_row(plan, i, &results[i], text);
        }
    }
    return hl_text_status(text);
}

/* ---- reading ---- */

/* The cell, `from` or a later one, whose row this is, which begins with "<name>,<seed>,"; -1 where there is none. */
static int64_t find_cell(const char *line, const hl_ablate_plan *plan, int64_t from)
{
    for (int64_t i = from; i < hl_ablate_plan_cells(plan); i++) {
        const char *name = hl_ablate_plan_variant(plan, i)->name;
        size_t length = strlen(name);
        char seed[32];
        snprintf(seed, sizeof seed, ",%" PRId64 ",", hl_ablate_plan_seed(plan, i));
        if (strncmp(line, name, length) == 0 && strncmp(line + length, seed, strlen(seed)) == 0) {
            return i;
        }
    }
    return -1;
}

/* "12.345", or nothing: not known. */
static bool read_seconds(const char *text, size_t length, double *seconds)
{
    char *end = NULL;
    *seconds = length > 0 ? strtod(text, &end) : NAN;
    return length == 0 || (end == text + length && strspn(text, "0123456789.") == length && isfinite(*seconds));
}

/* Reads the last two fields of a row, "12.345,done"; between them and the seed are one field a key and seven more.
 * *last: the cell of the row before, since rows are in the order of cells. */
static bool take_row(const char *line, const hl_ablate_plan *plan, hl_ablate_result *results, int64_t *last)
{
    int64_t cell = find_cell(line, plan, *last + 1);
    const char *field = line;
    for (int i = 0; i < 2 + plan->n_keys + 7; i++) {
        field += strcspn(field, ",");
        field += *field == ',';
    }
    size_t length = strcspn(field, ",");
    double seconds;
    if (cell < 0 || field[length] != ',' || !read_seconds(field, length, &seconds)) {
        return false;
    }
    *last = cell;
    bool done = strcmp(field + length, ",done") == 0;
    if (results[cell].state != HL_ABLATE_RUNNING) {
        results[cell].state = done ? HL_ABLATE_DONE : HL_ABLATE_FAILED;
        results[cell].seconds = seconds;
    }
    return done || strcmp(field + length, ",failed") == 0;
}

static hl_status refuse(const char *path, int64_t line, const char *what)
{
    return hl_error(HL_BAD_FILE,
                    "%s:%" PRId64 ": not %s; remove the file: it will be written anew from the runs' folders, but for "
                    "their seconds",
                    path, line, what);
}

/* Reads line by line; each line is cut off as a text of its own. */
static hl_status read_rows(const char *path, char *text, size_t size, const hl_ablate_plan *plan,
                           hl_ablate_result *results)
{
    int64_t last = -1;
    for (int64_t number = 2; size > 0; number++) {
        char *newline = memchr(text, '\n', size);
        if (newline != NULL) {
            *newline = '\0';
        }
        if (newline == NULL || strlen(text) != (size_t)(newline - text) || !take_row(text, plan, results, &last)) {
            return refuse(path, number, "a row of this sweep");
        }
        size -= (size_t)(newline + 1 - text);
        text = newline + 1;
    }
    return hl_ok();
}

hl_status hl_ablate_csv_read(const char *path, const hl_ablate_plan *plan, hl_ablate_result *results)
{
    bool exists;
    for (int64_t i = 0; i < hl_ablate_plan_cells(plan); i++) {
        bool ended = results[i].state == HL_ABLATE_DONE || results[i].state == HL_ABLATE_FAILED;
        results[i].state = ended ? HL_ABLATE_WAITING : results[i].state;
    }
    HL_TRY(hl_file_exists(path, &exists));
    if (!exists) {
        return hl_ok();
    }
    char *text;
    size_t size;
    HL_TRY(hl_file_read(path, MOST_BYTES, &text, &size));
    hl_text header = { 0 };
    write_header(plan, &header);
    hl_status status = hl_text_status(&header);
    if (status.code == HL_OK && (size < header.size || memcmp(text, header.bytes, header.size) != 0)) {
        status = refuse(path, 1, "the header of this sweep's ablation.csv");
    }
    HL_THEN(status, read_rows(path, text + header.size, size - header.size, plan, results));
    hl_text_free(&header);
    hl_free(text);
    return status;
}
