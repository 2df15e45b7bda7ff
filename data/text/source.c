#include "data/text/private/source.h"

#include "core/base/memory.h"
#include "core/files/files.h"

#include <zlib.h>

enum { SAMPLES = 16, SAMPLE_BYTES = 1 << 16 };

/* Opens the file, allocates memory for a block, and reads its size and date. */
static hl_status open_source(const char *path, int *fd, unsigned char **block, hl_source *source)
{
    size_t size;
    struct stat info;
    *block = hl_malloc(SAMPLE_BYTES);
    hl_status status = *block != NULL ? hl_file_open_to_read(path, SIZE_MAX - 1, fd, &size) : hl_error_memory(path);
    if (status.code == HL_OK && hl_file_calls_get()->fstat(*fd, &info) != 0) {
        status = hl_file_system_error(path, "cannot read");
        hl_file_calls_get()->close(*fd);
    }
    if (status.code != HL_OK) {
        hl_free(*block);
        return status;
    }
    *source = (hl_source){ .size = (int64_t)info.st_size,
                           .seconds = (int64_t)info.st_mtim.tv_sec,
                           .nanoseconds = (int64_t)info.st_mtim.tv_nsec };
    return status;
}

static void close_source(int fd, unsigned char *block)
{
    hl_file_calls_get()->close(fd);
    hl_free(block);
}

/* Continues *crc with the bytes from `offset` on, at most one block. */
static hl_status add_block(int fd, const char *path, int64_t offset, int64_t size, unsigned char *block, uint32_t *crc)
{
    size_t count = size - offset < SAMPLE_BYTES ? (size_t)(size - offset) : SAMPLE_BYTES;
    HL_TRY(hl_file_read_at(fd, path, block, count, offset));
    *crc = (uint32_t)crc32_z(*crc, block, count);
    return hl_ok();
}

hl_status hl_source_look(const char *path, hl_source *source)
{
    int fd;
    unsigned char *block;
    HL_TRY(open_source(path, &fd, &block, source));
    hl_status status = hl_ok();
    bool all = source->size <= (int64_t)SAMPLES * SAMPLE_BYTES;
    for (int64_t i = 0; i < SAMPLES && status.code == HL_OK; i++) {
        /* For a large file: the first and the last block, and blocks at equal distances between them. */
        int64_t offset = all ? i * SAMPLE_BYTES : (source->size - SAMPLE_BYTES) / (SAMPLES - 1) * i;
        offset = !all && i == SAMPLES - 1 ? source->size - SAMPLE_BYTES : offset;
        if (offset < source->size) {
            status = add_block(fd, path, offset, source->size, block, &source->sample);
        }
    }
    close_source(fd, block);
    return status;
}

hl_status hl_source_read_whole(const char *path, hl_source_progress *progress, void *context, hl_source *source)
{
    int fd;
    unsigned char *block;
    hl_source now;
    HL_TRY(open_source(path, &fd, &block, &now));
    hl_status status =
        now.size == source->size ? hl_ok() : hl_error(HL_BAD_FILE, "%s: changed while it was read", path);
    source->whole = 0;
    for (int64_t offset = 0; offset < now.size && status.code == HL_OK; offset += SAMPLE_BYTES) {
        status = add_block(fd, path, offset, now.size, block, &source->whole);
        if (status.code == HL_OK && progress != NULL) {
            status = progress(context, offset + SAMPLE_BYTES < now.size ? offset + SAMPLE_BYTES : now.size, now.size);
        }
    }
    close_source(fd, block);
    return status;
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
