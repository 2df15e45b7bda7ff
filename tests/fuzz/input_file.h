/* The input of a fuzzer in place of a file, for readers that take a path. */
#ifndef HL_TESTS_FUZZ_INPUT_FILE_H
#define HL_TESTS_FUZZ_INPUT_FILE_H

#include <stddef.h>
#include <stdint.h>

/* From now on whatever path the library opens for reading holds these bytes, which must stand; nothing on disk is
 * touched. Not for code that writes files. */
void input_file_set(const uint8_t *data, size_t size);

#endif
