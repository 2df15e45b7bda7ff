#include "train/ablate_result.h"

#include "core/files.h"
#include "core/memory.h"
#include "train/metrics_csv.h"

#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

enum { MOST_BYTES = 1 << 30, TAIL = 1024 };

static void take_row(const hl_metrics_row *r, double target, hl_ablate_result *result)
{
    if (strcmp(r->split, "validation") != 0) {
        return;
    }
    result->steps = r->step;
    result->loss = r->loss;
    result->accuracy = r->accuracy;
    if (result->steps_to_target < 0 && r->accuracy >= target) {
        result->steps_to_target = r->step;
    }
}

static hl_status refuse_line(const char *path, int64_t number, const char *what)
{
    return hl_error(HL_BAD_FILE, "%s:%" PRId64 ": not %s of a metrics.csv; remove this run's folder to train it anew",
                    path, number, what);
}

static hl_status read_rows(const char *path, const char *text, size_t size, double target, hl_ablate_result *result)
{
    if (size > 0 && !hl_metrics_csv_begins(text, size)) {
        return refuse_line(path, 1, "the header");
    }
    const char *line = text + strcspn(text, "\n") + (size > 0), *end = text + size;
    for (int64_t number = 2; line < end; number++) {
        const char *newline = memchr(line, '\n', (size_t)(end - line));
        hl_metrics_row r;
        if (newline == NULL || !hl_metrics_row_read(line, (size_t)(newline - line), &r)) {
            return refuse_line(path, number, "a row");
        }
        take_row(&r, target, result);
        line = newline + 1;
    }
    return result->steps >= 0
               ? hl_ok()
               : hl_error(HL_BAD_FILE, "%s: no validation in it; remove this run's folder to train it anew", path);
}

hl_status hl_ablate_result_read(const char *folder, double target, hl_ablate_result *result)
{
    result->steps = result->steps_to_target = -1;
    char *path = hl_path_join(folder, "metrics.csv"), *text = NULL;
    size_t size;
    if (path == NULL) {
        return hl_error_memory(folder);
    }
    hl_status status = hl_file_read(path, MOST_BYTES, &text, &size);
    if (status.code == HL_OK) {
        status = read_rows(path, text, size, target, result);
    }
    hl_free(text);
    hl_free(path);
    return status;
}

/* ---- what goes on ---- */

/* The last bytes of a file, as text; "" where there are none. */
static void read_tail(const char *path, char text[TAIL + 1])
{
    const hl_file_calls *calls = hl_file_calls_get();
    int fd;
    ssize_t size = 0;
    if (hl_file_open(path, O_RDONLY, &fd).code == HL_OK) {
        if (calls->lseek(fd, -TAIL, SEEK_END) < 0) {
            calls->lseek(fd, 0, SEEK_SET);
        }
        size = calls->read(fd, text, TAIL);
        calls->close(fd);
    }
    text[size > 0 ? size : 0] = '\0';
}

hl_ablate_glimpse hl_ablate_glimpse_of(const char *folder)
{
    hl_ablate_glimpse glimpse = { .step = -1 };
    char text[TAIL + 1] = "", *path = hl_path_join(folder, "metrics.csv");
    if (path != NULL) {
        read_tail(path, text);
    }
    hl_free(path);
    for (const char *line = text, *end; (end = strchr(line, '\n')) != NULL; line = end + 1) {
        hl_metrics_row r;
        if (hl_metrics_row_read(line, (size_t)(end - line), &r)) {
            glimpse = (hl_ablate_glimpse){ .step = r.step, .loss = r.loss, .accuracy = r.accuracy };
        }
    }
    return glimpse;
}
