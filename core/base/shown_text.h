/* Makes text safe to show: names of files, keys, values, tensors and tokens come from files and may hold any bytes. */
#ifndef HL_CORE_BASE_SHOWN_TEXT_H
#define HL_CORE_BASE_SHOWN_TEXT_H

#include "core/base/declarations.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

HL_BEGIN_DECLS

/* One character as it is shown: itself, or its code spelled out. */
typedef struct hl_shown {
    char bytes[16]; /* UTF-8 */
    int columns;    /* of a terminal, at most */
} hl_shown;

/* Reads the first character of a text in UTF-8 and returns the rest of the text; NULL at its end. A character that is
 * invisible or changes the text around it is spelled out: a byte that is no UTF-8 and a control character as \x1b;
 * characters that combine, have no width or turn the direction of writing as \u{202e}. With `ascii` every character
 * outside ASCII is. */
const char *hl_shown_next(const char *text, bool ascii, hl_shown *shown);

/* Writes the text as hl_shown_next shows it (not limited to ASCII) into `size` bytes: as many whole characters as fit,
 * and a zero byte. Returns the bytes that the whole text needs, without the zero byte, like snprintf; with size 0 it
 * only measures. A text that is safe already stays unchanged. */
size_t hl_shown_text(char *shown, size_t size, const char *text);

/* The same with "..." in place of the last characters where the text does not fit, or where `cut` says that its end,
 * perhaps within a character, is missing already. `size` is at least 4. */
void hl_shown_cut(char *shown, size_t size, const char *text, bool cut);

/* The same of a text that is formatted as by vprintf; of one of 2048 bytes or more the end is missing. */
__attribute__((format(printf, 3, 0))) void hl_shown_print(char *shown, size_t size, const char *format,
                                                          va_list arguments);

HL_END_DECLS

#endif
