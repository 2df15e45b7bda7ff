/* Lines that a program prints for a person. */
#ifndef HL_PROGRAMS_PRINT_LINE_H
#define HL_PROGRAMS_PRINT_LINE_H

#include "core/status.h"
#include "train/problems.h"

#include <stdio.h>

/* Prints one line formatted as by printf, made safe to show (core/shown_text.h) and cut where it is longer than 2 KiB,
 * and a newline. Failing to print is left to ferror. */
void hl_print_line(FILE *to, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Prints all problems but the last, a line each, and frees them. Returns the status of what found them, with the last
 * one as its text where they made it HL_INVALID. */
hl_status hl_print_problems(FILE *to, hl_problems *problems, hl_status status);

#endif
