#include "core/base/memory.h"
#include "data/text/private/corpus_file.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

/* Whether the text ends and only zeros follow. */
static bool is_text(const char text[HL_CORPUS_TEXT])
{
    size_t size = strnlen(text, HL_CORPUS_TEXT);
    for (size_t i = size; i < HL_CORPUS_TEXT; i++) {
        size = text[i] == '\0' ? size : HL_CORPUS_TEXT;
    }
    return size < HL_CORPUS_TEXT;
}

/* Whether every field is possible, and whether together they make a file of `size` bytes. */
static bool is_possible(const hl_corpus_end *end, int64_t size)
{
    bool good =
        is_text(end->kind) && is_text(end->tokens) && end->n_columns >= 0 && end->n_columns <= HL_CORPUS_COLUMNS;
    for (int c = 0; c < HL_CORPUS_COLUMNS; c++) {
        good = good && is_text(end->columns[c]) && end->longest[c] >= 0 && end->longest[c] <= end->longest_example;
    }
    int64_t directory = end->n_columns > 0 ? end->n_blocks : 0, rest = size - (int64_t)sizeof *end;
    return good && end->longest_example >= 0 && end->longest_example <= HL_CORPUS_MAX_LENGTH && end->n_numbers > 0 &&
           end->n_numbers <= rest / 4 && (end->n_examples > 0) == (end->n_columns > 0) && end->n_examples >= 0 &&
           end->n_examples <= end->n_numbers / (end->n_columns > 0 ? end->n_columns : 1) &&
           end->longest_example <= end->n_numbers &&
           end->n_blocks == (end->n_numbers - 1) / HL_CORPUS_BLOCK_NUMBERS + 1 &&
           rest == 4 * end->n_numbers + HL_CORPUS_BLOCK_HEAD * end->n_blocks + 8 * directory;
}

static hl_status read_end(hl_corpus *corpus, int64_t size, bool *ours)
{
    hl_corpus_end *end = &corpus->end;
    if (size >= (int64_t)sizeof *end) {
        HL_TRY(hl_file_read_at(corpus->fd, corpus->path, end, sizeof *end, size - (int64_t)sizeof *end));
        *ours = memcmp(end->magic, HL_CORPUS_MAGIC, sizeof end->magic) == 0;
    }
    if (!*ours) {
        return hl_error(HL_BAD_FILE, "%s: is no cache of Headlight's, or is cut off: remove it, or name another file",
                        corpus->path);
    }
    if (end->format != HL_CORPUS_FORMAT) {
        return hl_error(HL_BAD_FILE, "%s: has format %" PRIu32 ", not %d: another version or kind of machine made it",
                        corpus->path, end->format, HL_CORPUS_FORMAT);
    }
    return is_possible(end, size) ? hl_ok()
                                  : hl_error(HL_BAD_FILE, "%s: is damaged: a field is out of range", corpus->path);
}

static hl_status read_directory(hl_corpus *corpus)
{
    const hl_corpus_end *end = &corpus->end;
    int64_t n = end->n_columns > 0 ? end->n_blocks : 0, before = 0;
    corpus->directory = hl_calloc((size_t)n, sizeof *corpus->directory);
    HL_NEED(corpus->directory != NULL, corpus->path);
    HL_TRY(hl_file_read_at(corpus->fd, corpus->path, corpus->directory, (size_t)n * sizeof *corpus->directory,
                           HL_CORPUS_BLOCK_HEAD * end->n_blocks + 4 * end->n_numbers));
    bool good = end->crc == hl_corpus_end_crc(corpus->directory, end) && (n == 0 || corpus->directory[0] == 0);
    for (int64_t b = 0; b < n; before = corpus->directory[b++]) {
        good = good && corpus->directory[b] >= before && corpus->directory[b] <= end->n_examples;
    }
    return good ? hl_ok() : hl_error(HL_BAD_FILE, "%s: is damaged: the checksum of its end is wrong", corpus->path);
}

hl_status hl_corpus_load(const char *path, bool *ours, hl_corpus **out)
{
    *out = NULL;
    *ours = false;
    hl_corpus *corpus = hl_calloc(1, sizeof *corpus);
    HL_NEED(corpus != NULL, path);
    size_t size = 0;
    corpus->fd = -1;
    corpus->path = hl_strdup(path);
    hl_status status =
        corpus->path != NULL ? hl_file_open_to_read(path, SIZE_MAX - 1, &corpus->fd, &size) : hl_error_memory(path);
    HL_THEN(status, read_end(corpus, (int64_t)size, ours));
    HL_THEN(status, read_directory(corpus));
    if (status.code != HL_OK) {
        hl_corpus_close(corpus);
        return status;
    }
    *out = corpus;
    return status;
}

void hl_corpus_close(hl_corpus *corpus)
{
    if (corpus == NULL) {
        return;
    }
    if (corpus->fd >= 0) {
        hl_file_calls_get()->close(corpus->fd);
    }
    hl_free(corpus->path);
    hl_free(corpus->directory);
    hl_free(corpus);
}

const char *hl_corpus_made_because(const hl_corpus *corpus)
{
    return corpus->made_because.text;
}

int64_t hl_corpus_examples(const hl_corpus *corpus)
{
    return corpus->end.n_examples;
}

int64_t hl_corpus_numbers(const hl_corpus *corpus)
{
    return corpus->end.n_numbers - corpus->end.n_columns * corpus->end.n_examples; /* without the lengths */
}

int64_t hl_corpus_longest(const hl_corpus *corpus, int column)
{
    return corpus->end.longest[column];
}

