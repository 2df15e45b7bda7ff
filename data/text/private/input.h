/* The uncompressed bytes of a text: a plain file, a gzipped file, or standard input. */
#pragma once

#include "core/base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <zlib.h>

enum { HL_INPUT_CHUNK = 1 << 16 };

/* A zeroed one is closed. */
typedef struct hl_input {
    char *name; /* the path, or "standard input" */
    int fd;
    bool is_stdin;
    int64_t size, done; /* bytes of the file: when it was opened (0 for standard input), and read so far */
    enum { HL_INPUT_UNKNOWN, HL_INPUT_PLAIN, HL_INPUT_GZIPPED } kind;
    unsigned char chunk[HL_INPUT_CHUNK]; /* read but not yet used: n_chunk bytes from `at` on */
    size_t at, n_chunk;
    z_stream gzip;
    bool in_member; /* within a gzip member: the data may not end here */
} hl_input;

/* Opens a zeroed input. Fails as hl_lines_open; it is then closed. Nothing is read yet. */
hl_status hl_input_open(hl_input *input, const char *path);

/* Reads at most `count` bytes, and sets *n to how many; 0 at the end. HL_BAD_FILE as in hl_lines_next (a file that is
 * now shorter than when it was opened was cut; bytes that were appended are not read), HL_NO_MEMORY. */
hl_status hl_input_read(hl_input *input, void *bytes, size_t count, size_t *n);

void hl_input_close(hl_input *input); /* a closed one is allowed */
