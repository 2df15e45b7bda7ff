/* Tables of columns separated by tabs (TSV), a row at a time. There is no quoting: quotes and backslashes are
 * characters like others, and no column holds a tab or an end of line. A column may be empty. */
#ifndef HL_DATA_TEXT_TABLE_H
#define HL_DATA_TEXT_TABLE_H

#include "core/base/declarations.h"
#include "core/base/status.h"
#include "data/text/lines.h"

#include <stdbool.h>
#include <stdint.h>

HL_BEGIN_DECLS

typedef struct hl_table_row {
    const hl_span *columns; /* owned by the table; stands until the next row; NULL: no more */
    int64_t n_columns;
    int64_t line;    /* its number in the file */
    const char *end; /* how its line ends there (hl_line_end) */
} hl_table_row;

typedef struct hl_table hl_table;

/* Opens a table: a file, plain or gzipped, or "-". With `header` the first line names the columns, and is read now.
 * HL_BAD_FILE, HL_NO_MEMORY as hl_lines_open and hl_lines_next; "<path>: holds no row" where there is no header. *out
 * is NULL on failure. On success it is the caller's: hl_table_close. */
hl_status hl_table_open(const char *path, bool header, hl_table **out);

/* The column of that name, or of that number ("1" is the first; a name goes before a number), from 0 on. HL_INVALID:
 *     <path>: has no column lable; its columns are text, label
 *     <path>: has two columns named text; give the number, from 1
 *     <path>: is read without a header: its columns are numbers from 1, not lable
 * A number is compared with the rows where there is no header (hl_table_next). */
hl_status hl_table_find(hl_table *table, const char *name, int64_t *column);

/* The header's line with its end, whose text is NULL where there is none; owned by the table. */
hl_span hl_table_header(const hl_table *table);

/* The empty lines after the last row, so that all can be written back; owned by the table. */
hl_span hl_table_rest(const hl_table *table);

/* The next row. Fails as hl_lines_next does, and with HL_BAD_FILE:
 *     <path>:<line>: has 3 columns, not 2 as line 1
 *     <path>:<line>: has 2 columns; there is no column 3 (one that hl_table_find was asked for)
 *     <path>: holds no row
 * An empty line is a row of one empty column; of a table of several columns, empty lines may be the last. After a
 * failure the table may only be closed. */
hl_status hl_table_next(hl_table *table, hl_table_row *row);

/* Takes the next word off *rest: words are separated by one or more spaces. False where there is none. */
bool hl_table_word(hl_span *rest, hl_span *word);

/* A row of a toy task as a file: its tokens, and for each token a target and the position that a perfect head fetches
 * it from, all separated by spaces. "_" as a target: not scored; as a source: none. */
typedef struct hl_table_task {
    const hl_span *tokens, *targets; /* n each; a target that is not scored has the text NULL */
    const int32_t *sources;          /* n: 0 .. n - 1, or HL_IGNORE (core/examples.h) */
    int64_t n;
} hl_table_task;

/* Reads such a row, out of the columns `tokens`, `targets` and `sources` (-1: no sources are stated). Owned by the
 * table; stands until the next row. HL_NO_MEMORY, HL_BAD_FILE:
 *     <path>:<line>: has no token
 *     <path>:<line>: has 5 tokens, but 4 targets (or sources)
 *     <path>:<line>: has no target: every one is _
 *     <path>:<line>: source 7 is no position from 0 to 4, nor _ */
hl_status hl_table_task_of(hl_table *table, const hl_table_row *row, int64_t tokens, int64_t targets, int64_t sources,
                           hl_table_task *task);

/* The lines that it reads, for notices and progress; owned by the table. */
const hl_lines *hl_table_lines(const hl_table *table);

void hl_table_close(hl_table *table); /* NULL is allowed */

HL_END_DECLS

#endif
