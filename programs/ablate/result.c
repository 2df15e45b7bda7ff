#include "programs/ablate/result.h"

#include "core/base/memory.h"
#include "core/base/units.h"
#include "core/files/files.h"
#include "train/checkpoint.h"
#include "train/metrics_csv.h"

#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TAIL = 1024, MOST_CSV_BYTES = 1 << 28 };

/* ---- measures ---- */

const char *const hl_ablate_measure_names[HL_ABLATE_MEASURES] = {
    [HL_ABLATE_LOSS] = "validation_loss", [HL_ABLATE_PERPLEXITY] = "perplexity",
    [HL_ABLATE_ACCURACY] = "accuracy",    [HL_ABLATE_STEPS_TO_TARGET] = "steps_to_target",
    [HL_ABLATE_SECONDS] = "seconds",
};

double hl_ablate_measured(const hl_ablate_result *r, hl_ablate_measure measure)
{
    const double values[HL_ABLATE_MEASURES] = {
        [HL_ABLATE_LOSS] = r->loss,
        [HL_ABLATE_PERPLEXITY] = exp(r->loss),
        [HL_ABLATE_ACCURACY] = r->accuracy,
        [HL_ABLATE_STEPS_TO_TARGET] = r->steps_to_target >= 0 ? (double)r->steps_to_target : NAN,
        [HL_ABLATE_SECONDS] = r->seconds,
    };
    return r->state == HL_ABLATE_DONE ? values[measure] : NAN;
}

int64_t hl_ablate_count(const hl_ablate_result *results, int64_t n, hl_ablate_state state)
{
    int64_t count = 0;
    for (int64_t i = 0; i < n; i++) {
        count += results[i].state == state;
    }
    return count;
}

/* ---- of a finished training ---- */

/* The validations so far; `since_best` counts those without a better loss, as the training does. */
typedef struct validations {
    hl_ablate_result result;
    double target, best;
    int64_t since_best;
} validations;

static void take_row(const hl_metrics_row *r, validations *v)
{
    if (strcmp(r->split, "validation") != 0) {
        return;
    }
    bool better = v->result.steps < 0 || r->scores.loss < v->best;
    v->best = better ? r->scores.loss : v->best;
    v->since_best = better ? 0 : v->since_best + 1;
    v->result.steps = r->step;
    v->result.loss = r->scores.loss;
    v->result.accuracy = r->scores.accuracy;
    if (v->result.steps_to_target < 0 && r->scores.accuracy >= v->target) {
        v->result.steps_to_target = r->step;
    }
}

/* *sum: of all rows. */
static hl_status read_rows(const char *path, const char *text, size_t size, validations *v, hl_metrics_sum *sum)
{
    hl_metrics_rows rows;
    HL_TRY(hl_metrics_rows_begin(&rows, path, text, size));
    hl_metrics_row r;
    for (bool there = true; there;) {
        HL_TRY(hl_metrics_rows_next(&rows, &r, &there));
        if (there) {
            take_row(&r, v);
        }
    }
    *sum = rows.sum;
    return rows.at == rows.end
               ? hl_ok()
               : hl_error(HL_BAD_FILE, "%s:%" PRId64 ": not a row of a metrics.csv, cut off", path, rows.line + 1);
}

