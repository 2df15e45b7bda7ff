/* Checksums that fit a cache whose numbers were changed, as someone who means harm would write them. */
#pragma once

#include "data/text/private/corpus_file.h"

#include <string.h>

/* Of all blocks, and of the end, where the sizes let them be. */
static inline void mend_checksums(uint8_t *bytes, size_t size)
{
    enum { MOST_BLOCKS = 64 };
    hl_corpus_end end;
    int64_t directory[MOST_BLOCKS];
    if (size < sizeof end) {
        return;
    }
    size_t ends = size - sizeof end;
    memcpy(&end, bytes + ends, sizeof end);
    size_t entries = end.n_columns > 0 ? (size_t)end.n_blocks : 0;
    if (entries > MOST_BLOCKS || entries * sizeof *directory > ends) {
        return;
    }
    size_t blocks = ends - entries * sizeof *directory;
    memcpy(directory, bytes + blocks, entries * sizeof *directory);
    end.crc = hl_corpus_end_crc(directory, &end);
    memcpy(bytes + ends, &end, sizeof end);
    for (size_t at = 0; at + HL_CORPUS_BLOCK_HEAD < blocks; at += HL_CORPUS_BLOCK) {
        size_t block = blocks - at < HL_CORPUS_BLOCK ? blocks - at : HL_CORPUS_BLOCK;
        uint32_t crc = hl_corpus_block_crc((int64_t)(at / HL_CORPUS_BLOCK), bytes + at, block);
        memcpy(bytes + at, &crc, sizeof crc);
    }
}
