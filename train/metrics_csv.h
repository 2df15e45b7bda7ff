/* metrics.csv: one row a measurement, appended and at once in the file.
 *   step,split,loss,accuracy,learning_rate,grad_norm,tokens_per_second */
#ifndef HL_TRAIN_METRICS_CSV_H
#define HL_TRAIN_METRICS_CSV_H

#include "core/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct hl_metrics_csv {
    char *path; /* owned */
    int fd;     /* -1 when closed */
} hl_metrics_csv;

typedef struct hl_metrics_row {
    int64_t step;
    const char *split; /* "train" or "validation" */
    double loss, accuracy;
    double learning_rate, grad_norm; /* negative: does not apply, the field stays empty */
    double tokens_per_second;
} hl_metrics_row;

/* Opens the file for appending, with the header alone if it is missing, and drops the rows after `last_step` and an
 * unfinished last line (a run that was killed wrote them after its last checkpoint). HL_BAD_FILE: also for a file that
 * is no metrics.csv or has a line before those that is no row, "<path>:<line>: ..."; HL_NO_MEMORY. To be ended by
 * hl_metrics_csv_close, whatever this returns. */
hl_status hl_metrics_csv_open(hl_metrics_csv *csv, const char *path, int64_t last_step);

/* Appends one row. HL_BAD_FILE. Allocates nothing. */
hl_status hl_metrics_csv_append(hl_metrics_csv *csv, hl_metrics_row row);

/* Waits until what was appended is on disk. HL_BAD_FILE. */
hl_status hl_metrics_csv_sync(hl_metrics_csv *csv);

void hl_metrics_csv_close(hl_metrics_csv *csv);

/* Reads a line of `length` bytes, without its newline; false where it is no row: other than seven fields, a step or
 * figure that is no finite number in its range. `split` is then a text that stands for ever. */
bool hl_metrics_row_read(const char *line, size_t length, hl_metrics_row *row);

/* Whether a file with this content begins with the header. */
bool hl_metrics_csv_begins(const char *text, size_t size);

/* HL_BAD_FILE, "<path>:<line>: ...", where the content is not the header and rows; a last line without a newline, which
 * may still be being written, is not looked at. */
hl_status hl_metrics_csv_check(const char *path, const char *text, size_t size);

#endif
