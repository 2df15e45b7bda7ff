#include "programs/ablate/result.h"

#include "core/base/memory.h"
#include "core/files/files.h"
#include "programs/ablate/plan.h"
#include "train/checkpoint.h"
#include "train/metrics_csv.h"

#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

enum { TAIL = 1024 };

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
