/* The input of a fuzzer in place of a file, for code that takes a path. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* From now on every path but checkpoint.safetensors is there and holds these bytes, which must stand, and no path is a
 * folder; nothing on disk is touched. A file that is written is kept in memory (at most 1 MiB of it) and, once renamed,
 * takes their place. */
void input_file_set(const uint8_t *data, size_t size);

/* The same for the paths that end so; all others are the disk's. Of one such file at a time. */
void input_file_set_one(const char *ending, const uint8_t *data, size_t size);

/* The bytes that paths hold now. They stand until the next file is renamed. */
const uint8_t *input_file_bytes(size_t *size);
