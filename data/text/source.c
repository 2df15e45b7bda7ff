#include "data/text/private/source.h"

#include "core/base/memory.h"
#include "core/files/files.h"

#include <zlib.h>

enum { SAMPLES = 16, SAMPLE_BYTES = 1 << 16 };

/* Reads blocks of the open file: with `whole` all of them, into source->whole; otherwise the samples, after size and
 * date. */
static hl_status read_blocks(const char *path, int fd, bool whole, unsigned char *block, hl_source_progress *progress,
                             void *context, hl_source *source)
{
    struct stat info;
    if (hl_file_calls_get()->fstat(fd, &info) != 0) {
        return hl_file_system_error(path, "cannot read");
    }
    int64_t size = (int64_t)info.st_size, n = (size + SAMPLE_BYTES - 1) / SAMPLE_BYTES;
    if (!whole) {
        *source = (hl_source){ .size = size,
                               .seconds = (int64_t)info.st_mtim.tv_sec,
                               .nanoseconds = (int64_t)info.st_mtim.tv_nsec };
    } else if (size != source->size) {
        return hl_error(HL_BAD_FILE, "%s: changed while it was read", path);
    }
    bool spread = !whole && n > SAMPLES;
    uint32_t *crc = whole ? &source->whole : &source->sample;
    *crc = 0;
    for (int64_t i = 0; i < (spread ? SAMPLES : n); i++) {
        /* Of a large file: the first and the last block, and blocks at equal distances between them. */
        int64_t last = size - SAMPLE_BYTES;
        int64_t offset = !spread ? i * SAMPLE_BYTES : i == SAMPLES - 1 ? last : last / (SAMPLES - 1) * i;
        size_t count = size - offset < SAMPLE_BYTES ? (size_t)(size - offset) : SAMPLE_BYTES;
        HL_TRY(hl_file_read_at(fd, path, block, count, offset));
        *crc = (uint32_t)crc32_z(*crc, block, count);
        HL_TRY(progress != NULL ? progress(context, offset + (int64_t)count, size) : hl_ok());
    }
    return hl_ok();
}

static hl_status read_file(const char *path, bool whole, hl_source_progress *progress, void *context, hl_source *source)
{
    int fd;
    size_t size;
    unsigned char *block = hl_malloc(SAMPLE_BYTES);
    HL_NEED(block != NULL, path);
    hl_status status = hl_file_open_to_read(path, SIZE_MAX - 1, &fd, &size);
    if (status.code == HL_OK) {
        status = read_blocks(path, fd, whole, block, progress, context, source);
        hl_file_calls_get()->close(fd);
    }
    hl_free(block);
    return status;
}

hl_status hl_source_look(const char *path, hl_source *source)
{
    return read_file(path, false, NULL, NULL, source);
}

hl_status hl_source_read_whole(const char *path, hl_source_progress *progress, void *context, hl_source *source)
{
    return read_file(path, true, progress, context, source);
}

hl_status hl_source_compare(const char *path, const hl_source *then, bool full, hl_source_progress *progress,
                            void *context, bool *same)
{
    hl_source now;
    HL_TRY(hl_source_look(path, &now));
    bool same_date = now.seconds == then->seconds && now.nanoseconds == then->nanoseconds;
    *same = now.size == then->size && now.sample == then->sample;
    if (*same && (full || !same_date)) {
        HL_TRY(hl_source_read_whole(path, progress, context, &now));
        *same = now.whole == then->whole;
    }
    return hl_ok();
}
