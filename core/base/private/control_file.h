/* Reads the kernel's own files (/proc, /sys), whose size is given as 0 although they have content. */
#ifndef HL_CORE_BASE_PRIVATE_CONTROL_FILE_H
#define HL_CORE_BASE_PRIVATE_CONTROL_FILE_H

#include <stdbool.h>
#include <stddef.h>

/* Up to size - 1 bytes of the file and a zero after them; "" and false where it cannot be read. size >= 1. */
bool hl_control_file_read(const char *path, char *content, size_t size);

#endif
