/* Text made safe to show: names of files, keys, values, tensors and tokens come from elsewhere and may hold anything. */
#ifndef HL_CORE_SHOWN_TEXT_H
#define HL_CORE_SHOWN_TEXT_H

#include "core/declarations.h"

#include <stdbool.h>
#include <stddef.h>

HL_BEGIN_DECLS

/* One character as it is shown: itself, or in words what it is. */
typedef struct hl_shown {
    char bytes[16]; /* UTF-8 */
    int columns;    /* it takes at most this many of a terminal */
} hl_shown;

/* Takes the first character off a text in UTF-8 and returns the rest of the text; NULL where there is none left. What
 * would not be seen or would change what stands around it is spelled out: a byte that is no UTF-8 and a control
 * character as \x1b, characters that combine, have no width or turn the direction of writing as \u{202e}. `ascii`: so
 * is all that is not ASCII. */
const char *hl_shown_next(const char *text, bool ascii, hl_shown *shown);

/* Writes all of the text so, not in ASCII alone, into `size` bytes: as many whole characters as there is room for, and
 * a zero byte. Returns the bytes that the whole needs, without the zero byte, like snprintf; with size 0 it only
 * measures. What is shown already stays as it is. */
size_t hl_shown_text(char *shown, size_t size, const char *text);

/* The same for a text that has to be cut: where it does not fit, or where `cut` says that its end is missing already,
 * which may have cut a character too, "..." takes the place of the last characters. `size` is at least 4. */
void hl_shown_cut(char *shown, size_t size, const char *text, bool cut);

HL_END_DECLS

#endif
