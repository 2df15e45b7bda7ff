#include "core/base/memory.h"
#include "data/text/private/corpus_file.h"
#include "data/text/private/grow.h"

#include <string.h>
#include <zlib.h>

uint32_t hl_corpus_block_crc(int64_t number, const void *block, size_t bytes)
{
    uLong crc = crc32_z(0, (const Bytef *)&number, sizeof number);
    return (uint32_t)crc32_z(crc, (const Bytef *)block + sizeof(uint32_t), bytes - sizeof(uint32_t));
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

/* The block that is being filled. */
static hl_corpus_block *filling(hl_corpus_writer *writer)
{
    return writer->blocks + writer->waiting / sizeof *writer->blocks;
}

/* Adds the block to the directory; no example begins in it yet. */
static hl_status begin_block(hl_corpus_writer *writer)
{
    size_t n = (size_t)writer->end.n_blocks;
    filling(writer)->first = HL_CORPUS_BLOCK_NUMBERS;
    if (writer->end.n_columns > 0) {
        HL_NEED(HL_GROW(writer->directory, writer->directory_capacity, n + 1), writer->file.path);
        writer->directory[n] = writer->end.n_examples;
    }
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
    hl_status status = hl_file_create(&writer->file, spec->path);
    HL_THEN(status, begin_block(writer));
    if (status.code != HL_OK) {
        hl_corpus_writer_abandon(writer);
        return status;
    }
    *out = writer;
    return status;
}

static void write_waiting(hl_corpus_writer *writer)
{
    hl_file_write(&writer->file, writer->blocks, writer->waiting);
    writer->waiting = 0;
}

/* Completes a block that is full, or the last one. */
static void end_block(hl_corpus_writer *writer)
{
    hl_corpus_block *block = filling(writer);
    size_t bytes = HL_CORPUS_BLOCK_HEAD + (size_t)writer->n_filled * sizeof(int32_t);
    block->crc = hl_corpus_block_crc(writer->end.n_blocks, block, bytes);
    writer->end.n_blocks++;
    writer->waiting += bytes;
    writer->n_filled = 0;
    if (writer->waiting == sizeof writer->blocks) {
        write_waiting(writer);
    }
}

hl_status hl_corpus_add_numbers(hl_corpus_writer *writer, const int32_t *numbers, int64_t count)
{
    writer->end.n_numbers += count;
    while (count > 0) {
        int64_t room = HL_CORPUS_BLOCK_NUMBERS - writer->n_filled, n = count < room ? count : room;
        memcpy(filling(writer)->numbers + writer->n_filled, numbers, (size_t)n * sizeof *numbers);
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
    if (filling(writer)->first == HL_CORPUS_BLOCK_NUMBERS) {
        filling(writer)->first = (uint32_t)writer->n_filled;
    }
    end->n_examples++;
    HL_TRY(hl_corpus_add_numbers(writer, stored, end->n_columns));
    for (int64_t c = 0; c < end->n_columns; c++) {
        HL_TRY(hl_corpus_add_numbers(writer, values[c], lengths[c]));
    }
    return hl_ok();
}

static void free_writer(hl_corpus_writer *writer)
{
    hl_free(writer->directory);
    hl_free(writer);
}

hl_status hl_corpus_writer_commit(hl_corpus_writer *writer, const hl_source *source)
{
    hl_corpus_end *end = &writer->end;
    if (writer->n_filled > 0) {
        end_block(writer);
    }
    write_waiting(writer);
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
