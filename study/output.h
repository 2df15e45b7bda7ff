/* Where a program writes what it made: a file, or standard output. */
#ifndef HL_STUDY_OUTPUT_H
#define HL_STUDY_OUTPUT_H

#include "core/base/declarations.h"
#include "core/base/status.h"
#include "core/base/text.h"

#include <stdbool.h>
#include <stdio.h>

HL_BEGIN_DECLS

/* Whether the path, which may be NULL, is "-". */
bool hl_output_is_standard(const char *path);

/* Writes the text to the file, to `out` for "-", and frees it. The text's own failure, HL_BAD_FILE, HL_NO_MEMORY. */
hl_status hl_output_put(const char *path, hl_text *text, FILE *out);

/* Adds a whole file to the text, which fails as this does or as the text does; `context` is the caller's own. */
typedef hl_status hl_output_maker(void *context, hl_text *text);

/* Writes what `make` adds to the file, or to `out` where the path is "-", piece by piece, so that it is never whole in
 * memory; a file is replaced as a whole or not at all. What `make` failed with, HL_BAD_FILE, HL_NO_MEMORY. */
hl_status hl_output_write(const char *path, FILE *out, hl_output_maker *make, void *context);

/* The same of a file in a run's folder, which another program may write as well: they take turns. */
hl_status hl_output_write_in_turn(const char *folder, const char *name, hl_output_maker *make, void *context);

HL_END_DECLS

#endif
