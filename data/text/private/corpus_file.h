/* The file of a cache (data/text/corpus.h), and what its readers and its writer share.
 *
 *     blocks      of 4096 bytes, the last as long as needed: uint32 CRC-32 of the block's number (int64) and of all
 *                 that follows; uint32 index, in the block, of the first number of the first example that begins
 *                 there (1022 if none does); 1022 numbers, int32
 *     directory   for each block, int64: how many examples begin before it; nothing for running text
 *     end         hl_corpus_end
 *
 * The numbers of all blocks form one row. An example is the lengths of its columns, then their numbers, column by
 * column. Everything is in the machine's byte order; a file of another machine shows another format number. */
#pragma once

#include "core/base/status.h"
#include "core/files/files.h"
#include "data/text/corpus.h"
#include "data/text/private/source.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    HL_CORPUS_FORMAT = 1,
    HL_CORPUS_BLOCK = 4096,
    HL_CORPUS_BLOCK_HEAD = 8,
    HL_CORPUS_BLOCK_NUMBERS = (HL_CORPUS_BLOCK - HL_CORPUS_BLOCK_HEAD) / 4,
    HL_CORPUS_AT_ONCE = 16,
};

#define HL_CORPUS_MAGIC "hlcorpus"

typedef struct hl_corpus_block {
    uint32_t crc, first; /* as above */
    int32_t numbers[HL_CORPUS_BLOCK_NUMBERS];
} hl_corpus_block;
_Static_assert(sizeof(hl_corpus_block) == HL_CORPUS_BLOCK, "a block is the same in memory and in the file");

typedef struct hl_corpus_end {
    char kind[HL_CORPUS_TEXT], tokens[HL_CORPUS_TEXT]; /* filled with zeros, as in `columns` */
    char columns[HL_CORPUS_COLUMNS][HL_CORPUS_TEXT];
    int64_t longest[HL_CORPUS_COLUMNS]; /* per column */
    int64_t longest_example;            /* all columns together */
    int64_t n_columns, n_examples;
    int64_t n_numbers; /* in all blocks, including lengths */
    int64_t n_blocks;
    hl_source source;
    uint32_t format;
    uint32_t crc; /* of the directory and of all fields above */
    char magic[8];
} hl_corpus_end;

struct hl_corpus {
    char *path;
    int fd;
    hl_corpus_end end;
    int64_t *directory;
    hl_status made_because;
};

struct hl_corpus_writer {
    hl_file file;
    hl_corpus_end end;
    hl_corpus_block blocks[HL_CORPUS_AT_ONCE]; /* are written together */
    size_t waiting;                            /* the bytes of those that are complete */
    int64_t n_filled;                          /* the numbers in the next one */
    int64_t *directory;
    size_t directory_capacity;
};

/* The CRC-32 of block number `number`, an hl_corpus_block of which only the first `bytes` bytes are stored. */
uint32_t hl_corpus_block_crc(int64_t number, const void *block, size_t bytes);

/* The correct value of end.crc. */
uint32_t hl_corpus_end_crc(const int64_t *directory, const hl_corpus_end *end);

/* Opens a file of this format, made from any source: reads and checks its end and directory. HL_BAD_FILE (as
 * hl_corpus_open: missing, damaged, not a cache, another format), HL_NO_MEMORY; *out is then NULL. *ours: whether it
 * ends as caches do, so that a new cache may replace it. */
hl_status hl_corpus_load(const char *path, bool *ours, hl_corpus **out);

/* Begins a file at `path` with the kind, tokens and columns of the spec, which fit. HL_BAD_FILE, HL_NO_MEMORY; *out is
 * then NULL. End it with one of the last two functions. */
hl_status hl_corpus_writer_begin(const hl_corpus_spec *spec, hl_corpus_writer **out);

/* Writes the rest, renames the file to its path and waits for the disk. HL_BAD_FILE. Frees the writer. */
hl_status hl_corpus_writer_commit(hl_corpus_writer *writer, const hl_source *source);

/* Removes what was written and frees the writer. */
void hl_corpus_writer_abandon(hl_corpus_writer *writer);
