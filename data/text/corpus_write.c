#include "core/base/memory.h"
#include "core/files/files.h"
#include "data/text/private/corpus_file.h"

#include <string.h>
#include <zlib.h>

enum { BUFFERED = 16 /* blocks that are written at once */ };

struct hl_corpus_writer {
    hl_file file;
    hl_corpus_end end;
    unsigned char *buffer;        /* n_buffered whole blocks, and the block that is being filled */
    int64_t n_buffered, n_filled; /* numbers in the latter */
    int64_t *directory, capacity;
};

uint32_t hl_corpus_block_crc(int64_t number, const unsigned char *block, size_t bytes)
{
    uLong crc = crc32_z(0, (const Bytef *)&number, sizeof number);
    return (uint32_t)crc32_z(crc, block + sizeof(uint32_t), bytes - sizeof(uint32_t));
}

/* Running text has no directory. */
static size_t directory_bytes(const hl_corpus_end *end)
{
    return end->n_columns > 0 ? (size_t)end->n_blocks * sizeof(int64_t) : 0;
}

uint32_t hl_corpus_end_crc(const int64_t *directory, const hl_corpus_end *end)
{
    uLong crc = crc32_z(0, NULL, 0);
    if (end->n_columns > 0) {
        crc = crc32_z(crc, (const Bytef *)directory, directory_bytes(end));
    }
    return (uint32_t)crc32_z(crc, (const Bytef *)end, offsetof(hl_corpus_end, crc));
}

static unsigned char *block_of(const hl_corpus_writer *writer)
{
    return writer->buffer + writer->n_buffered * HL_CORPUS_BLOCK;
}

/* Adds the block to the directory; no example begins in it yet. */
static hl_status begin_block(hl_corpus_writer *writer)
{
    static const uint32_t none = HL_CORPUS_BLOCK_NUMBERS;
    hl_corpus_end *end = &writer->end;
    memcpy(block_of(writer) + sizeof(uint32_t), &none, sizeof none);
    if (end->n_columns == 0) {
        return hl_ok();
    }
    if (end->n_blocks == writer->capacity) {
        int64_t capacity = 2 * writer->capacity + 64;
        int64_t *directory = hl_realloc(writer->directory, (size_t)capacity, sizeof *directory);
        HL_NEED(directory != NULL, writer->file.path);
        writer->directory = directory;
        writer->capacity = capacity;
    }
    writer->directory[end->n_blocks] = end->n_examples;
    return hl_ok();
}

hl_status hl_corpus_writer_begin(const hl_corpus_spec *spec, hl_corpus_writer **out)
{
    *out = NULL;
    hl_corpus_writer *writer = hl_calloc(1, sizeof *writer);
    HL_NEED(writer != NULL, spec->path);
    hl_corpus_end *end = &writer->end;
    memcpy(end->magic, HL_CORPUS_MAGIC, sizeof end->magic);
    end->format = HL_CORPUS_FORMAT;
    memcpy(end->kind, spec->kind, strlen(spec->kind));
    memcpy(end->tokens, spec->tokens, strlen(spec->tokens));
    for (; end->n_columns < HL_CORPUS_COLUMNS && spec->columns[end->n_columns] != NULL; end->n_columns++) {
        const char *name = spec->columns[end->n_columns];
        memcpy(end->columns[end->n_columns], name, strlen(name));
    }
    writer->file.fd = -1;
    writer->buffer = hl_calloc(BUFFERED, HL_CORPUS_BLOCK);
    hl_status status = writer->buffer != NULL ? hl_file_create(&writer->file, spec->path) : hl_error_memory(spec->path);
    HL_THEN(status, begin_block(writer));
    if (status.code != HL_OK) {
        hl_corpus_writer_abandon(writer);
        return status;
    }
    *out = writer;
    return status;
}

static void flush(hl_corpus_writer *writer, size_t bytes)
{
    hl_file_write(&writer->file, writer->buffer, bytes);
    writer->n_buffered = 0;
}

