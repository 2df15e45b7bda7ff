/* Text that grows as it is written. The library writes to such a text where a program would print. */
#pragma once

#include "core/base/declarations.h"
#include "core/base/status.h"

#include <stdarg.h>
#include <stddef.h>

HL_BEGIN_DECLS

/* Receives what has been written so far; `context` belongs to the caller. If it fails, the failure is left on the
 * text. */
typedef hl_status hl_text_drain(void *context, const char *bytes, size_t size);

/* A zeroed text is empty. Owned by the caller: hl_text_free. A text that has failed needs no freeing. */
typedef struct hl_text {
    char *bytes; /* `size` bytes and a zero byte; NULL if empty */
    size_t size, capacity;
    hl_status error; /* sticky: a failure frees the bytes, and nothing is added after it */

    hl_text_drain *drain; /* set by the caller: receives the text piece by piece, so that memory never holds the whole
                             text; NULL: the text stays in `bytes` */
    void *context;        /* for the drain */
} hl_text;

/* Adds text, formatted as by printf or vprintf. HL_NO_MEMORY is left on the text. */
void hl_text_print(hl_text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
void hl_text_vprint(hl_text *text, const char *format, va_list arguments) __attribute__((format(printf, 2, 0)));

/* Adds `count` bytes of any kind, including zero bytes. HL_NO_MEMORY is left on the text. */
void hl_text_add(hl_text *text, const void *bytes, size_t count);

/* Adds a text, made safe to show (core/base/shown_text.h). HL_NO_MEMORY is left on the text. */
void hl_text_shown(hl_text *text, const char *bytes);

/* Adds a paragraph and a newline. The paragraph is formatted as by printf and made safe to show. A space separates its
 * words, or a newline so that no line is longer than `width` bytes. A longer word gets its own line. HL_NO_MEMORY is
 * left on the text. */
void hl_text_paragraph(hl_text *text, int width, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Checks the format number of `text`, the content of `path`: a line "# Format: <n>" in the comments at its beginning.
 * HL_BAD_FILE if n is above `newest`. A text without such a line has format 1. */
hl_status hl_text_check_format(const char *path, const char *text, int newest);

/* Passes to the drain what it has not received yet. Without a drain, it does nothing. A failure of the drain is left on
 * the text. */
void hl_text_flush(hl_text *text);

/* Makes `error` the text's failure, unless it has already failed. For failures while its content is made. */
void hl_text_fail(hl_text *text, hl_status error);

/* The bytes of a text that becomes a part of this one; "" if it is empty. If `part` has failed, `text` fails too. */
const char *hl_text_part(hl_text *text, const hl_text *part);

/* HL_OK, or the first failure. */
hl_status hl_text_status(const hl_text *text);

/* Frees the bytes and empties the text. */
void hl_text_free(hl_text *text);

HL_END_DECLS
