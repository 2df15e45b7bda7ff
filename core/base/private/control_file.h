/* Reads the kernel's own files (/proc, /sys), whose reported size is 0 although they have content. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Reads up to size - 1 bytes of the file and adds a zero byte. "" and false if it cannot be read. size >= 1. */
bool hl_control_file_read(const char *path, char *content, size_t size);
