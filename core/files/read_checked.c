#include "core/files/private/read_checked.h"

#include "core/base/memory.h"
#include "core/base/threads.h"
#include "core/files/files.h"

/* The part that one thread reads. */
typedef struct piece {
    size_t size;
    uLong crc;
    hl_status status;
} piece;

typedef struct reading {
    int fd;
    const char *path;
    Bytef *bytes;
    int64_t offset;
    piece *pieces; /* one per thread; all 0 for threads without work */
} reading;

static void read_piece(const void *context, hl_range range)
{
    const reading *r = context;
    Bytef *bytes = r->bytes + range.begin;
    piece *of = &r->pieces[range.thread];
    of->size = (size_t)(range.end - range.begin);
    of->status = hl_file_read_at(r->fd, r->path, bytes, of->size, r->offset + range.begin);
    of->crc = of->status.code == HL_OK ? crc32_z(0, bytes, of->size) : 0;
}

hl_status hl_file_read_checked(int fd, const char *path, void *bytes, size_t count, int64_t offset, int threads,
                               uLong *crc)
{
    enum { LEAST = 1 << 20 };
    threads = threads < HL_MAX_THREADS ? threads : HL_MAX_THREADS;
    if (threads < 2 || count < 2 * LEAST) {
        HL_TRY(hl_file_read_at(fd, path, bytes, count, offset));
        *crc = crc32_z(*crc, bytes, count);
        return hl_ok();
    }
    const reading r = {
        .fd = fd, .path = path, .bytes = bytes, .offset = offset, .pieces = hl_calloc((size_t)threads, sizeof(piece))
    };
    HL_NEED(r.pieces != NULL, path);
    hl_threads_run(threads, (int64_t)count, LEAST, read_piece, &r);
    hl_status status = hl_ok();
    for (int i = 0; i < threads && status.code == HL_OK; i++) {
        *crc = crc32_combine(*crc, r.pieces[i].crc, (z_off_t)r.pieces[i].size);
        status = r.pieces[i].status;
    }
    hl_free(r.pieces);
    return status;
}
