/* The bytes as a vocab.txt. One that is taken is written out as it came, but for backslashes, and every token is found
 * under its id. */
#include "core/base/memory.h"
#include "data/vocabulary.h"
#include "tests/fuzz/fuzz.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    hl_vocabulary *vocabulary;
    if (hl_vocabulary_parse("vocab.txt", (const char *)data, size, &vocabulary).code != HL_OK) {
        return 0;
    }
    char *text;
    size_t text_size;
    fuzz_require(hl_vocabulary_text(vocabulary, &text, &text_size).code == HL_OK);
    fuzz_require(memchr(data, '\\', size) != NULL || (text_size == size && memcmp(text, data, size) == 0));
    for (int32_t id = 0; id < hl_vocabulary_size(vocabulary); id++) {
        fuzz_require(hl_vocabulary_find(vocabulary, hl_vocabulary_token(vocabulary, id)) == id);
    }
    hl_free(text);
    hl_vocabulary_free(vocabulary);
    return 0;
}