static hl_status read_file(const char *path, const char *checkpoint, const hl_config_train *train, validations *v)
{
    char *text;
    size_t size;
    HL_TRY(hl_file_read(path, HL_METRICS_MAX_BYTES, &text, &size));
    hl_metrics_sum sum = { 0 };
    hl_status status = size > 0 ? read_rows(path, text, size, v, &sum) : hl_ok();
    hl_free(text);
    HL_TRY(status);
    /* The rows must reach the end of the training: a file that lost its last rows describes another training. */
    int64_t steps = v->result.steps;
    if (steps < 0) {
        return hl_error(HL_BAD_FILE, "%s: no validation in it", path);
    }
    bool patience_lost = train->patience > 0 && v->since_best >= train->patience;
    HL_TRY(steps == train->steps || (patience_lost && steps < train->steps)
               ? hl_ok()
               : hl_error(HL_BAD_FILE,
                          "%s: its last validation is of step %" PRId64 ", but the training ends at %" PRId64, path,
                          steps, train->steps));
    bool has; /* the last checkpoint, where it still exists, holds the sum of all rows */
    hl_metrics_sum known;
    HL_TRY(hl_checkpoint_read_metrics(checkpoint, &has, &known));
    return !has || (sum.rows == known.rows && sum.crc == known.crc)
               ? hl_ok()
               : hl_error(HL_BAD_FILE, "%s: its rows are not those that the training wrote", path);
}

hl_status hl_ablate_result_read(const char *folder, const hl_config_train *train, double target,
                                hl_ablate_result *result)
{
    validations v = { .result = *result, .target = target };
    v.result.steps = v.result.steps_to_target = -1;
    hl_status status = read_file(hl_ablate_path_in(folder, "metrics.csv").text,
                                 hl_ablate_path_in(folder, "checkpoint.safetensors").text, train, &v);
    if (status.code == HL_OK) {
        *result = v.result;
    }
    return status.code != HL_BAD_FILE
               ? status
               : hl_error(HL_BAD_FILE, "%s (remove this run's folder to train it anew)", status.text);
}

/* ---- what goes on ---- */

hl_ablate_glimpse hl_ablate_glimpse_of(const char *folder)
{
    hl_ablate_glimpse glimpse = { .step = -1 };
    char text[TAIL + 1];
    /* The last bytes of the file, as text; "" where there are none. */
    const hl_file_calls *calls = hl_file_calls_get();
    int fd;
    ssize_t size = 0;
    if (hl_file_open(hl_ablate_path_in(folder, "metrics.csv").text, O_RDONLY, &fd).code == HL_OK) {
        if (calls->lseek(fd, -TAIL, SEEK_END) < 0) {
            calls->lseek(fd, 0, SEEK_SET);
        }
        size = calls->read(fd, text, TAIL);
        calls->close(fd);
    }
    text[size > 0 ? size : 0] = '\0';
    for (const char *line = text, *end; (end = strchr(line, '\n')) != NULL; line = end + 1) {
        hl_metrics_row r;
        if (hl_metrics_row_read(line, (size_t)(end - line), &r)) {
            glimpse = (hl_ablate_glimpse){ .step = r.step, .loss = r.scores.loss, .accuracy = r.scores.accuracy };
        }
    }
    return glimpse;
}

/* ---- ablation.csv, written ---- */

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

/* ---- ablation.csv, read ---- */

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
static bool take_csv_row(const char *line, const hl_ablate_plan *plan, hl_ablate_result *results, int64_t *last)
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
static hl_status read_csv_rows(const char *path, char *text, size_t size, const hl_ablate_plan *plan,
                               hl_ablate_result *results)
{
    int64_t last = -1;
    for (int64_t number = 2; size > 0; number++) {
        char *newline = memchr(text, '\n', size);
        if (newline != NULL) {
            *newline = '\0';
        }
        if (newline == NULL || strlen(text) != (size_t)(newline - text) || !take_csv_row(text, plan, results, &last)) {
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
    HL_TRY(hl_file_read(path, MOST_CSV_BYTES, &text, &size));
    hl_text header = { 0 };
    write_header(plan, &header);
    hl_status status = hl_text_status(&header);
    if (status.code == HL_OK && (size < header.size || memcmp(text, header.bytes, header.size) != 0)) {
        status = refuse(path, 1, "the header of this sweep's ablation.csv");
    }
    HL_THEN(status, read_csv_rows(path, text + header.size, size - header.size, plan, results));
    hl_text_free(&header);
    hl_free(text);
    return status;
}
