/* The bytes as each of the files that tokens are read from. Tokens that are taken, written out and read again are the
 * same; they cut the bytes, where those are UTF-8, into pieces that lie in them and become text again. */
#include "core/base/memory.h"
#include "data/text/tokens_file.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/input_file.h"

#include <string.h>

static void check_pieces(const hl_tokens *tokens, const char *text, size_t size, bool specials)
{
    hl_pieces pieces = { 0 };
    if (hl_tokens_encode(tokens, text, size, specials, &pieces).code == HL_OK) {
        hl_text decoded = { 0 };
        for (size_t i = 0; i < pieces.n; i++) {
            fuzz_require(pieces.at[i].begin < pieces.at[i].end && pieces.at[i].end <= size);
            fuzz_require(hl_tokens_piece(tokens, pieces.at[i].id, NULL) != NULL);
            fuzz_require(hl_tokens_decode(tokens, &pieces.at[i].id, 1, specials, &decoded).code == HL_OK);
        }
        fuzz_require(hl_tokens_wrap(tokens, pieces.n / 2, &pieces).code == HL_OK);
        hl_text_free(&decoded);
    }
    hl_pieces_free(&pieces);
}

static void check(hl_tokens *tokens, const uint8_t *data, size_t size)
{
    hl_text before = { 0 }, after = { 0 };
    hl_tokens *again;
    fuzz_require(hl_tokens_json(tokens, &before).code == HL_OK);
    input_file_set((const uint8_t *)before.bytes, before.size);
    fuzz_require(hl_tokens_load("tokens.json", &again).code == HL_OK);
    fuzz_require(hl_tokens_json(again, &after).code == HL_OK);
    fuzz_require(strcmp(before.bytes, after.bytes) == 0);
    check_pieces(again, (const char *)data, size, true);
    check_pieces(again, (const char *)data, size, false);
    hl_tokens_free(again);
    hl_tokens_free(tokens);
    hl_text_free(&before);
    hl_text_free(&after);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    hl_tokens *tokens;
    bool ignored;
    for (int reader = 0; reader < 4; reader++) {
        input_file_set(data, size);
        hl_status status = reader == 0   ? hl_tokens_load("tokens.json", &tokens)
                           : reader == 1 ? hl_tokens_load_tokenizer("tokenizer.json", &tokens, &ignored)
                           : reader == 2 ? hl_tokens_load_vocabulary("vocab.txt", true, &tokens)
                                         : hl_tokens_load_merges("vocab.json", "merges.txt", false, &tokens);
        fuzz_require((status.code == HL_OK) == (tokens != NULL));
        if (tokens != NULL) {
            check(tokens, data, size);
        }
    }
    return 0;
}
