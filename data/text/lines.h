/* A source of lines of text: a file, plain or gzipped, or standard input, "-", plain or gzipped. Gzip is recognised by
 * the first bytes, not by the name, and several members are read as one. The longest allowed line bounds the memory.
 *
 *     hl_lines *lines;
 *     HL_TRY(hl_lines_open(path, HL_LINE_BYTES, &lines));
 *     hl_line line;
 *     hl_status status = hl_lines_next(lines, &line);
 *     for (; status.code == HL_OK && line.text != NULL; status = hl_lines_next(lines, &line)) {
 *         ...
 *     }
 *     hl_lines_close(lines); */
#pragma once

#include "core/base/declarations.h"
#include "core/base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

HL_BEGIN_DECLS

enum { HL_LINE_BYTES = 1 << 20 }; /* the longest line, if a caller needs no other limit */

/* Bytes that someone else owns. No zero byte follows them. */
typedef struct hl_span {
    const char *text;
    size_t size;
} hl_span;

typedef struct hl_line {
    const char *text; /* UTF-8 without its end of line; owned by the source until its next call; NULL: no more lines */
    size_t size;      /* bytes */
    int64_t number;   /* counted from 1 */
    int64_t offset;   /* of its first byte in the uncompressed text */
    bool newline;     /* whether it ended with a newline; only the last line may lack one */
    bool crlf;        /* whether a carriage return came before the newline */
} hl_line;

/* How the line ended in the file: "\n", "\r\n", or "". */
const char *hl_line_end(const hl_line *line);

typedef struct hl_lines hl_lines;

/* Opens the source. Lines of more than `limit` bytes, without their ends, will be refused. Nothing is read yet.
 * HL_BAD_FILE ("<path>: ...": missing, a folder, a pipe or a device), HL_NO_MEMORY; *out is then NULL. After success
 * the caller owns it: hl_lines_close. */
hl_status hl_lines_open(const char *path, size_t limit, hl_lines **out);

/* From now on, a line of more than `limit` bytes is not refused, but returned in parts of at most `limit` bytes. Each
 * part has the line's number, and only the last one has a newline. The line is cut before a blank that follows
 * something else, if `limit` bytes contain such a blank. */
void hl_lines_in_parts(hl_lines *lines);

/* Before the first line: from now on all that is read is kept in memory, without a limit. Rewind: the next line is the
 * first one again, its marks and carriage returns are counted anew, and nothing is kept any more. */
void hl_lines_keep(hl_lines *lines);
void hl_lines_rewind(hl_lines *lines);

/* Reads the next line. If standard input is a pipe, it waits only for that line. A byte order mark before the first
 * line and carriage returns before newlines are dropped and counted. HL_BAD_FILE:
 *     <path>: cannot read ..., was cut short while it was read, has damaged gzip data, its gzip data end in the middle
 *     <path>:<line>: is longer than <limit> bytes (such a line is never held in memory)
 *     <path>:<line>: holds a NUL byte (column <column>)
 *     <path>:<line>:<column>: is not UTF-8 (byte 0x..); columns are characters, counted from 1
 * HL_NO_MEMORY. After a failure the source may only be closed. */
hl_status hl_lines_next(hl_lines *lines, hl_line *line);

/* What has been dropped so far, to be reported once the source has been read. */
typedef struct hl_lines_notices {
    bool mark;    /* a byte order mark at the start */
    int64_t crlf; /* lines that ended with a carriage return and a newline */
} hl_lines_notices;

hl_lines_notices hl_lines_noticed(const hl_lines *lines);

/* The progress: how many bytes of the file have been read, and its size, both compressed if it is gzipped. *total is 0
 * for standard input. */
void hl_lines_progress(const hl_lines *lines, int64_t *done, int64_t *total);

/* Whether reading the next line may have to wait: true if standard input is not a file. */
bool hl_lines_may_wait(const hl_lines *lines);

/* The path with which it was opened, or "standard input" for "-". For messages. */
const char *hl_lines_name(const hl_lines *lines);

void hl_lines_close(hl_lines *lines); /* NULL is allowed */

/* For readers of records: HL_BAD_FILE "<path>:<line>: <what>", formatted as by printf. */
hl_status hl_lines_bad(const hl_lines *lines, int64_t line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Splits a row into columns at its tabs. Returns their number, at least 1, and writes the first `most` of them to
 * `columns`. */
int64_t hl_line_columns(hl_span row, hl_span *columns, int64_t most);

HL_END_DECLS
