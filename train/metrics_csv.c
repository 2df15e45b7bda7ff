#include "train/metrics_csv.h"

#include "core/files.h"
#include "core/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#define COLUMNS "step,split,loss,accuracy,learning_rate,grad_norm,tokens_per_second"
#define FIGURE(name) offsetof(hl_metrics_row, name)

enum { ROW_BYTES = 256, KINDS = HL_METRICS_CLASSES + 1, PLAIN_COLUMNS = 7, MOST_FIGURES = 3 };

/* By kind; the figures that follow the columns of all. */
static const struct {
    const char *header;
    int n;
    size_t figures[MOST_FIGURES]; /* where they stand in a row */
} kinds[KINDS] = {
    { COLUMNS "\n", 0, { 0 } },
    { COLUMNS ",perplexity,bits_per_character,bits_per_word\n",
      3,
      { FIGURE(perplexity), FIGURE(bits_per_character), FIGURE(bits_per_word) } },
    { COLUMNS ",macro_f1,micro_f1\n", 2, { FIGURE(macro_f1), FIGURE(micro_f1) } },
};

static double *figure_of(hl_metrics_row *row, int i)
{
    return (double *)((char *)row + kinds[row->kind].figures[i]);
}

/* ---- reading ---- */

/* Takes the field that *at begins with, a finite number, and the comma after it where there is one. */
static bool take_number(const char **at, double *number)
{
    size_t length = strcspn(*at, ",");
    char *end;
    *number = strtod(*at, &end);
    bool good = length > 0 && strspn(*at, "0123456789.-+e") == length && end == *at + length && isfinite(*number);
    *at += length + (*end == ',');
    return good;
}

/* The same, where the field may be empty: -1. */
static bool take_optional(const char **at, double *number)
{
    if (**at == ',' || **at == '\0') {
        *number = -1;
        *at += **at == ',';
        return true;
    }
    return take_number(at, number) && *number >= 0;
}

static bool take_split(const char **at, const char **split)
{
    static const char *const splits[] = { "train", "validation" };
    for (int i = 0; i < 2; i++) {
        size_t length = strlen(splits[i]);
        if (strncmp(*at, splits[i], length) == 0 && (*at)[length] == ',') {
            *split = splits[i];
            *at += length + 1;
            return true;
        }
    }
    return false;
}

static bool take_step(const char **at, int64_t *step)
{
    char *end;
    errno = 0;
    *step = strtoll(*at, &end, 10);
    bool good = **at >= '0' && **at <= '9' && *end == ',' && errno == 0;
    *at = end + (*end == ',');
    return good;
}

/* Where field i of the line begins. */
static const char *field_at(const char *line, const char *end, int i)
{
    for (; i > 0 && line < end; i--) {
        const char *comma = memchr(line, ',', (size_t)(end - line));
        line = comma != NULL ? comma + 1 : end;
    }
    return line;
}

/* The sum with one more line, without its newline: with all fields but its speed. */
static hl_metrics_sum add_line(hl_metrics_sum sum, const char *line, size_t length)
{
    const char *end = line + length, *speed = field_at(line, end, PLAIN_COLUMNS - 1);
    const char *figures = field_at(speed, end, 1);
    uLong crc = crc32((uLong)sum.crc, (const Bytef *)line, (uInt)(speed - line));
    crc = crc32(crc, (const Bytef *)figures, (uInt)(end - figures));
    return (hl_metrics_sum){ .rows = sum.rows + 1, .crc = (int64_t)crc };
}

/* The kind of a row with so many figures; false: there is none. */
static bool find_kind(int n_figures, hl_metrics_kind *kind)
{
    for (int k = 0; k < KINDS; k++) {
        if (kinds[k].n == n_figures) {
            *kind = (hl_metrics_kind)k;
            return true;
        }
    }
    return false;
}

