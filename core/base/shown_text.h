/* Makes text safe to show. Names of files, keys, values, tensors and tokens come from files and may hold any bytes. */
#pragma once

#include "core/base/declarations.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

HL_BEGIN_DECLS

/* One character as it is shown: the character itself, or its code. */
typedef struct hl_shown {
    char bytes[16]; /* UTF-8 */
    int columns;    /* the most columns it needs in a terminal */
} hl_shown;

/* Reads the first character of a UTF-8 text and returns the rest of the text; NULL at its end. A character that is
 * invisible or changes the text around it is shown as its code. Bytes that are not UTF-8 and control characters become
 * \x1b and the like. Characters that combine, have no width or change the direction of writing become \u{202e} and the
 * like. With `ascii`, every character outside ASCII becomes its code. */
const char *hl_shown_next(const char *text, bool ascii, hl_shown *shown);

/* Writes the text as hl_shown_next shows it (not limited to ASCII) into `size` bytes: as many whole characters as fit,
 * and a zero byte. Returns the bytes that the whole text needs, without the zero byte, as snprintf does. With size 0 it
 * only measures. A text that is already safe stays unchanged. */
size_t hl_shown_text(char *shown, size_t size, const char *text);

/* The same, but "..." replaces the last characters if the text does not fit, or if `cut` is set. `cut` means that the
 * end of the text is already missing, perhaps within a character. `size` is at least 4. */
void hl_shown_cut(char *shown, size_t size, const char *text, bool cut);

/* The same for a text formatted as by vprintf. A text of 2048 bytes or more counts as cut. */
__attribute__((format(printf, 3, 0))) void hl_shown_print(char *shown, size_t size, const char *format,
                                                          va_list arguments);

HL_END_DECLS
