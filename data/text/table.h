/* Reads tables with columns separated by tabs (TSV), one row at a time. There is no quoting: quotes and backslashes are
 * ordinary characters, and no column contains a tab or an end of line. A column may be empty. */
#pragma once

#include "core/base/declarations.h"
#include "core/base/status.h"
#include "data/text/lines.h"

#include <stdbool.h>
#include <stdint.h>

HL_BEGIN_DECLS

typedef struct hl_table_row {
    const hl_span *columns; /* owned by the table; valid until the next row; NULL: no more rows */
    int64_t n_columns;
    int64_t line;    /* its line number in the file */
    const char *end; /* how its line ends in the file (hl_line_end) */
} hl_table_row;

typedef struct hl_table hl_table;

/* Opens a table: a file, plain or gzipped, or "-". With `header`, the first line names the columns and is read now.
 * HL_BAD_FILE, HL_NO_MEMORY as hl_lines_open and hl_lines_next; "<path>: holds no row" if there is no header. *out is
 * NULL on failure. After success the caller owns it: hl_table_close. */
hl_status hl_table_open(const char *path, bool header, hl_table **out);

/* Sets *column to the column with that name or number, counted from 0. In `name`, "1" is the first column; a name has
 * priority over a number. HL_INVALID:
 *     <path>: has no column lable; its columns are text, label
 *     <path>: has two columns named text; give the number, from 1
 *     <path>: is read without a header: its columns are numbers from 1, not lable
 * Without a header, hl_table_next compares the number with the rows. */
hl_status hl_table_find(hl_table *table, const char *name, int64_t *column);

/* The header's line with its end; its text is NULL if there is no header. Owned by the table. */
hl_span hl_table_header(const hl_table *table);

/* The empty lines after the last row, so that everything can be written back. Owned by the table. */
hl_span hl_table_rest(const hl_table *table);

/* Reads the next row. Fails as hl_lines_next does, and with HL_BAD_FILE:
 *     <path>:<line>: has 3 columns, not 2 as line 1
 *     <path>:<line>: has 2 columns; there is no column 3 (a column that hl_table_find was asked for)
 *     <path>: holds no row
 * An empty line is a row with one empty column. In a table with several columns, the last lines may be empty. After a
 * failure the table may only be closed. */
hl_status hl_table_next(hl_table *table, hl_table_row *row);

/* Removes the next word from *rest. One or more spaces separate words. False if there is none. */
bool hl_table_word(hl_span *rest, hl_span *word);

/* A row of a toy task from a file: its tokens, and for each token a target and the position from which a perfect head
 * fetches it, all separated by spaces. "_" as a target means not scored; as a source it means none. */
typedef struct hl_table_task {
    const hl_span *tokens, *targets; /* n each; the text is NULL for a target that is not scored */
    const int32_t *sources;          /* n: 0 .. n - 1, or HL_IGNORE (core/examples.h) */
    int64_t n;
} hl_table_task;

/* Reads such a row from the columns `tokens`, `targets` and `sources` (-1: there are no sources). Owned by the table;
 * valid until the next row. HL_NO_MEMORY, HL_BAD_FILE:
 *     <path>:<line>: has no token
 *     <path>:<line>: has 5 tokens, but 4 targets (or sources)
 *     <path>:<line>: has no target: every one is _
 *     <path>:<line>: source 7 is no position from 0 to 4, nor _ */
hl_status hl_table_task_of(hl_table *table, const hl_table_row *row, int64_t tokens, int64_t targets, int64_t sources,
                           hl_table_task *task);

/* The lines that the table reads, for notices and progress. Owned by the table. */
const hl_lines *hl_table_lines(const hl_table *table);

void hl_table_close(hl_table *table); /* NULL is allowed */

HL_END_DECLS
