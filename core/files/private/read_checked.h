/* Reads and checks a large part of a file on several threads. For npz_read.c. */
#pragma once

#include "core/base/status.h"

#include <stddef.h>
#include <stdint.h>
#include <zlib.h>

/* As hl_file_read_at, and *crc continues over the bytes as with crc32. From 2 MiB on, each thread reads a part, because
 * the file is usually in the system's memory, and then copying and checking the bytes is the work. Also
 * HL_NO_MEMORY. */
hl_status hl_file_read_checked(int fd, const char *path, void *bytes, size_t count, int64_t offset, int threads,
                               uLong *crc);
