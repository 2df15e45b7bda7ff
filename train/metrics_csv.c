#include "train/metrics_csv.h"

#include "core/base/memory.h"
#include "core/files/files.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum {
    ROW_BYTES = 256,
    KINDS = HL_METRICS_CHAINS + 1,
    LABELS = 2 /* the columns step and split, before the figures */
};

/* What a figure may be. OPTIONAL: empty if it is negative or not finite. */
typedef enum form { NUMBER, SHARE, OPTIONAL, SPEED } figure_form;

/* The figures of rows, in the order of their columns; PLAIN: in every kind. */
#define FIGURE(its_name, field, its_form, its_kind)                                                                 \
    {                                                                                                               \
        .name = its_name, .place = offsetof(hl_metrics_row, field), .form = its_form, .kind = HL_METRICS_##its_kind \
    }
static const struct {
    const char *name;
    size_t place; /* offset in hl_metrics_row */
    figure_form form;
    hl_metrics_kind kind;
} figures[HL_METRICS_FIGURES] = {
    FIGURE("loss", scores.loss, NUMBER, PLAIN),
    FIGURE("accuracy", scores.accuracy, SHARE, PLAIN),
    FIGURE("learning_rate", learning_rate, OPTIONAL, PLAIN),
    FIGURE("grad_norm", grad_norm, OPTIONAL, PLAIN),
    FIGURE("tokens_per_second", tokens_per_second, SPEED, PLAIN),
    FIGURE("perplexity", scores.perplexity, OPTIONAL, TOKENS),
    FIGURE("bits_per_character", scores.bits_per_character, OPTIONAL, TOKENS),
    FIGURE("bits_per_word", scores.bits_per_word, OPTIONAL, TOKENS),
    FIGURE("macro_f1", scores.macro_f1, OPTIONAL, CLASSES),
    FIGURE("micro_f1", scores.micro_f1, OPTIONAL, CLASSES),
    FIGURE("uniform", scores.predictors.loss[HL_PREDICT_UNIFORM], OPTIONAL, CHAINS),
    FIGURE("unigram", scores.predictors.loss[HL_PREDICT_UNIGRAM], OPTIONAL, CHAINS),
    FIGURE("bigram", scores.predictors.loss[HL_PREDICT_BIGRAM], OPTIONAL, CHAINS),
    FIGURE("kl_uniform", scores.predictors.kl[HL_PREDICT_UNIFORM], OPTIONAL, CHAINS),
    FIGURE("kl_unigram", scores.predictors.kl[HL_PREDICT_UNIGRAM], OPTIONAL, CHAINS),
    FIGURE("kl_bigram", scores.predictors.kl[HL_PREDICT_BIGRAM], OPTIONAL, CHAINS),
};

/* The next figure of the kind, from figure i on; HL_METRICS_FIGURES if there is none. */
static int next_figure(hl_metrics_kind kind, int i)
{
    while (i < HL_METRICS_FIGURES && figures[i].kind != HL_METRICS_PLAIN && figures[i].kind != kind) {
        i++;
    }
    return i;
}

static double figure_of(const hl_metrics_row *row, int i)
{
    return *(const double *)((const char *)row + figures[i].place);
}

static bool is_empty(double value, int i)
{
    return figures[i].form == OPTIONAL && !(value >= 0 && isfinite(value));
}

int hl_metrics_row_figures(const hl_metrics_row *row, hl_metrics_figure filled[HL_METRICS_FIGURES])
{
    int n = 0;
    for (int i = 0; (i = next_figure(row->kind, i)) < HL_METRICS_FIGURES; i++) {
        double value = figure_of(row, i);
        if (!is_empty(value, i)) {
            filled[n++] = (hl_metrics_figure){ figures[i].name, value };
        }
    }
    return n;
}

/* Returns the header's size. */
static size_t print_header(hl_metrics_kind kind, char text[ROW_BYTES])
{
    int n = snprintf(text, ROW_BYTES, "step,split");
    for (int i = 0; (i = next_figure(kind, i)) < HL_METRICS_FIGURES; i++) {
        n += snprintf(text + n, ROW_BYTES - (size_t)n, ",%s", figures[i].name);
    }
    n += snprintf(text + n, ROW_BYTES - (size_t)n, "\n");
    return (size_t)n;
}

/* ---- reading ---- */

