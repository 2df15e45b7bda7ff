/* The state of a file when something was made from it, to notice later that the file has changed. */
#pragma once

#include "core/base/status.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct hl_source {
    int64_t size;                 /* bytes */
    int64_t seconds, nanoseconds; /* the time of the last change */
    uint32_t sample; /* CRC-32 of 16 blocks of 64 KiB, spread evenly from first to last; of the whole file if they
                        meet */
    uint32_t whole;  /* CRC-32 of the whole file; only hl_source_read_whole sets it */
} hl_source;

/* Receives how many of `total` bytes have been read. If it fails, the reading ends and the failure is passed on. */
typedef hl_status hl_source_progress(void *context, int64_t done, int64_t total);

/* Reads size, date and sampled blocks: at most 1 MiB. HL_BAD_FILE (missing, not a regular file, cut while it was read),
 * HL_NO_MEMORY. */
hl_status hl_source_look(const char *path, hl_source *source);

/* Sets source->whole by reading the file once. HL_BAD_FILE, also if its size is no longer source->size; HL_NO_MEMORY.
 * `progress` may be NULL. */
hl_status hl_source_read_whole(const char *path, hl_source_progress *progress, void *context, hl_source *source);

/* Sets *same: whether the file still holds what `then` describes. Another size or another sample means other content.
 * If both are the same but the date is not (a copy, a touch), or with `full`, the whole file is read and compared.
 * Fails as the two functions above. */
hl_status hl_source_compare(const char *path, const hl_source *then, bool full, hl_source_progress *progress,
                            void *context, bool *same);
