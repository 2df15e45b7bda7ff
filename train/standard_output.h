/* What a program leaves in the buffer of its standard output is written at its end. */
#ifndef HL_TRAIN_STANDARD_OUTPUT_H
#define HL_TRAIN_STANDARD_OUTPUT_H

#include "core/status.h"

#include <stdio.h>

/* HL_BAD_FILE where something of what was printed has not been written; of what failed before this call the reason is
 * not known any more. */
hl_status hl_standard_output_flush(FILE *out);

#endif
