/* The bytes as the text of heads importance --keep. A set that is taken, printed and read again is the same. */
#include "heads/head_set.h"
#include "tests/fuzz/input_text.h"

#include <string.h>

enum { HEADS = 4 + 2 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const hl_model_config config = { .n_layers = 2, .heads = { 4, 2 } };
    char *names = input_text(data, size);
    bool set[HEADS], again[HEADS];
    if (hl_head_set_parse(&config, names, set).code == HL_OK) {
        hl_text text = { 0 };
        hl_head_set_print(&text, &config, set);
        fuzz_require(hl_text_status(&text).code == HL_OK);
        fuzz_require(hl_head_set_size(set, HEADS) > 0);
        fuzz_require(hl_head_set_parse(&config, text.bytes, again).code == HL_OK);
        fuzz_require(memcmp(set, again, sizeof set) == 0);
        hl_text_free(&text);
    }
    free(names);
    return 0;
}
