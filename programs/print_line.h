/* What a program prints for a person. */
#pragma once

#include "core/base/text.h"

#include <stdio.h>

/* Prints one line formatted as by printf, made safe to show (core/base/shown_text.h) and cut where it is longer than 2
 * KiB, and a newline. Failing to print is left to ferror. */
void hl_print_line(FILE *to, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Prints lines of text. On a terminal none is wider than it: a longer one is cut at blanks, and goes on below the text
 * after its name, where that stands to the left of two or more blanks ("  --out DIR   the folder"), else below its own
 * beginning. What stands in single quotes is a command to copy, and stays whole. `width`: that of the lines where `to`
 * is no terminal; 0: they stay as they are. */
void hl_print_wrapped(FILE *to, const char *text, int width);

/* Prints the text as it is, unless it has failed, flushes the stream, and frees the text. NULL: prints it nowhere.
 * Returns the text's failure; failing to print is left to ferror. */
hl_status hl_print_text(FILE *to, hl_text *text);
