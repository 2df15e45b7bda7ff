/* How far long work is, for whoever waits. */
#pragma once

#include "core/base/status.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* A zeroed one but for `out` is at the beginning. */
typedef struct hl_waiting {
    FILE *out;        /* NULL: nothing is printed */
    bool line_open;   /* on a terminal, whose line renews itself */
    const char *what; /* is done since `began` */
    double began, told;
} hl_waiting;

/* Prints what is being done, and with done of total the time that is left: on a terminal in a line that renews itself
 * and is cleared when all is done, elsewhere in a line every ten seconds. If a program reads these lines, it sets
 * HEADLIGHT_PROGRESS and gets one every half second. A callback: `waiting` is an hl_waiting.
 * HL_FAILED if a signal came meanwhile (train/signals.h). */
hl_status hl_waiting_tell(void *waiting, const char *what, int64_t done, int64_t total);

/* Clears the line. */
void hl_waiting_end(hl_waiting *waiting);
