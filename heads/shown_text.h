/* Token texts made safe to show: they come from files and may hold anything. */
#ifndef HL_HEADS_SHOWN_TEXT_H
#define HL_HEADS_SHOWN_TEXT_H

#include <stdbool.h>

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

#endif
