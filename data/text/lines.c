#include "data/text/lines.h"

#include "core/base/memory.h"
#include "core/base/private/utf8.h"
#include "data/text/private/input.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { FIRST_CAPACITY = 1 << 16 };

struct hl_lines {
    hl_input input;
    size_t limit;
    char *buffer; /* holds the bytes that are read but not yet returned, from `begin` on */
    size_t begin, end, capacity;
    size_t searched; /* bytes from `begin` on that contain no newline */
    bool at_end;     /* the input has no more */
    bool keeps;      /* what was returned stays in the buffer, for hl_lines_rewind */
    bool in_parts;   /* longer lines are returned in parts; within a line: how many of its characters were returned */
    bool in_line;
    int64_t before;
    int64_t number, offset;
    hl_lines_notices notices;
};

hl_status hl_lines_open(const char *path, size_t limit, hl_lines **out)
{
    *out = NULL;
    hl_lines *lines = hl_calloc(1, sizeof *lines);
    HL_NEED(lines != NULL, path);
    lines->limit = limit;
    lines->capacity = FIRST_CAPACITY;
    lines->buffer = hl_malloc(lines->capacity);
    hl_status status = lines->buffer != NULL ? hl_input_open(&lines->input, path) : hl_error_memory(path);
    if (status.code != HL_OK) {
        hl_lines_close(lines);
        return status;
    }
    *out = lines;
    return status;
}

void hl_lines_in_parts(hl_lines *lines)
{
    lines->in_parts = true;
}

void hl_lines_keep(hl_lines *lines)
{
    lines->keeps = true;
}

void hl_lines_rewind(hl_lines *lines)
{
    lines->keeps = lines->in_line = false;
    lines->begin = lines->searched = 0;
    lines->number = lines->offset = lines->before = 0;
    lines->notices = (hl_lines_notices){ 0 };
}

/* Makes room after the remaining bytes, and reads some more of the input. */
static hl_status fill(hl_lines *lines)
{
    if (lines->begin > 0 && !lines->keeps) {
        memmove(lines->buffer, lines->buffer + lines->begin, lines->end - lines->begin);
        lines->end -= lines->begin;
        lines->begin = 0;
    }
    if (lines->end == lines->capacity) {
        char *buffer = hl_realloc(lines->buffer, lines->capacity, 2);
        HL_NEED(buffer != NULL, lines->input.name);
        lines->buffer = buffer;
        lines->capacity *= 2;
    }
    size_t n;
    HL_TRY(hl_input_read(&lines->input, lines->buffer + lines->end, lines->capacity - lines->end, &n));
    lines->end += n;
    lines->at_end = n == 0;
    return hl_ok();
}

/* How many bytes of a line longer than `limit` are returned next: up to its last blank after a word, otherwise up to
 * the end of a character. */
static size_t part_size(const char *text, size_t limit)
{
    enum { MOST_CONTINUING = 3 };
    for (size_t at = limit; at > 0; at--) {
        bool blank = text[at] == ' ' || text[at] == '\t', after_blank = text[at - 1] == ' ' || text[at - 1] == '\t';
        if (blank && !after_blank) {
            return at;
        }
    }
    size_t at = limit;
    while (at > limit - MOST_CONTINUING && ((unsigned char)text[at] & 0xc0) == 0x80) {
        at--;
    }
    return at;
}

/* The number of bytes in the next line, including its newline if it has one; 0 if there is no line. */
static hl_status next_size(hl_lines *lines, size_t *size)
{
    static const size_t around = sizeof "\xef\xbb\xbf\r\n" - 1; /* bytes that do not count as part of the line */
    for (;;) {
        size_t left = lines->end - lines->begin;
        const char *from = lines->buffer + lines->begin;
        const char *newline =
            left > lines->searched ? memchr(from + lines->searched, '\n', left - lines->searched) : NULL;
        bool is_long = left > lines->limit + around;
        if (newline != NULL || lines->at_end || is_long) { /* hl_lines_next refuses a long one, or */
            *size = newline != NULL ? (size_t)(newline - from) + 1 : left;
            size_t end = newline != NULL ? 1 + (newline > from && newline[-1] == '\r') : 0;
            *size = lines->in_parts && *size - end > lines->limit ? part_size(from, lines->limit) : *size;
            return hl_ok();
        }
        lines->searched = left;
        HL_TRY(fill(lines));
    }
}

static size_t skip_ascii(const char *text, size_t size, size_t at)
{
    for (uint64_t eight; at + sizeof eight <= size; at += sizeof eight) {
        memcpy(&eight, text + at, sizeof eight);
        if ((eight & UINT64_C(0x8080808080808080)) != 0) {
            break;
        }
    }
    return at;
}