bool hl_metrics_row_read(const char *line, size_t length, hl_metrics_row *row)
{
    char copy[ROW_BYTES];
    if (length >= sizeof copy || memchr(line, '\0', length) != NULL) {
        return false;
    }
    memcpy(copy, line, length);
    copy[length] = '\0';
    int commas = 0;
    for (const char *c = copy; *c != '\0'; c++) {
        commas += *c == ',';
    }
    const char *at = copy;
    *row = (hl_metrics_row){ .step = 0 };
    bool good = find_kind(commas + 1 - PLAIN_COLUMNS, &row->kind) && take_step(&at, &row->step) &&
                take_split(&at, &row->split) && take_number(&at, &row->loss) && take_number(&at, &row->accuracy) &&
                row->accuracy >= 0 && row->accuracy <= 1 && take_optional(&at, &row->learning_rate) &&
                take_optional(&at, &row->grad_norm) && take_number(&at, &row->tokens_per_second) &&
                row->tokens_per_second >= 0;
    for (int i = 0; good && i < kinds[row->kind].n; i++) {
        good = take_optional(&at, figure_of(row, i));
    }
    return good && *at == '\0';
}

hl_status hl_metrics_rows_begin(hl_metrics_rows *rows, const char *path, const char *text, size_t size)
{
    *rows = (hl_metrics_rows){ .path = path, .at = text, .end = text + size, .line = 1 };
    for (int k = 0; k < KINDS; k++) {
        size_t begin = strlen(kinds[k].header);
        if (size >= begin && memcmp(text, kinds[k].header, begin) == 0) {
            rows->kind = (hl_metrics_kind)k;
            rows->at = text + begin;
            return hl_ok();
        }
    }
    return hl_error(HL_BAD_FILE, "%s:1: not the header of a metrics.csv", path);
}

hl_status hl_metrics_rows_next(hl_metrics_rows *rows, hl_metrics_row *row, bool *there)
{
    const char *newline = memchr(rows->at, '\n', (size_t)(rows->end - rows->at));
    *there = newline != NULL;
    if (newline == NULL) {
        return hl_ok();
    }
    rows->line++;
    if (!hl_metrics_row_read(rows->at, (size_t)(newline - rows->at), row) || row->kind != rows->kind) {
        return hl_error(HL_BAD_FILE, "%s:%" PRId64 ": not a row of a metrics.csv; take the line out", rows->path,
                        rows->line);
    }
    if (row->step < rows->step) {
        return hl_error(HL_BAD_FILE,
                        "%s:%" PRId64 ": step %" PRId64 " after step %" PRId64
                        ", which no run writes; take the line out",
                        rows->path, rows->line, row->step, rows->step);
    }
    rows->step = row->step;
    rows->sum = add_line(rows->sum, rows->at, (size_t)(newline - rows->at));
    rows->at = newline + 1;
    return hl_ok();
}

/* ---- against what a checkpoint knows ---- */

static hl_status compare(const char *path, hl_metrics_sum found, hl_metrics_sum until)
{
    if (found.rows < until.rows) {
        return hl_error(HL_BAD_FILE,
                        "%s: has lost rows of this run (%" PRId64 " of %" PRId64
                        " are left); put the file back, or begin anew with --overwrite",
                        path, found.rows, until.rows);
    }
    return found.crc == until.crc
               ? hl_ok()
               : hl_error(HL_BAD_FILE,
                          "%s: the first %" PRId64 " rows are not those that the run wrote; put the file back, or "
                          "begin anew with --overwrite",
                          path, until.rows);
}

/* Reads the rows of `until`. */
static hl_status take_rows(hl_metrics_rows *rows, hl_metrics_sum until)
{
    hl_metrics_row row;
    for (bool there = true; there && rows->sum.rows < until.rows;) {
        HL_TRY(hl_metrics_rows_next(rows, &row, &there));
    }
    return compare(rows->path, rows->sum, until);
}

hl_status hl_metrics_csv_check(const char *path, const char *text, size_t size, hl_metrics_sum until)
{
    hl_metrics_rows rows;
    HL_TRY(hl_metrics_rows_begin(&rows, path, text, size));
    HL_TRY(take_rows(&rows, until));
    hl_metrics_row row;
    for (bool there = true; there;) {
        HL_TRY(hl_metrics_rows_next(&rows, &row, &there));
    }
    return hl_ok();
}

/* Reads the rows of `until`: what is to be kept ends at rows->at. An empty file, which a power failure may leave, has
 * no rows. */
