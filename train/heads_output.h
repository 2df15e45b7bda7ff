/* Where the program heads writes what it made: a file, or standard output. */
#ifndef HL_TRAIN_HEADS_OUTPUT_H
#define HL_TRAIN_HEADS_OUTPUT_H

#include "core/status.h"
#include "heads/text.h"

#include <stdbool.h>
#include <stdio.h>

/* Whether the path, which may be NULL, is "-". */
bool hl_heads_is_standard_output(const char *path);

/* Writes the text to the file, or to `out` where the path is "-". The text's own failure, HL_BAD_FILE, HL_NO_MEMORY. */
hl_status hl_heads_put(const char *path, const hl_text *text, FILE *out);

#endif
