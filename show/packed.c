#include "show/private/packed.h"

#include "core/memory.h"

#include <limits.h>
#include <stdint.h>
#include <string.h>

/* Level 9 saves a few percent in three times the time. */
enum { COMPRESSION = 6 };

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

char *hl_packed(const void *bytes, size_t size)
{
    hl_text text = { 0 };
    hl_packer packer;
    hl_packer_begin(&packer, &text);
    hl_packer_add(&packer, bytes, size);
    hl_packer_end(&packer);
    if (hl_text_status(&text).code != HL_OK) {
        hl_text_free(&text);
    }
    return text.bytes;
}
