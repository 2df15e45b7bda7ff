/* What a program's terminal can show. */
#pragma once

#include "core/base/declarations.h"
#include "show/terminal_map.h"

#include <stdbool.h>
#include <stdio.h>

HL_BEGIN_DECLS

/* Columns from the system or COLUMNS, at least HL_TERMINAL_LEAST_WIDTH; 80 if neither states them. Any height. Colours
 * only if `to` is a terminal and NO_COLOR is not set: 24 bits if COLORTERM says so, 256 colours if TERM does. ASCII if
 * the locale's variables name a character set other than UTF-8. */
hl_terminal hl_terminal_of(FILE *to);

/* Whether `to` is a terminal in which lines can be updated in place. False if TERM is empty or "dumb" (no escapes). */
bool hl_terminal_renews(FILE *to);

/* The number of lines in the terminal; 0 if `to` is not a terminal or does not report it. */
int hl_terminal_height(FILE *to);

HL_END_DECLS
