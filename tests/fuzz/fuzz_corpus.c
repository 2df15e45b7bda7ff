/* The bytes as a cache, as they are and with checksums that fit them, as someone who means harm would write it:
 * whatever its fields say, examples and windows lie within what they promise, or are refused. */
#include "data/text/private/corpus_file.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/input_file.h"

#include <string.h>

enum { MOST_WINDOW = 1 << 16, MOST_BLOCKS = 64 };

static void read_all(void)
{
    static int32_t window[MOST_WINDOW];
    bool ours;
    hl_corpus *corpus;
    hl_corpus_reader reader;
    if (hl_corpus_load("cache", &ours, &corpus).code != HL_OK) {
        return;
    }
    fuzz_require(hl_corpus_reader_init(&reader, corpus).code == HL_OK);
    for (int64_t i = 0; i < hl_corpus_examples(corpus); i++) {
        if (hl_corpus_read(&reader, i).code == HL_OK) {
            for (int c = 0; c < (int)corpus->end.n_columns; c++) {
                fuzz_require(reader.lengths[c] >= 0 && reader.lengths[c] <= hl_corpus_longest(corpus, c));
                fuzz_require(reader.columns[c] - reader.numbers + reader.lengths[c] <= corpus->end.longest_example);
            }
        }
    }
    if (corpus->end.n_columns == 0 && hl_corpus_numbers(corpus) <= MOST_WINDOW) {
        hl_corpus_window(&reader, 0, hl_corpus_numbers(corpus), window);
    }
    hl_corpus_reader_free(&reader);
    hl_corpus_close(corpus);
}

/* Checksums of all blocks, and of the end, where the sizes let them be. */
static void mend(uint8_t *bytes, size_t size)
{
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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    input_file_set(data, size);
    read_all();
    uint8_t *mended = malloc(size + 1);
    fuzz_require(mended != NULL);
    memcpy(mended, data, size);
    mend(mended, size);
    input_file_set(mended, size);
    read_all();
    free(mended);
    return 0;
}