hl_status hl_corpus_reader_init(hl_corpus_reader *reader, const hl_corpus *corpus)
{
    *reader = (hl_corpus_reader){ .corpus = corpus, .in_block = -1 };
    reader->numbers = hl_calloc((size_t)corpus->end.longest_example, sizeof *reader->numbers);
    reader->block = hl_malloc(sizeof *reader->block);
    if (reader->numbers == NULL || reader->block == NULL) {
        hl_corpus_reader_free(reader);
        return hl_error_memory(corpus->path);
    }
    return hl_ok();
}

void hl_corpus_reader_free(hl_corpus_reader *reader)
{
    hl_free(reader->numbers);
    hl_free(reader->block);
    *reader = (hl_corpus_reader){ .in_block = -1 };
}

static hl_status damaged(const hl_corpus *corpus, int64_t block)
{
    return hl_error(HL_BAD_FILE, "%s: block %" PRId64 " is damaged; remove the file, and it is made again",
                    corpus->path, block);
}

/* Reads the block into reader->block, unless it is already there, and verifies its checksum. */
static hl_status read_block(hl_corpus_reader *reader, int64_t block)
{
    const hl_corpus *corpus = reader->corpus;
    if (reader->in_block == block) {
        return hl_ok();
    }
    int64_t first = block * HL_CORPUS_BLOCK_NUMBERS, n = corpus->end.n_numbers - first;
    n = n < HL_CORPUS_BLOCK_NUMBERS ? n : HL_CORPUS_BLOCK_NUMBERS;
    size_t bytes = HL_CORPUS_BLOCK_HEAD + (size_t)n * sizeof(int32_t);
    reader->in_block = -1;
    HL_TRY(hl_file_read_at(corpus->fd, corpus->path, reader->block, bytes, block * HL_CORPUS_BLOCK));
    HL_TRY(reader->block->crc == hl_corpus_block_crc(block, reader->block, bytes) ? hl_ok() : damaged(corpus, block));
    reader->in_block = block;
    return hl_ok();
}

/* Reads `count` of all numbers, from `first` on. */
static hl_status read_numbers(hl_corpus_reader *reader, int64_t first, int64_t count, int32_t *into)
{
    while (count > 0) {
        int64_t block = first / HL_CORPUS_BLOCK_NUMBERS, place = first % HL_CORPUS_BLOCK_NUMBERS;
        int64_t room = HL_CORPUS_BLOCK_NUMBERS - place, n = count < room ? count : room;
        HL_TRY(read_block(reader, block));
        memcpy(into, reader->block->numbers + place, (size_t)n * sizeof *into);
        first += n;
        into += n;
        count -= n;
    }
    return hl_ok();
}

/* Reads the lengths of the example that begins at number `at`, and their sum. Moves `at` to the example's first number.
 * HL_BAD_FILE if no such lengths are possible. */
static hl_status read_lengths(hl_corpus_reader *reader, int64_t *at, int64_t *sum)
{
    const hl_corpus_end *end = &reader->corpus->end;
    int32_t lengths[HL_CORPUS_COLUMNS];
    int64_t block = *at / HL_CORPUS_BLOCK_NUMBERS;
    if (*at > end->n_numbers - end->n_columns) {
        return damaged(reader->corpus, block);
    }
    HL_TRY(read_numbers(reader, *at, end->n_columns, lengths));
    *at += end->n_columns;
    *sum = 0;
    for (int64_t c = 0; c < end->n_columns; c++) {
        if (lengths[c] < 0 || lengths[c] > end->longest[c]) {
            return damaged(reader->corpus, block);
        }
        reader->lengths[c] = lengths[c];
        *sum += lengths[c];
    }
    return *sum <= end->longest_example && *sum <= end->n_numbers - *at ? hl_ok() : damaged(reader->corpus, block);
}

/* Finds example i and reads its lengths. *at is the first number after them, *sum how many numbers it has. */
static hl_status find(hl_corpus_reader *reader, int64_t i, int64_t *at, int64_t *sum)
{
    const hl_corpus *corpus = reader->corpus;
    assert(0 <= i && i < corpus->end.n_examples);
    int64_t block = 0, above = corpus->end.n_blocks; /* the last block with at most i examples beginning before it */
    while (above - block > 1) {
        int64_t middle = block + (above - block) / 2;
        *(corpus->directory[middle] <= i ? &block : &above) = middle;
    }
    HL_TRY(read_block(reader, block));
    *at = block * HL_CORPUS_BLOCK_NUMBERS + (int64_t)reader->block->first;
    *sum = 0;
    for (int64_t example = corpus->directory[block]; example <= i; example++) {
        *at += *sum; /* after the previous example */
        HL_TRY(*at / HL_CORPUS_BLOCK_NUMBERS == block ? read_lengths(reader, at, sum) : damaged(corpus, block));
    }
    return hl_ok();
}

hl_status hl_corpus_read_lengths(hl_corpus_reader *reader, int64_t i)
{
    int64_t at, sum;
    return find(reader, i, &at, &sum);
}

hl_status hl_corpus_read(hl_corpus_reader *reader, int64_t i)
{
    int64_t at, sum;
    HL_TRY(find(reader, i, &at, &sum));
    HL_TRY(read_numbers(reader, at, sum, reader->numbers));
    const int32_t *column = reader->numbers;
    for (int64_t c = 0; c < reader->corpus->end.n_columns; c++) {
        reader->columns[c] = column;
        column += reader->lengths[c];
    }
    return hl_ok();
}

hl_status hl_corpus_window(hl_corpus_reader *reader, int64_t first, int64_t count, int32_t *numbers)
{
    const hl_corpus_end *end = &reader->corpus->end;
    assert(end->n_columns == 0 && first >= 0 && count >= 0 && count <= end->n_numbers - first);
    (void)end;
    return read_numbers(reader, first, count, numbers);
}
