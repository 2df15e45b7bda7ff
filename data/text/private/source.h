/* What a file was like when something was made from it, so that one that has changed is noticed. */
#ifndef HL_DATA_TEXT_PRIVATE_SOURCE_H
#define HL_DATA_TEXT_PRIVATE_SOURCE_H

#include "core/base/status.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct hl_source {
    int64_t size;                 /* bytes */
    int64_t seconds, nanoseconds; /* when it was last changed */
    uint32_t sample; /* CRC-32 of 16 blocks of 64 KiB, spread evenly from first to last; of all where they meet */
    uint32_t whole;  /* CRC-32 of all of it; only hl_source_read_whole sets it */
} hl_source;

/* Is told how many of `total` bytes have been read; a failure that it returns ends the reading and is handed on. */
typedef hl_status hl_source_progress(void *context, int64_t done, int64_t total);

/* Looks at size, date and sampled blocks: at most 1 MiB is read. HL_BAD_FILE (missing, no regular file, cut while it
 * was read), HL_NO_MEMORY. */
hl_status hl_source_look(const char *path, hl_source *source);

/* Sets source->whole, reading the file once. HL_BAD_FILE, also where its size is no longer source->size; HL_NO_MEMORY.
 * `progress` may be NULL. */
hl_status hl_source_read_whole(const char *path, hl_source_progress *progress, void *context, hl_source *source);

/* Whether the file still holds what `then` describes; *same. Another size or another sample is another content. Where
 * both are the same but the date is not (a copy, a touch), or with `full`, all of it is read and compared. Fails as the
 * two functions above. */
hl_status hl_source_compare(const char *path, const hl_source *then, bool full, hl_source_progress *progress,
                            void *context, bool *same);

#endif
