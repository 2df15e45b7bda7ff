/* Text to a stream. */
#ifndef HL_PROGRAMS_BENCH_PRINT_H
#define HL_PROGRAMS_BENCH_PRINT_H

#include "core/text.h"

#include <stdio.h>

/* Prints the text, unless it has failed, flushes the stream, and frees the text. Returns the text's failure; the caller
 * asks at the end whether the stream could be written. */
hl_status hl_bench_print(FILE *to, hl_text *text);

#endif
