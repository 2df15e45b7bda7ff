/* How a program ends: it writes what is left in its standard output's buffer, and tells what went wrong. */
#pragma once

#include "core/base/status.h"

#include <stdbool.h>
#include <stdio.h>

/* Prints the text of a failure to `err` and returns the exit code: that of the status; where all went well but `out`
 * has lost something of what was printed, HL_BAD_FILE and a line. Of what failed before this call the reason is not
 * known any more. A pipe whose reader has gone is no failure that needs telling: where the output is all that was asked
 * for, the exit code is that of a program which SIGPIPE ended, without a line. `outlives`: files were asked for, which
 * are complete; then a reader that has gone, and an output that was closed from the beginning, count as read. */
int hl_standard_output_end(hl_status status, bool outlives, FILE *out, FILE *err);
