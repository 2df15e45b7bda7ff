/* Text that grows as it is written. The library writes to one where a program would print. */
#ifndef HL_CORE_BASE_TEXT_H
#define HL_CORE_BASE_TEXT_H

#include "core/base/declarations.h"
#include "core/base/status.h"

#include <stdarg.h>
#include <stddef.h>

HL_BEGIN_DECLS

/* Receives what has been written so far; `context` is the caller's own. A failure it returns is left on the text. */
typedef hl_status hl_text_drain(void *context, const char *bytes, size_t size);

/* A zeroed text is empty. Owned by the caller: hl_text_free; a text that has failed needs no freeing. */
typedef struct hl_text {
    char *bytes; /* `size` bytes and a zero byte; NULL while empty */
    size_t size, capacity;
    hl_status error; /* sticky: a failure frees the bytes, and after it nothing is added */

    hl_text_drain *drain; /* set by the caller: receives the text piece by piece, so that it is never whole in memory;
                             NULL: the text stays in `bytes` */
    void *context;        /* for the drain */
} hl_text;

/* Adds text formatted as by printf, and by vprintf. HL_NO_MEMORY is left on the text. */
void hl_text_print(hl_text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
void hl_text_vprint(hl_text *text, const char *format, va_list arguments) __attribute__((format(printf, 2, 0)));

/* Adds `count` bytes of any kind, zero bytes too. HL_NO_MEMORY is left on the text. */
void hl_text_add(hl_text *text, const void *bytes, size_t count);

/* Adds a text made safe to show (core/base/shown_text.h). HL_NO_MEMORY is left on the text. */
void hl_text_shown(hl_text *text, const char *bytes);

/* Adds a paragraph formatted as by printf, made safe to show, and a newline. Its words are separated by one space or,
 * so that no line is longer than `width` bytes, by a newline; a longer word has a line of its own. HL_NO_MEMORY is left
 * on the text. */
void hl_text_paragraph(hl_text *text, int width, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* HL_BAD_FILE where the comments that `text`, the content of `path`, begins with have a line "# Format: <n>" with n
 * above `newest`. Without such a line a text is of format 1. */
hl_status hl_text_check_format(const char *path, const char *text, int newest);

/* Gives the drain what it has not received yet; without a drain does nothing. The drain's failure is left on the
 * text. */
void hl_text_flush(hl_text *text);

/* Makes `error` the text's failure unless it has failed before. For failures while its content is made. */
void hl_text_fail(hl_text *text, hl_status error);

/* The bytes of a text that becomes a part of this one; "" where it is empty. Its failure becomes the text's. */
const char *hl_text_part(hl_text *text, const hl_text *part);

/* HL_OK, or the first failure. */
hl_status hl_text_status(const hl_text *text);

/* Frees the bytes and empties the text. */
void hl_text_free(hl_text *text);

HL_END_DECLS

#endif
