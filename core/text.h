/* Text that grows as it is written: what this folder returns where a program would print. */
#ifndef HL_CORE_TEXT_H
#define HL_CORE_TEXT_H

#include "core/declarations.h"
#include "core/status.h"

#include <stddef.h>

HL_BEGIN_DECLS

/* Takes what has been written so far; `context` is the caller's own. What it returns is left on the text. */
typedef hl_status hl_text_drain(void *context, const char *bytes, size_t size);

/* A zeroed one is empty. Owned by the caller: hl_text_free, which one that has failed needs no more. */
typedef struct hl_text {
    char *bytes; /* `size` bytes and a zero byte; NULL while empty */
    size_t size, capacity;
    hl_status error; /* sticky: a failure frees the bytes, and after it nothing is added */

    hl_text_drain *drain; /* set by the caller: where the text goes piece by piece, so that it is never whole in memory;
                             NULL: it stays */
    void *context;        /* for the drain */
} hl_text;

/* Adds text formatted as by printf. HL_NO_MEMORY is left on the text. */
void hl_text_print(hl_text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Adds `count` bytes of any kind, zero bytes too. HL_NO_MEMORY is left on the text. */
void hl_text_add(hl_text *text, const void *bytes, size_t count);

/* Adds a text from elsewhere as it is shown (core/shown_text.h). HL_NO_MEMORY is left on the text. */
void hl_text_shown(hl_text *text, const char *bytes);

/* Adds a paragraph formatted as by printf, made safe to show as above: words parted by one space or, so that no line is longer than `width` bytes,
 * a newline; and a newline. A longer word has a line of its own. HL_NO_MEMORY is left on the text. */
void hl_text_paragraph(hl_text *text, int width, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Hands over what a drain has not been given yet; without one does nothing. The drain's failure is left on the text. */
void hl_text_flush(hl_text *text);

/* Makes `error` the text's failure, unless it has failed before: for what goes wrong while it is made. */
void hl_text_fail(hl_text *text, hl_status error);

/* HL_OK, or the first failure. */
hl_status hl_text_status(const hl_text *text);

/* Frees the bytes and empties the text. */
void hl_text_free(hl_text *text);

HL_END_DECLS

#endif
