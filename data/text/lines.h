/* A source of lines of text: a file, plain or gzipped (known by its first bytes, whatever its name; several members are
 * read as one), or standard input, "-", plain or gzipped. Memory is bounded by the longest line that is allowed.
 *
 *     hl_lines *lines;
 *     HL_TRY(hl_lines_open(path, HL_LINE_BYTES, &lines));
 *     hl_line line;
 *     hl_status status = hl_lines_next(lines, &line);
 *     for (; status.code == HL_OK && line.text != NULL; status = hl_lines_next(lines, &line)) {
 *         ...
 *     }
 *     hl_lines_close(lines); */
#ifndef HL_DATA_TEXT_LINES_H
#define HL_DATA_TEXT_LINES_H

#include "core/base/declarations.h"
#include "core/base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

HL_BEGIN_DECLS

enum { HL_LINE_BYTES = 1 << 20 }; /* the longest line, where a caller has no reason for another limit */

/* Bytes that someone else owns; no zero byte follows them. */
typedef struct hl_span {
    const char *text;
    size_t size;
} hl_span;

typedef struct hl_line {
    const char *text; /* UTF-8 without its end of line; owned by the source until its next call; NULL: no more lines */
    size_t size;      /* bytes */
    int64_t number;   /* from 1 */
    int64_t offset;   /* of its first byte in the uncompressed text */
    bool newline;     /* whether it ended with a newline: all do, but perhaps the last */
    bool crlf;        /* whether a carriage return stood before that */
} hl_line;

/* How it ended in the file: "\n", "\r\n", or "". */
const char *hl_line_end(const hl_line *line);

typedef struct hl_lines hl_lines;

/* Opens the source; lines of more than `limit` bytes (their ends not counted) will be refused. Nothing is read yet.
 * HL_BAD_FILE ("<path>: ...": missing, a folder, a pipe or a device), HL_NO_MEMORY; *out is then NULL. On success it is
 * the caller's: hl_lines_close. */
hl_status hl_lines_open(const char *path, size_t limit, hl_lines **out);

/* From now on a line of more than `limit` bytes is not refused, but given out in parts of up to that, each with the
 * line's number and, but for the last, without a newline. It is cut before a blank that follows something else, where
 * `limit` bytes have one. */
void hl_lines_in_parts(hl_lines *lines);

/* The next line. Where standard input is a pipe, it waits for that line alone. A byte order mark before the first line
 * and carriage returns before newlines are dropped and counted. HL_BAD_FILE:
 *     <path>: cannot read ..., was cut short while it was read, has damaged gzip data, its gzip data end in the middle
 *     <path>:<line>: is longer than <limit> bytes (such a line is never held in memory)
 *     <path>:<line>: holds a NUL byte (column <column>)
 *     <path>:<line>:<column>: is not UTF-8 (byte 0x..); columns are characters, counted from 1
 * HL_NO_MEMORY. After a failure the source may only be closed. */
hl_status hl_lines_next(hl_lines *lines, hl_line *line);

/* What has been dropped so far, to be told once the source has been read. */
typedef struct hl_lines_notices {
    bool mark;    /* a byte order mark at the start */
    int64_t crlf; /* lines that ended with a carriage return and a newline */
} hl_lines_notices;

hl_lines_notices hl_lines_noticed(const hl_lines *lines);

/* How far it is: bytes of the file read and in all, compressed where it is gzipped; *total is 0 for standard input. */
void hl_lines_progress(const hl_lines *lines, int64_t *done, int64_t *total);

/* Whether the next line may not be there yet: standard input is no file. */
bool hl_lines_may_wait(const hl_lines *lines);

/* The path that it was opened by, "standard input" for "-"; for messages. */
const char *hl_lines_name(const hl_lines *lines);

void hl_lines_close(hl_lines *lines); /* NULL is allowed */

/* For readers of records. HL_BAD_FILE "<path>:<line>: <what>", formatted as by printf. */
hl_status hl_lines_bad(const hl_lines *lines, int64_t line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The columns of a row, which tabs separate: their number, at least 1, the first `most` of them into `columns`. */
int64_t hl_line_columns(hl_span row, hl_span *columns, int64_t most);

HL_END_DECLS

#endif
