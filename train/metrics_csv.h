/* metrics.csv: one row per measurement, which is appended and in the file at once.
 *   step,split,loss,accuracy,learning_rate,grad_norm,tokens_per_second
 *   for text also: perplexity,bits_per_character,bits_per_word, or macro_f1,micro_f1; for chains:
 *   uniform,unigram,bigram,kl_uniform,kl_unigram,kl_bigram (train/scores.h)
 * The checkpoint stores a checksum of the rows, which reveals rows that were lost or changed since. */
#pragma once

#include "core/base/declarations.h"
#include "core/base/status.h"
#include "train/scores.h"
#include "train/state.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

HL_BEGIN_DECLS

enum { HL_METRICS_MAX_BYTES = 1 << 30 }; /* the largest file that is read */

/* The last figures of a row: none, those for tokens (tasks masked, next), those for classes (tags, classes), or those
 * of predictors that a model of chains is compared with (markov). */
typedef enum hl_metrics_kind {
    HL_METRICS_PLAIN,
    HL_METRICS_TOKENS,
    HL_METRICS_CLASSES,
    HL_METRICS_CHAINS
} hl_metrics_kind;

typedef struct hl_metrics_csv {
    const char *path; /* not owned */
    int fd;           /* -1 when closed */
    hl_metrics_kind kind;
    hl_metrics_sum sum;
} hl_metrics_csv;

typedef struct hl_metrics_row {
    int64_t step;
    const char *split; /* "train" or "validation" */
    hl_metrics_kind kind;
    hl_scores scores; /* loss and accuracy, and those of the kind; empty if negative or not finite, like the next two */
    double learning_rate, grad_norm;
    double tokens_per_second;
} hl_metrics_row;

/* A figure in a row, with the name of its column. */
enum { HL_METRICS_FIGURES = 16 };
typedef struct hl_metrics_figure {
    const char *name;
    double value;
} hl_metrics_figure;

/* Fills in the row's figures whose fields are not empty, in the order of columns. Returns how many there are. */
int hl_metrics_row_figures(const hl_metrics_row *row, hl_metrics_figure filled[HL_METRICS_FIGURES]);

/* Opens the file for appending; a missing file is begun with the header. Drops whatever follows the rows of `until`: a
 * killed run wrote it after its last checkpoint. HL_BAD_FILE, also if it has rows of another kind, and as
 * hl_metrics_csv_check_until; the file is then as it was. HL_NO_MEMORY. The path must outlive the file. Close it with
 * hl_metrics_csv_close, also on failure. */
hl_status hl_metrics_csv_open(hl_metrics_csv *csv, const char *path, hl_metrics_kind kind, hl_metrics_sum until);

/* Appends one row, with the figures for the file's kind. HL_BAD_FILE. Allocates nothing. */
hl_status hl_metrics_csv_append(hl_metrics_csv *csv, hl_metrics_row row);

/* Waits until the appended rows are on disk. HL_BAD_FILE. */
hl_status hl_metrics_csv_sync(hl_metrics_csv *csv);

/* Closes the file. A zeroed file is allowed. */
void hl_metrics_csv_close(hl_metrics_csv *csv);

/* Reads a line of `length` bytes, without its newline. False if it is not a row: its fields are not those of a kind, or
 * a step or figure is not a finite number in its range. `split` then points to a constant text. */
bool hl_metrics_row_read(const char *line, size_t length, hl_metrics_row *row);

/* Reads the rows of a text, one after the other. */
typedef struct hl_metrics_rows {
    const char *path, *at, *end; /* the name for messages; the text that is still unread */
    hl_metrics_kind kind;        /* of all rows */
    int64_t line, step;          /* of the last row; steps never decrease */
    hl_metrics_sum sum;          /* of the rows so far */
} hl_metrics_rows;

/* Begins to read. HL_BAD_FILE, "<path>:1: ...", if the text does not begin with the header. The text and the path must
 * outlive the rows; nothing needs to be freed. */
hl_status hl_metrics_rows_begin(hl_metrics_rows *rows, const char *path, const char *text, size_t size);

/* Reads the next row; *there is false if no whole line is left. HL_BAD_FILE, "<path>:<line>: ...": the line is not a
 * row, or its step is lower than the step before. */
hl_status hl_metrics_rows_next(hl_metrics_rows *rows, hl_metrics_row *row, bool *there);

/* Checks that the file begins with the rows of `until`; anything may follow. HL_BAD_FILE, with the remedy: the file or
 * some of the rows are missing, or they were changed; also "<path>:<line>: ..." as hl_metrics_rows_next.
 * HL_NO_MEMORY. */
hl_status hl_metrics_csv_check_until(const char *path, hl_metrics_sum until);

/* Checks that the content is the header and rows in the order of their steps, beginning with the rows of `until`. A
 * last line without a newline, which may still be being written, is ignored. HL_BAD_FILE, "<path>:<line>: ...". */
hl_status hl_metrics_csv_check(const char *path, const char *text, size_t size, hl_metrics_sum until);

HL_END_DECLS
