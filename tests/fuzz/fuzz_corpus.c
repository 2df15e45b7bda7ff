/* The bytes as a cache, as they are and with checksums that fit them, as someone who means harm would write it:
 * whatever its fields say, examples and windows lie within what they promise, or are refused. */
#include "tests/fuzz/cache_checksums.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/input_file.h"

#include <string.h>

enum { MOST_WINDOW = 1 << 16 };

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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    input_file_set(data, size);
    read_all();
    uint8_t *mended = malloc(size + 1);
    fuzz_require(mended != NULL);
    memcpy(mended, data, size);
    mend_checksums(mended, size);
    input_file_set(mended, size);
    read_all();
    free(mended);
    return 0;
}
