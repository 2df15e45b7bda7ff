/* Lines that a program prints for a person. */
#ifndef HL_PROGRAMS_PRINT_LINE_H
#define HL_PROGRAMS_PRINT_LINE_H

#include <stdio.h>

/* Prints one line formatted as by printf, made safe to show (core/shown_text.h) and cut where it is longer than 2 KiB,
 * and a newline. Failing to print is left to ferror. */
void hl_print_line(FILE *to, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
