/* The uncompressed bytes of a text: a plain file, a gzipped file, or standard input. */
#pragma once

#include "core/base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct hl_input hl_input;

/* As hl_lines_open. Nothing is read yet. */
hl_status hl_input_open(const char *path, hl_input **out);

/* Reads at most `count` bytes, and sets *n to how many; 0 at the end. HL_BAD_FILE as in hl_lines_next (a file that is
 * now shorter than when it was opened was cut; bytes that were appended are not read), HL_NO_MEMORY. */
hl_status hl_input_read(hl_input *input, void *bytes, size_t count, size_t *n);

/* As hl_lines_progress, hl_lines_may_wait and hl_lines_name. */
void hl_input_progress(const hl_input *input, int64_t *done, int64_t *total);
bool hl_input_may_wait(const hl_input *input);
const char *hl_input_name(const hl_input *input);

void hl_input_close(hl_input *input); /* NULL is allowed */