/* Reads the field at *at, and the comma after it if there is one; an empty field is -1. */
static bool take_figure(const char **at, figure_form form, double *figure)
{
    if (form == OPTIONAL && (**at == ',' || **at == '\0')) {
        *figure = -1;
        *at += **at == ',';
        return true;
    }
    size_t length = strcspn(*at, ",");
    char *end;
    *figure = strtod(*at, &end);
    bool good = length > 0 && strspn(*at, "0123456789.-+e") == length && end == *at + length && isfinite(*figure);
    *at += length + (*end == ',');
    return good && (form == NUMBER || *figure >= 0) && (form != SHARE || *figure <= 1);
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

/* The sum with one more line, which has no newline; all its fields except the speed count. */
static hl_metrics_sum add_line(hl_metrics_sum sum, const char *line, size_t length)
{
    int place = 0;
    while (figures[place].form != SPEED) {
        place++;
    }
    const char *end = line + length, *speed = field_at(line, end, LABELS + place);
    const char *rest = field_at(speed, end, 1);
    uLong crc = crc32((uLong)sum.crc, (const Bytef *)line, (uInt)(speed - line));
    crc = crc32(crc, (const Bytef *)rest, (uInt)(end - rest));
    return (hl_metrics_sum){ .rows = sum.rows + 1, .crc = (int64_t)crc };
}

/* The kind of a row with that number of figures; false if there is none. */
static bool find_kind(int n_figures, hl_metrics_kind *kind)
{
    for (int k = 0; k < KINDS; k++) {
        int n = 0;
        *kind = (hl_metrics_kind)k;
        for (int i = 0; (i = next_figure(*kind, i)) < HL_METRICS_FIGURES; i++) {
            n++;
        }
        if (n == n_figures) {
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
    bool good =
        find_kind(commas + 1 - LABELS, &row->kind) && take_step(&at, &row->step) && take_split(&at, &row->split);
    for (int i = 0; good && (i = next_figure(row->kind, i)) < HL_METRICS_FIGURES; i++) {
        good = take_figure(&at, figures[i].form, (double *)((char *)row + figures[i].place));
    }
    return good && *at == '\0';
}

hl_status hl_metrics_rows_begin(hl_metrics_rows *rows, const char *path, const char *text, size_t size)
{
    *rows = (hl_metrics_rows){ .path = path, .at = text, .end = text + size, .line = 1 };
    for (int k = 0; k < KINDS; k++) {
        char header[ROW_BYTES];
        size_t begin = print_header((hl_metrics_kind)k, header);
        if (size >= begin && memcmp(text, header, begin) == 0) {
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
        return hl_error(HL_BAD_FILE, "%s:%" PRId64 ": not a row of a metrics.csv; remove the line", rows->path,
                        rows->line);
    }
    if (row->step < rows->step) {
        return hl_error(HL_BAD_FILE,
                        "%s:%" PRId64 ": step %" PRId64 " after step %" PRId64 ", which no run writes; remove the line",
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
                        " are left); put the file back, or start again with --overwrite",
                        path, found.rows, until.rows);
    }
    return found.crc == until.crc
               ? hl_ok()
               : hl_error(HL_BAD_FILE,
                          "%s: the first %" PRId64
                          " rows are not those that the run wrote; put the file back, or start again with --overwrite",
                          path, until.rows);
}

/* Reads on until there are so many rows, or no whole line is left. */
static hl_status read_rows(hl_metrics_rows *rows, int64_t most)
{
    hl_metrics_row row;
    for (bool there = true; there && rows->sum.rows < most;) {
        HL_TRY(hl_metrics_rows_next(rows, &row, &there));
    }
    return hl_ok();
}

/* Reads the rows of `until`. */
static hl_status take_rows(hl_metrics_rows *rows, hl_metrics_sum until)
{
    HL_TRY(read_rows(rows, until.rows));
    return compare(rows->path, rows->sum, until);
}

hl_status hl_metrics_csv_check(const char *path, const char *text, size_t size, hl_metrics_sum until)
{
    hl_metrics_rows rows;
    HL_TRY(hl_metrics_rows_begin(&rows, path, text, size));
    HL_TRY(take_rows(&rows, until));
    return read_rows(&rows, INT64_MAX);
}

/* Reads the rows of `until`: the content to keep ends at rows->at. An empty file, which a power failure may leave, has
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

hl_status hl_metrics_csv_check_until(const char *path, hl_metrics_sum until)
{
    char *text;
    size_t size;
    hl_metrics_rows rows;
    HL_TRY(hl_file_read_if_there(path, HL_METRICS_MAX_BYTES, &text, &size));
    hl_status status = text != NULL || until.rows == 0
                           ? keep(path, text, size, until, &rows)
                           : hl_error(HL_BAD_FILE,
                                      "%s: missing, with %" PRId64
                                      " rows of this run; put the file back, or start again with --overwrite",
                                      path, until.rows);
    hl_free(text);
    return status;
}

/* ---- appending ---- */

hl_status hl_metrics_csv_open(hl_metrics_csv *csv, const char *path, hl_metrics_kind kind, hl_metrics_sum until)
{
    *csv = (hl_metrics_csv){ .path = path, .fd = -1, .kind = kind, .sum = until };
    char *text, header[ROW_BYTES];
    size_t size;
    hl_metrics_rows rows;
    HL_TRY(hl_file_read_if_there(path, HL_METRICS_MAX_BYTES, &text, &size));
    hl_status status = keep(path, text, size, until, &rows);
    if (status.code == HL_OK && size == 0) {
        size_t header_size = print_header(kind, header);
        status = hl_file_replace(path, header, header_size, HL_VOLATILE);
    } else if (status.code == HL_OK && rows.kind != kind) {
        status = hl_error(HL_BAD_FILE, "%s:1: has the columns of another task; start again with --overwrite", path);
    } else if (status.code == HL_OK && rows.at < text + size) {
        status = hl_file_replace(path, text, (size_t)(rows.at - text), HL_DURABLE);
    }
    hl_free(text);
    HL_THEN(status, hl_file_open(path, O_WRONLY | O_APPEND, &csv->fd));
    return status;
}

hl_status hl_metrics_csv_append(hl_metrics_csv *csv, hl_metrics_row row)
{
    char line[ROW_BYTES];
    size_t size = sizeof line;
    int n = snprintf(line, size, "%" PRId64 ",%s", row.step, row.split);
    for (int i = 0; (i = next_figure(csv->kind, i)) < HL_METRICS_FIGURES; i++) {
        double value = figure_of(&row, i);
        n += is_empty(value, i)
                 ? snprintf(line + n, size - (size_t)n, ",")
                 : snprintf(line + n, size - (size_t)n, figures[i].form == SPEED ? ",%.0f" : ",%.9g", value);
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
    if (csv->path != NULL && csv->fd >= 0) {
        hl_file_calls_get()->close(csv->fd);
    }
    *csv = (hl_metrics_csv){ .fd = -1 };
}
