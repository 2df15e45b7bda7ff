#include "train/metrics_csv.h"

#include "core/files.h"
#include "core/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char header[] = "step,split,loss,accuracy,learning_rate,grad_norm,tokens_per_second\n";
static const size_t max_bytes = (size_t)1 << 32;

/* The length of the part to keep: whole lines, up to the first row past last_step. */
static size_t kept_length(const char *text, size_t size, int64_t last_step)
{
    size_t kept = sizeof header - 1;
    for (;;) {
        const char *line = text + kept;
        const char *newline = memchr(line, '\n', size - kept);
        if (newline == NULL || strtoll(line, NULL, 10) > last_step) {
            return kept;
        }
        kept = (size_t)(newline + 1 - text);
    }
}

/* Brings the file into the state it had at last_step. */
static hl_status cut_back(const char *path, int64_t last_step)
{
    char *text;
    size_t size;
    HL_TRY(hl_file_read(path, max_bytes, &text, &size));
    hl_status status;
    if (size == 0) { /* made just before the power failed */
        status = hl_file_replace(path, header, sizeof header - 1, HL_VOLATILE);
    } else if (size < sizeof header - 1 || memcmp(text, header, sizeof header - 1) != 0) {
        status = hl_error(HL_BAD_FILE, "%s:1: not the header of a metrics.csv", path);
    } else {
        size_t kept = kept_length(text, size, last_step);
        status = kept < size ? hl_file_replace(path, text, kept, HL_DURABLE) : hl_ok();
    }
    hl_free(text);
    return status;
}

hl_status hl_metrics_csv_open(hl_metrics_csv *csv, const char *path, int64_t last_step)
{
    *csv = (hl_metrics_csv){ .path = hl_strdup(path), .fd = -1 };
    if (csv->path == NULL) {
        return hl_error_memory(path);
    }
    if (access(path, F_OK) != 0) {
        HL_TRY(hl_file_replace(path, header, sizeof header - 1, HL_VOLATILE));
    } else {
        HL_TRY(cut_back(path, last_step));
    }
    do {
        csv->fd = hl_file_calls_get()->open(path, O_WRONLY | O_APPEND | O_CLOEXEC, 0);
    } while (csv->fd < 0 && errno == EINTR);
    return csv->fd >= 0 ? hl_ok() : hl_file_system_error(path, "cannot open");
}

static int format_optional(char *text, size_t size, double value)
{
    return value >= 0 ? snprintf(text, size, ",%.9g", value) : snprintf(text, size, ",");
}

hl_status hl_metrics_csv_append(hl_metrics_csv *csv, hl_metrics_row row)
{
    char line[256];
    size_t size = sizeof line;
    int n = snprintf(line, size, "%" PRId64 ",%s,%.9g,%.9g", row.step, row.split, row.loss, row.accuracy);
    n += format_optional(line + n, size - (size_t)n, row.learning_rate);
    n += format_optional(line + n, size - (size_t)n, row.grad_norm);
    n += snprintf(line + n, size - (size_t)n, ",%.0f\n", row.tokens_per_second);
    for (int written = 0; written < n;) {
        errno = ENOSPC; /* what 0 bytes written without an error mean */
        ssize_t now = hl_file_calls_get()->write(csv->fd, line + written, (size_t)(n - written));
        if (now <= 0 && errno != EINTR) {
            return hl_file_system_error(csv->path, "cannot write");
        }
        written += now > 0 ? (int)now : 0;
    }
    return hl_ok();
}

hl_status hl_metrics_csv_sync(hl_metrics_csv *csv)
{
    int result;
    do {
        result = hl_file_calls_get()->fsync(csv->fd);
    } while (result != 0 && errno == EINTR);
    return result == 0 ? hl_ok() : hl_file_system_error(csv->path, "cannot write to the disk");
}

void hl_metrics_csv_close(hl_metrics_csv *csv)
{
    if (csv->fd >= 0) {
        hl_file_calls_get()->close(csv->fd);
    }
    hl_free(csv->path);
    *csv = (hl_metrics_csv){ .fd = -1 };
}