static hl_status keep(const char *path, const char *text, size_t size, hl_metrics_sum until, hl_metrics_rows *rows)
{
    if (size == 0) {
        *rows = (hl_metrics_rows){ .at = text };
        return compare(path, (hl_metrics_sum){ 0 }, until);
    }
    HL_TRY(hl_metrics_rows_begin(rows, path, text, size));
    return take_rows(rows, until);
}

/* To be freed: *text, NULL where there is no such file. */
static hl_status read_whole(const char *path, char **text, size_t *size)
{
    *text = NULL;
    *size = 0;
    bool exists;
    HL_TRY(hl_file_exists(path, &exists));
    return exists ? hl_file_read(path, HL_METRICS_MAX_BYTES, text, size) : hl_ok();
}

hl_status hl_metrics_csv_check_until(const char *path, hl_metrics_sum until)
{
    char *text;
    size_t size;
    hl_metrics_rows rows;
    HL_TRY(read_whole(path, &text, &size));
    hl_status status = text != NULL || until.rows == 0
                           ? keep(path, text, size, until, &rows)
                           : hl_error(HL_BAD_FILE,
                                      "%s: missing, with %" PRId64
                                      " rows of this run; put the file back, or begin anew with --overwrite",
                                      path, until.rows);
    hl_free(text);
    return status;
}

/* ---- appending ---- */

hl_status hl_metrics_csv_open(hl_metrics_csv *csv, const char *path, hl_metrics_kind kind, hl_metrics_sum until)
{
    *csv = (hl_metrics_csv){ .path = hl_strdup(path), .fd = -1, .kind = kind, .sum = until };
    HL_NEED(csv->path != NULL, path);
    char *text;
    size_t size;
    hl_metrics_rows rows;
    HL_TRY(read_whole(path, &text, &size));
    hl_status status = keep(path, text, size, until, &rows);
    if (status.code == HL_OK && size == 0) {
        status = hl_file_replace(path, kinds[kind].header, strlen(kinds[kind].header), HL_VOLATILE);
    } else if (status.code == HL_OK && rows.kind != kind) {
        status = hl_error(HL_BAD_FILE, "%s:1: has the columns of another task; begin anew with --overwrite", path);
    } else if (status.code == HL_OK && rows.at < text + size) {
        status = hl_file_replace(path, text, (size_t)(rows.at - text), HL_DURABLE);
    }
    hl_free(text);
    HL_THEN(status, hl_file_open(path, O_WRONLY | O_APPEND, &csv->fd));
    return status;
}

static int format_optional(char *text, size_t size, double value)
{
    return value >= 0 && isfinite(value) ? snprintf(text, size, ",%.9g", value) : snprintf(text, size, ",");
}

hl_status hl_metrics_csv_append(hl_metrics_csv *csv, hl_metrics_row row)
{
    char line[ROW_BYTES];
    size_t size = sizeof line;
    row.kind = csv->kind;
    int n = snprintf(line, size, "%" PRId64 ",%s,%.9g,%.9g", row.step, row.split, row.loss, row.accuracy);
    n += format_optional(line + n, size - (size_t)n, row.learning_rate);
    n += format_optional(line + n, size - (size_t)n, row.grad_norm);
    n += snprintf(line + n, size - (size_t)n, ",%.0f", row.tokens_per_second);
    for (int i = 0; i < kinds[csv->kind].n; i++) {
        n += format_optional(line + n, size - (size_t)n, *figure_of(&row, i));
    }
    n += snprintf(line + n, size - (size_t)n, "\n");
    HL_TRY(hl_file_write_bytes(csv->fd, csv->path, line, (size_t)n));
    csv->sum = add_line(csv->sum, line, (size_t)n - 1);
    return hl_ok();
}

hl_status hl_metrics_csv_sync(hl_metrics_csv *csv)
{
    return hl_file_sync(csv->fd, csv->path);
}

void hl_metrics_csv_close(hl_metrics_csv *csv)
{
    if (csv->fd >= 0) {
        hl_file_calls_get()->close(csv->fd);
    }
    hl_free(csv->path);
    *csv = (hl_metrics_csv){ .fd = -1 };
}
