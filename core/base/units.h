/* Numbers in the form that people read. */
#pragma once

#include "core/base/declarations.h"

#include <stddef.h>
#include <stdint.h>

HL_BEGIN_DECLS

enum { HL_UNITS_TEXT = 32 };

/* Each function writes into `text` and returns it. None can fail. */

/* Such as "0.0014", with `decimals` decimals (at most 9); "2.41e+14" from a million on; "-" if it is not finite. */
const char *hl_units_number(double number, int decimals, char text[HL_UNITS_TEXT]);

/* For other programs: nine significant digits, or "" if the number is not finite. */
const char *hl_units_field(double number, char text[HL_UNITS_TEXT]);

/* Such as "18,914,304"; any number. */
const char *hl_units_count(int64_t number, char text[HL_UNITS_TEXT]);

/* The same, in a text that lives until the end of the enclosing block. */
#define HL_COUNT(number) hl_units_count(number, (char[HL_UNITS_TEXT]){ "" })

/* Such as "1.5 MiB", in powers of 1024; whole "bytes" below 1 KiB. */
const char *hl_units_bytes(size_t bytes, char text[HL_UNITS_TEXT]);

/* Such as "1.53 GFLOP", in powers of 1000; flops >= 0. */
const char *hl_units_flops(double flops, char text[HL_UNITS_TEXT]);

/* Such as "12 s", "3 min 05 s", "2 h 07 min", "5 d 03 h"; seconds >= 0. */
const char *hl_units_duration(double seconds, char text[HL_UNITS_TEXT]);

/* An estimate that follows the word "about": "a minute" (or less), "20 minutes", "5 months", "13 years"; seconds >=
 * 0. */
const char *hl_units_roughly(double seconds, char text[HL_UNITS_TEXT]);

HL_END_DECLS