/* The column in its line. It counts the characters before; each begins with a byte that does not continue one. */
static int64_t column_at(const hl_lines *lines, const char *text, size_t at)
{
    int64_t column = lines->before + 1;
    for (size_t i = 0; i < at; i++) {
        column += ((unsigned char)text[i] & 0xc0) != 0x80;
    }
    return column;
}

static hl_status check(const hl_lines *lines, const char *text, size_t size)
{
    const char *name = lines->input.name;
    long long number = lines->number;
    if (size > lines->limit) {
        return hl_error(HL_BAD_FILE, "%s:%lld: is longer than %zu bytes", name, number, lines->limit);
    }
    for (size_t i = skip_ascii(text, size, 0), length; i < size; i = skip_ascii(text, size, i + length)) {
        length = hl_utf8_decode(text + i, size - i, NULL);
        if (length == 0) {
            return hl_error(HL_BAD_FILE, "%s:%lld:%lld: is not UTF-8 (byte 0x%02x)", name, number,
                            (long long)column_at(lines, text, i), (unsigned char)text[i]);
        }
    }
    const char *nul = size > 0 ? memchr(text, '\0', size) : NULL;
    return nul == NULL ? hl_ok()
                       : hl_error(HL_BAD_FILE, "%s:%lld: holds a NUL byte (column %lld)", name, number,
                                  (long long)column_at(lines, text, (size_t)(nul - text)));
}

hl_status hl_lines_next(hl_lines *lines, hl_line *line)
{
    static const char mark[] = "\xef\xbb\xbf";
    static const size_t mark_size = sizeof mark - 1;
    *line = (hl_line){ .text = NULL };
    size_t size;
    HL_TRY(next_size(lines, &size));
    const char *text = lines->buffer + lines->begin;
    lines->number += !lines->in_line;
    if (lines->number == 1 && !lines->in_line && size >= mark_size && memcmp(text, mark, mark_size) == 0) {
        lines->notices.mark = true;
        lines->offset = (int64_t)mark_size;
        lines->begin += mark_size;
        text += mark_size;
        size -= mark_size;
    }
    if (size == 0) {
        return hl_ok();
    }
    bool newline = text[size - 1] == '\n', crlf = newline && size > 1 && text[size - 2] == '\r';
    size_t shown = size - newline - crlf;
    HL_TRY(check(lines, text, shown));
    *line = (hl_line){
        .text = text, .size = shown, .number = lines->number, .offset = lines->offset, .newline = newline, .crlf = crlf
    };
    lines->notices.crlf += crlf;
    lines->begin += size;
    lines->in_line = !newline && lines->begin < lines->end;
    lines->before = lines->in_line ? column_at(lines, text, size) - 1 : 0;
    lines->offset += (int64_t)size;
    lines->searched = 0;
    return hl_ok();
}

const char *hl_line_end(const hl_line *line)
{
    return line->crlf ? "\r\n" : line->newline ? "\n" : "";
}

hl_lines_notices hl_lines_noticed(const hl_lines *lines)
{
    return lines->notices;
}

void hl_lines_progress(const hl_lines *lines, int64_t *done, int64_t *total)
{
    *done = lines->input.done - (int64_t)lines->input.n_chunk;
    *total = lines->input.size;
}

bool hl_lines_may_wait(const hl_lines *lines)
{
    struct stat info;
    return lines->input.is_stdin && (fstat(lines->input.fd, &info) != 0 || !S_ISREG(info.st_mode));
}

const char *hl_lines_name(const hl_lines *lines)
{
    return lines->input.name;
}

hl_status hl_lines_bad(const hl_lines *lines, int64_t line, const char *format, ...)
{
    char what[HL_STATUS_TEXT];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    return hl_error(HL_BAD_FILE, "%s:%lld: %s", hl_lines_name(lines), (long long)line, what);
}

int64_t hl_line_columns(hl_span row, hl_span *columns, int64_t most)
{
    const char *at = row.text, *end = at + row.size, *tab = at;
    int64_t n = 0;
    for (; tab != NULL; n++) {
        tab = at < end ? memchr(at, '\t', (size_t)(end - at)) : NULL;
        if (n < most) {
            columns[n] = (hl_span){ at, (size_t)((tab != NULL ? tab : end) - at) };
        }
        at = tab != NULL ? tab + 1 : end;
    }
    return n;
}

void hl_lines_close(hl_lines *lines)
{
    if (lines != NULL) {
        hl_input_close(&lines->input);
        hl_free(lines->buffer);
        hl_free(lines);
    }
}
