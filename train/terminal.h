/* What the terminal that a program prints to can show. */
#ifndef HL_TRAIN_TERMINAL_H
#define HL_TRAIN_TERMINAL_H

#include "core/base/declarations.h"
#include "show/terminal_map.h"

#include <stdbool.h>
#include <stdio.h>

HL_BEGIN_DECLS

/* Columns as the system or COLUMNS tells, at least HL_TERMINAL_LEAST_WIDTH, else 80; any height. Colours only where
 * `to` is a terminal and NO_COLOR is not set: 24 bits where COLORTERM says so, 256 where TERM does. ASCII where the
 * locale's variables name another character set than UTF-8. */
hl_terminal hl_terminal_of(FILE *to);

/* Whether `to` is a terminal in which lines can be drawn anew: not where TERM is empty or "dumb" (no escapes). */
bool hl_terminal_renews(FILE *to);

/* The lines of the terminal; 0 where `to` is none or does not tell. */
int hl_terminal_height(FILE *to);

HL_END_DECLS

#endif