/* Ends a block that is full, or the last one. */
static void end_block(hl_corpus_writer *writer)
{
    unsigned char *block = block_of(writer);
    size_t bytes = HL_CORPUS_BLOCK_HEAD + (size_t)writer->n_filled * sizeof(int32_t);
    uint32_t crc = hl_corpus_block_crc(writer->end.n_blocks, block, bytes);
    memcpy(block, &crc, sizeof crc);
    writer->end.n_blocks++;
    writer->n_buffered++;
    writer->n_filled = 0;
    if (writer->n_buffered == BUFFERED || bytes < HL_CORPUS_BLOCK) {
        flush(writer, (size_t)(writer->n_buffered - 1) * HL_CORPUS_BLOCK + bytes);
    }
}

hl_status hl_corpus_add_numbers(hl_corpus_writer *writer, const int32_t *numbers, int64_t count)
{
    writer->end.n_numbers += count;
    while (count > 0) {
        int64_t room = HL_CORPUS_BLOCK_NUMBERS - writer->n_filled, n = count < room ? count : room;
        memcpy(block_of(writer) + HL_CORPUS_BLOCK_HEAD + (size_t)writer->n_filled * sizeof *numbers, numbers,
               (size_t)n * sizeof *numbers);
        writer->n_filled += n;
        numbers += n;
        count -= n;
        if (writer->n_filled == HL_CORPUS_BLOCK_NUMBERS) {
            end_block(writer);
            HL_TRY(begin_block(writer));
        }
    }
    return writer->file.error;
}

hl_status hl_corpus_add(hl_corpus_writer *writer, const int32_t *const *values, const int64_t *lengths)
{
    hl_corpus_end *end = &writer->end;
    int32_t stored[HL_CORPUS_COLUMNS];
    int64_t sum = 0;
    for (int64_t c = 0; c < end->n_columns; c++) {
        sum += lengths[c] <= HL_CORPUS_MAX_LENGTH ? lengths[c] : HL_CORPUS_MAX_LENGTH + 1;
        stored[c] = (int32_t)lengths[c];
        end->longest[c] = lengths[c] > end->longest[c] ? lengths[c] : end->longest[c];
    }
    if (sum > HL_CORPUS_MAX_LENGTH) {
        return hl_error(HL_INVALID, "an example of %lld numbers is longer than the %d that are allowed", (long long)sum,
                        HL_CORPUS_MAX_LENGTH);
    }
    end->longest_example = sum > end->longest_example ? sum : end->longest_example;
    uint32_t place;
    unsigned char *first = block_of(writer) + sizeof place;
    memcpy(&place, first, sizeof place);
    if (place == HL_CORPUS_BLOCK_NUMBERS) {
        place = (uint32_t)writer->n_filled;
        memcpy(first, &place, sizeof place);
    }
    end->n_examples++;
    HL_TRY(hl_corpus_add_numbers(writer, stored, end->n_columns));
    for (int64_t c = 0; c < end->n_columns; c++) {
        HL_TRY(hl_corpus_add_numbers(writer, values[c], lengths[c]));
    }
    return hl_ok();
}

bool hl_corpus_writer_is_empty(const hl_corpus_writer *writer)
{
    return writer->end.n_numbers == 0;
}

static void free_writer(hl_corpus_writer *writer)
{
    hl_free(writer->buffer);
    hl_free(writer->directory);
    hl_free(writer);
}

hl_status hl_corpus_writer_commit(hl_corpus_writer *writer, const hl_source *source)
{
    hl_corpus_end *end = &writer->end;
    if (writer->n_filled > 0) {
        end_block(writer);
    } else {
        flush(writer, (size_t)writer->n_buffered * HL_CORPUS_BLOCK);
    }
    end->source = *source;
    end->crc = hl_corpus_end_crc(writer->directory, end);
    hl_file_write(&writer->file, writer->directory, directory_bytes(end));
    hl_file_write(&writer->file, end, sizeof *end);
    hl_status status = hl_file_commit(&writer->file, HL_DURABLE);
    free_writer(writer);
    return status;
}

void hl_corpus_writer_abandon(hl_corpus_writer *writer)
{
    hl_file_abandon(&writer->file);
    free_writer(writer);
}
