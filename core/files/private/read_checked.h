/* Reading and checking a large part of a file on several threads; for npz_read.c. */
#ifndef HL_CORE_FILES_PRIVATE_READ_CHECKED_H
#define HL_CORE_FILES_PRIVATE_READ_CHECKED_H

#include "core/base/status.h"

#include <stddef.h>
#include <stdint.h>
#include <zlib.h>

/* As hl_file_read_at, and *crc goes on over the bytes as crc32 does. From 2 MiB on each thread reads some of them: they
 * are in the system's memory more often than not, and copying and checking them is work. HL_NO_MEMORY, too. */
hl_status hl_file_read_checked(int fd, const char *path, void *bytes, size_t count, int64_t offset, int threads,
                               uLong *crc);

#endif
