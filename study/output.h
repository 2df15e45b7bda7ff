/* Where a program writes its results: to a file or to standard output. */
#pragma once

#include "core/base/declarations.h"
#include "core/base/status.h"
#include "core/base/text.h"

#include <stdbool.h>
#include <stdio.h>

HL_BEGIN_DECLS

/* Whether the path, which may be NULL, is "-". */
bool hl_output_is_standard(const char *path);

/* Writes the text to the file, or to `out` if the path is "-", and frees it. The text's own failure, HL_BAD_FILE,
 * HL_NO_MEMORY. */
hl_status hl_output_put(const char *path, hl_text *text, FILE *out);

/* A maker: adds a whole file to the text. `context` belongs to the caller. */
typedef hl_status hl_output_maker(void *context, hl_text *text);

/* Writes what `make` adds to the file, or to `out` if the path is "-". It is written piece by piece, so it is never
 * whole in memory. A file is replaced completely or not at all. The failure of `make`, HL_BAD_FILE, HL_NO_MEMORY. */
hl_status hl_output_write(const char *path, FILE *out, hl_output_maker *make, void *context);

/* The same for a file in a run's folder that another program may write, too: the programs take turns. */
hl_status hl_output_write_in_turn(const char *folder, const char *name, hl_output_maker *make, void *context);

HL_END_DECLS
