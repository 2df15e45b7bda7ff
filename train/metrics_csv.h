/* metrics.csv: one row a measurement, appended and at once in the file.
 *   step,split,loss,accuracy,learning_rate,grad_norm,tokens_per_second
 *   and of text: perplexity,bits_per_character,bits_per_word, or macro_f1,micro_f1 (train/scores.h)
 * The checkpoint knows its rows by their sum, so that what was lost or changed since is noticed. */
#ifndef HL_TRAIN_METRICS_CSV_H
#define HL_TRAIN_METRICS_CSV_H

#include "core/base/declarations.h"
#include "core/base/status.h"
#include "train/state.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

HL_BEGIN_DECLS

enum { HL_METRICS_MAX_BYTES = 1 << 30 }; /* the largest file that is read */

/* Which figures rows end with: none, those of tokens to be found (tasks masked, next), those of classes (tags,
 * classes). */
typedef enum hl_metrics_kind { HL_METRICS_PLAIN, HL_METRICS_TOKENS, HL_METRICS_CLASSES } hl_metrics_kind;

typedef struct hl_metrics_csv {
    char *path; /* owned */
    int fd;     /* -1 when closed */
    hl_metrics_kind kind;
    hl_metrics_sum sum;
} hl_metrics_csv;

typedef struct hl_metrics_row {
    int64_t step;
    const char *split; /* "train" or "validation" */
    double loss, accuracy;
    double learning_rate, grad_norm; /* negative: does not apply, the field stays empty */
    double tokens_per_second;
    hl_metrics_kind kind;
    double perplexity, bits_per_character, bits_per_word; /* of tokens; as rate and norm, empty where negative, or not
                                                             finite */
    double macro_f1, micro_f1;                            /* of classes; likewise */
} hl_metrics_row;

/* A figure of a row, by the name of its column. */
enum { HL_METRICS_FIGURES = 10 };
typedef struct hl_metrics_figure {
    const char *name;
    double value;
} hl_metrics_figure;

/* Fills in the figures of the row's kind whose fields are not empty, in the order of columns; returns how many. */
int hl_metrics_row_figures(const hl_metrics_row *row, hl_metrics_figure filled[HL_METRICS_FIGURES]);

/* Opens the file for appending, with the header alone if it is missing, and drops what follows the rows of `until` (a
 * run that was killed wrote it after its last checkpoint). HL_BAD_FILE: also where it has the rows of another kind, and
 * as hl_metrics_csv_check_until; then the file is as it was. HL_NO_MEMORY. To be ended by hl_metrics_csv_close,
 * whatever this returns. */
hl_status hl_metrics_csv_open(hl_metrics_csv *csv, const char *path, hl_metrics_kind kind, hl_metrics_sum until);

/* Appends one row, with the figures of the file's kind. HL_BAD_FILE. Allocates nothing. */
hl_status hl_metrics_csv_append(hl_metrics_csv *csv, hl_metrics_row row);

/* Waits until what was appended is on disk. HL_BAD_FILE. */
hl_status hl_metrics_csv_sync(hl_metrics_csv *csv);

/* A zeroed one is allowed. */
void hl_metrics_csv_close(hl_metrics_csv *csv);

/* Reads a line of `length` bytes, without its newline; false where it is no row: fields other than those of a kind,
 * a step or figure that is no finite number in its range. `split` is then a text that stands for ever. */
bool hl_metrics_row_read(const char *line, size_t length, hl_metrics_row *row);

/* The rows of a text, one after the other. */
typedef struct hl_metrics_rows {
    const char *path, *at, *end; /* the name for messages; what is still to be read */
    hl_metrics_kind kind;        /* of all rows */
    int64_t line, step;          /* of the last row; steps never go back */
    hl_metrics_sum sum;          /* of the rows so far */
} hl_metrics_rows;

/* HL_BAD_FILE, "<path>:1: ...", where the text does not begin with the header. The text and the path must outlive the
 * rows; nothing is to be freed. */
hl_status hl_metrics_rows_begin(hl_metrics_rows *rows, const char *path, const char *text, size_t size);

/* The next row; *there is false where no whole line is left. HL_BAD_FILE, "<path>:<line>: ...": the line is no row, or
 * of an earlier step than the one before. */
hl_status hl_metrics_rows_next(hl_metrics_rows *rows, hl_metrics_row *row, bool *there);

/* HL_BAD_FILE, naming what to do, where the file does not begin with the rows of `until`: it or some of them are
 * missing, or they were changed; also "<path>:<line>: ..." as hl_metrics_rows_next. What follows them may be anything.
 * HL_NO_MEMORY. */
hl_status hl_metrics_csv_check_until(const char *path, hl_metrics_sum until);

/* HL_BAD_FILE, "<path>:<line>: ...", where the content is not the header and rows in the order of their steps, the
 * first of them those of `until`; a last line without a newline, which may still be being written, is not looked at. */
hl_status hl_metrics_csv_check(const char *path, const char *text, size_t size, hl_metrics_sum until);

HL_END_DECLS

#endif
