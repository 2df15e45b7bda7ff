#include "data/text/private/input.h"

#include "core/base/memory.h"
#include "core/files/files.h"

#include <string.h>
#include <unistd.h>

hl_status hl_input_open(hl_input *input, const char *path)
{
    size_t size = 0;
    input->is_stdin = strcmp(path, "-") == 0;
    input->name = hl_strdup(input->is_stdin ? "standard input" : path);
    input->fd = STDIN_FILENO;
    HL_NEED(input->name != NULL, path);
    hl_status status = input->is_stdin ? hl_ok() : hl_file_open_to_read(path, SIZE_MAX - 1, &input->fd, &size);
    if (status.code != HL_OK) {
        hl_free(input->name);
        input->name = NULL;
    }
    input->size = (int64_t)size;
    return status;
}

/* Reads more of the file, if there is more, after the unused rest in the chunk. */
static hl_status read_more(hl_input *input)
{
    memmove(input->chunk, input->chunk + input->at, input->n_chunk);
    input->at = 0;
    size_t room = HL_INPUT_CHUNK - input->n_chunk, n;
    if (!input->is_stdin && (int64_t)room > input->size - input->done) {
        room = (size_t)(input->size - input->done);
    }
    if (room == 0) {
        return hl_ok();
    }
    HL_TRY(hl_file_read_some(input->fd, input->name, input->chunk + input->n_chunk, room, &n));
    if (n == 0 && !input->is_stdin) {
        return hl_error(HL_BAD_FILE, "%s: was cut short while it was read", input->name);
    }
    input->n_chunk += n;
    input->done += (int64_t)n;
    return hl_ok();
}

static voidpf allocate(voidpf unused, uInt count, uInt size)
{
    (void)unused;
    return hl_calloc(count, size);
}

static void release(voidpf unused, voidpf block)
{
    (void)unused;
    hl_free(block);
}

/* The first two bytes identify gzip data; no UTF-8 text begins with them. A pipe may deliver them one by one. */
static hl_status find_kind(hl_input *input)
{
    static const unsigned char magic[] = { 0x1f, 0x8b };
    bool more = true;
    while (more && (input->n_chunk == 0 || (input->n_chunk < sizeof magic && input->chunk[0] == magic[0]))) {
        size_t before = input->n_chunk;
        HL_TRY(read_more(input));
        more = input->n_chunk > before;
    }
    input->kind = HL_INPUT_PLAIN;
    if (input->n_chunk < sizeof magic || memcmp(input->chunk, magic, sizeof magic) != 0) {
        return hl_ok();
    }
    input->gzip = (z_stream){ .zalloc = allocate, .zfree = release };
    enum { WINDOW_BITS = 15, GZIP_ALONE = 16 };
    if (inflateInit2(&input->gzip, WINDOW_BITS + GZIP_ALONE) != Z_OK) {
        return hl_error_memory(input->name);
    }
    input->kind = HL_INPUT_GZIPPED;
    input->in_member = true;
    return hl_ok();
}

static hl_status inflate_some(hl_input *input, void *bytes, size_t count, size_t *n)
{
    z_stream *gzip = &input->gzip;
    uInt room = count < HL_INPUT_CHUNK ? (uInt)count : HL_INPUT_CHUNK;
    *n = 0;
    while (*n == 0) {
        if (input->n_chunk == 0) {
            HL_TRY(read_more(input));
        }
        if (input->n_chunk == 0) { /* a whole member's last bytes, its checksum, are read after all of its text */
            return input->in_member
                       ? hl_error(HL_BAD_FILE, "%s: its gzip data end in the middle: the file is cut off", input->name)
                       : hl_ok();
        }
        if (!input->in_member) { /* another member follows, or zeros, with which tapes are padded */
            if (input->chunk[input->at] == 0) {
                input->at++;
                input->n_chunk--;
                continue;
            }
            inflateReset(gzip);
            input->in_member = true;
        }
        gzip->next_in = input->chunk + input->at;
        gzip->avail_in = (uInt)input->n_chunk;
        gzip->next_out = bytes;
        gzip->avail_out = room;
        int result = inflate(gzip, Z_NO_FLUSH);
        input->at += input->n_chunk - gzip->avail_in;
        input->n_chunk = gzip->avail_in;
        *n = room - gzip->avail_out;
        if (result == Z_MEM_ERROR) {
            return hl_error_memory(input->name);
        }
        if (result != Z_OK && result != Z_STREAM_END) {
            return hl_error(HL_BAD_FILE, "%s: has damaged gzip data (%s)", input->name,
                            gzip->msg != NULL ? gzip->msg : "unknown");
        }
        input->in_member = result != Z_STREAM_END;
    }
    return hl_ok();
}

hl_status hl_input_read(hl_input *input, void *bytes, size_t count, size_t *n)
{
    *n = 0;
    if (input->kind == HL_INPUT_UNKNOWN) {
        HL_TRY(find_kind(input));
    }
    if (input->kind == HL_INPUT_GZIPPED) {
        return inflate_some(input, bytes, count, n);
    }
    if (input->n_chunk == 0) {
        HL_TRY(read_more(input));
    }
    *n = count < input->n_chunk ? count : input->n_chunk;
    memcpy(bytes, input->chunk + input->at, *n);
    input->at += *n;
    input->n_chunk -= *n;
    return hl_ok();
}

void hl_input_close(hl_input *input)
{
    if (input->name == NULL) {
        return;
    }
    if (input->kind == HL_INPUT_GZIPPED) {
        inflateEnd(&input->gzip);
    }
    if (!input->is_stdin) {
        hl_file_calls_get()->close(input->fd);
    }
    hl_free(input->name);
}
