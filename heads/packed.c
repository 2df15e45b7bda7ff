#include "heads/packed.h"

#include "core/memory.h"

#include <limits.h>
#include <stdint.h>
#include <zlib.h>

/* Levels deflate to the same size within a few percent at 9, in thrice the time. */
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

char *hl_base64(const void *bytes, size_t size)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const unsigned char *in = bytes;
    char *text = size <= SIZE_MAX / 2 ? hl_malloc((size + 2) / 3 * 4 + 1) : NULL;
    if (text == NULL) {
        return NULL;
    }
    char *out = text;
    for (size_t i = 0; i < size; i += 3) {
        size_t rest = size - i;
        uint32_t group = (uint32_t)in[i] << 16 | (rest > 1 ? (uint32_t)in[i + 1] << 8 : 0) | (rest > 2 ? in[i + 2] : 0);
        *out++ = digits[group >> 18];
        *out++ = digits[group >> 12 & 63];
        *out++ = rest > 1 ? digits[group >> 6 & 63] : '=';
        *out++ = rest > 2 ? digits[group & 63] : '=';
    }
    *out = '\0';
    return text;
}

/* Deflates all at once into `out`, of `room` bytes, which is enough; 0 when out of memory. */
static size_t deflate_all(const void *bytes, size_t size, unsigned char *out, size_t room)
{
    z_stream stream = { .zalloc = allocate, .zfree = release };
    if (deflateInit(&stream, COMPRESSION) != Z_OK) {
        return 0;
    }
    const unsigned char *in = bytes;
    size_t left = size, done = 0;
    int code = Z_OK;
    while (code == Z_OK) {
        uInt piece = left < INT_MAX ? (uInt)left : INT_MAX;
        uInt space = room - done < INT_MAX ? (uInt)(room - done) : INT_MAX;
        stream.next_in = (z_const Bytef *)in + (size - left);
        stream.avail_in = piece;
        stream.next_out = out + done;
        stream.avail_out = space;
        code = deflate(&stream, left == piece ? Z_FINISH : Z_NO_FLUSH);
        left -= piece - stream.avail_in;
        done += space - stream.avail_out;
    }
    deflateEnd(&stream);
    return code == Z_STREAM_END ? done : 0;
}

char *hl_packed(const void *bytes, size_t size)
{
    /* deflateBound's promise for a stream that is not set up yet. */
    size_t room = compressBound(size);
    unsigned char *deflated = room > size ? hl_malloc(room) : NULL;
    size_t length = deflated != NULL ? deflate_all(bytes, size, deflated, room) : 0;
    char *text = length > 0 ? hl_base64(deflated, length) : NULL;
    hl_free(deflated);
    return text;
}
