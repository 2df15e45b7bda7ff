#include "show/private/packed.h"

#include "core/base/memory.h"
#include "core/base/threads.h"

#include <limits.h>

/* Level 6 saves half a percent in nearly twice the time, level 9 another in three times the time. */
enum { COMPRESSION = 5 };

static voidpf allocate(voidpf opaque, uInt count, uInt size)
{
    (void)opaque;
    return hl_calloc(count, size);
}

static void release(voidpf opaque, voidpf block)
{
    (void)opaque;
    hl_free(block);
}

void hl_base64(hl_text *text, const void *bytes, size_t size)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const unsigned char *in = bytes;
    char piece[4 << 10];
    size_t used = 0;
    for (size_t i = 0; i < size; i += 3) {
        size_t rest = size - i;
        uint32_t group = (uint32_t)in[i] << 16 | (rest > 1 ? (uint32_t)in[i + 1] << 8 : 0) | (rest > 2 ? in[i + 2] : 0);
        piece[used++] = digits[group >> 18];
        piece[used++] = digits[group >> 12 & 63];
        piece[used++] = rest > 1 ? digits[group >> 6 & 63] : '=';
        piece[used++] = rest > 2 ? digits[group & 63] : '=';
        if (used == sizeof piece || rest <= 3) {
            hl_text_add(text, piece, used);
            used = 0;
        }
    }
}

/* Deflates all of the input and adds the output to the text whenever the buffer is full; with Z_FINISH, all of it. */
static void run(hl_packer *p, int flush)
{
    int code = Z_OK;
    while (code == Z_OK && p->text->error.code == HL_OK && (flush == Z_FINISH || p->stream.avail_in > 0)) {
        code = deflate(&p->stream, flush);
        if (p->stream.avail_out == 0 || code == Z_STREAM_END) {
            hl_base64(p->text, p->deflated, sizeof p->deflated - p->stream.avail_out);
            p->stream.next_out = p->deflated;
            p->stream.avail_out = sizeof p->deflated;
        }
    }
}

void hl_packer_begin(hl_packer *packer, hl_text *text)
{
    *packer = (hl_packer){ .text = text, .stream = { .zalloc = allocate, .zfree = release } };
    if (deflateInit(&packer->stream, COMPRESSION) != Z_OK) {
        hl_text_fail(text, hl_error_memory("text"));
    }
    packer->stream.next_out = packer->deflated;
    packer->stream.avail_out = sizeof packer->deflated;
}

void hl_packer_add(hl_packer *packer, const void *bytes, size_t size)
{
    const unsigned char *in = bytes;
    while (size > 0) {
        uInt piece = size < INT_MAX ? (uInt)size : INT_MAX;
        packer->stream.next_in = (z_const Bytef *)in;
        packer->stream.avail_in = piece;
        run(packer, Z_NO_FLUSH);
        in += piece;
        size -= piece;
    }
}

void hl_packer_end(hl_packer *packer)
{
    run(packer, Z_FINISH);
    deflateEnd(&packer->stream);
}

/* A block being packed. */
typedef struct packing {
    const hl_packed_block *block;
    hl_text text;
    hl_packer packer;
} packing;

/* Takes all memory that the packed text may need, so that a thread takes none; what is left over is never touched. */
static hl_status begin(packing *p, const hl_packed_block *block)
{
    p->block = block;
    hl_packer_begin(&p->packer, &p->text);
    HL_TRY(hl_text_status(&p->text));
    p->text.capacity = deflateBound(&p->packer.stream, (uLong)block->size) / 3 * 4 + 8;
    p->text.bytes = hl_malloc(p->text.capacity);
    return p->text.bytes != NULL ? hl_ok() : hl_error_memory("text");
}

static void pack(const void *context, hl_range range)
{
    packing *all = *(packing *const *)context;
    for (int64_t i = range.begin; i < range.end; i++) {
        hl_packer_add(&all[i].packer, all[i].block->bytes, all[i].block->size);
        run(&all[i].packer, Z_FINISH);
    }
}

bool hl_packed_all(hl_packed_block *blocks, int64_t n)
{
    packing *all = hl_calloc((size_t)n, sizeof *all);
    hl_status status = all != NULL ? hl_ok() : hl_error_memory("text");
    for (int64_t i = 0; i < n; i++) {
        HL_THEN(status, begin(&all[i], &blocks[i]));
    }
    if (status.code == HL_OK) {
        hl_threads_run((int)n, n, 1, pack, &all);
    }
    for (int64_t i = 0; all != NULL && i < n; i++) {
        deflateEnd(&all[i].packer.stream);
        if (status.code == HL_OK) {
            blocks[i].packed = all[i].text.bytes;
        } else {
            hl_text_free(&all[i].text);
        }
    }
    hl_free(all);
    return status.code == HL_OK;
}

char *hl_packed(const void *bytes, size_t size)
{
    hl_packed_block one = { .bytes = bytes, .size = size };
    return hl_packed_all(&one, 1) ? one.packed : NULL;
}
