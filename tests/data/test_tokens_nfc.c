/* The normalizer NFC of bpe: what version 0.23.3 of the `tokenizers` library makes of the same file and texts. */
#include "core/base/memory.h"
#include "data/text/private/tokens_encode.h"
#include "data/text/unicode/private/unicode.h"
#include "tests/data/tokens_texts.h"

/* As tests/data/tokens/make_nfc.py prints them. */
static const struct {
    const char *text, *pieces;
} texts[] = {
    { "cafe\314\201 cr\303\250me cafe\314\200s", "caf\303\203\302\251@0-4 \304\240cr\303\203\302\250me@6-13 "
                                                 "\304\240c@13-15 af@15-17 \303\203@17-18 \302\250@17-18 s@20-21" },
    { "\342\204\253ngstro\314\210m \342\204\253",
      "\342\204\253@0-3 ngs@3-6 t@6-7 r@7-8 o\314\210@8-9 m@11-12 \304\240@12-13 \342\204\253@13-16" },
    { "e\314\243\314\202 e\314\202\314\243 \341\272\271\314\202 \303\252\314\243",
      "\303\241\302\273\304\251@0-1 \304\240\303\241\302\273\304\251@5-7 \304\240\303\241\302\273\304\251@11-15 "
      "\304\240\303\241\302\273\304\251@17-20" },
    { "\314\201\314\243e\315\204\315\204",
      "\303\214@0-2 \302\243@0-2 \303\214@2-4 \304\243@2-4 \303\203@4-5 \302\253@4-5 \303\214@5-7 \304\243@5-7 "
      "\303\214@7-9 \304\252@7-9 \303\214@7-9 \304\243@7-9" },
    { "\341\204\222\341\205\241\341\206\253\352\265\255 \352\260\200\341\206\247 \352\260\200\341\206\250 "
      "\341\204\200\341\205\241\341\206\250\341\206\250",
      "\303\255\304\267\304\276\303\252\302\265\305\203@0-12 \304\240\303\252\302\260@12-16 \304\242@13-16 "
      "\303\241@16-19 \304\250@16-19 \302\247@16-19 \304\240\303\252\302\260@19-23 \304\243@20-23 "
      "\304\240\303\252\302\260@26-30 \304\243@27-30 \303\241@36-39 \304\250@36-39 \302\250@36-39" },
    { "\340\245\230 \340\244\225\340\244\274 \360\235\205\240",
      "\303\240\302\244\304\267@0-3 \303\240\302\244\302\274@0-3 \304\240\303\240\302\244\304\267@3-7 "
      "\303\240\302\244\302\274@7-10 \304\240@10-11 \303\260@11-15 \304\277@11-15 \304\247@11-15 \304\272@11-15 "
      "\303\260@11-15 \304\277@11-15 \304\247@11-15 \302\245@11-15 \303\260@11-15 \304\277@11-15 \304\247@11-15 "
      "\302\256@11-15" },
    { "A\314\201\314\200 A\314\247\314\201\314\247 A\314\212\314\201",
      "\303\203@0-1 \304\243@0-1 \303\214@3-5 \304\242@3-5 \304\240@5-6 \303\203@6-7 \304\243@6-7 \303\214@9-11 "
      "\302\247@9-11 \303\214@11-13 \302\247@11-13 \304\240@13-14 \303\207@14-15 \302\272@14-15" },
    { "\340\267\231\340\267\217\340\267\212\340\247\207\340\246\276 a\340\246\276",
      "\303\240@0-3 \302\267@0-3 \304\277@0-3 \303\240@9-12 \302\247@9-12 \304\255@9-12 \304\240@15-16 a@16-17 "
      "\303\240@17-20 \302\246@17-20 \302\276@17-20" },
    { "e\314\201\314\247\314\264\315\205\314\201\314\247 e\314\205\314\201",
      "\303\210@0-1 \302\251@0-1 \303\214@3-5 \302\264@3-5 \303\214@5-7 \302\247@5-7 \303\214@7-9 \304\243@7-9 "
      "\303\214@9-11 \304\243@9-11 \303\215@11-13 \304\247@11-13 \304\240@13-14 e@14-15 \303\214@15-17 \304\247@15-17 "
      "\303\214@17-19 \304\243@17-19" },
    { "e\314\201  \303\251   |||IP_ADDRESS|||e\314\201[MASK]e\314\201 [MASK]\342\200\231s",
      "\303\203\302\251@0-1   @3-5 \303\203\302\251@5-7    @7-10 |||IP_ADDRESS|||@10-26 \303\203\302\251@26-27 "
      "[MASK]@29-35 \303\203\302\251@35-36 [MASK]@38-45 \303\242@45-48 \304\242@45-48 \304\273@45-48 s@48-49" },
    { "caf\303\251 |||IP_ADDRESS|||  ok",
      "caf\303\203\302\251@0-5 \304\240@5-6 |||IP_ADDRESS|||@6-22   @22-24 o@24-25 k@25-26" },
    { "O\314\210 oo\314\210 o\314\210",
      "\303\203@0-1 \304\270@0-1 \304\240@3-4 o@4-5 o\314\210@5-6 \304\240@8-9 o\314\210@9-10" },
    { "\360\237\221\215\360\237\217\275\342\200\215\357\270\217\315\276\340\275\263\340\275\261",
      "\303\260@0-4 \305\201@0-4 \304\263@0-4 \304\257@0-4 \303\260@4-8 \305\201@4-8 \304\261@4-8 \302\275@4-8 "
      "\303\242@8-11 \304\242@8-11 \304\257@8-11 \303\257@11-14 \302\270@11-14 \304\261@11-14 ;@14-16 \303\240@16-19 "
      "\302\275@16-19 \302\261@16-19 \303\240@19-22 \302\275@19-22 \302\261@19-22 \303\240@19-22 \302\275@19-22 "
      "\302\262@19-22" },
};

static hl_tokens *nfc_tokens(void)
{
    return loaded_tokenizer(HL_TEST_TOKENS "/nfc_tokenizer.json");
}

/* Read from its file, and from what is written of it. */
LOOP_TEST(texts_become_nfc_as_in_the_library, 0, WRITTEN)
{
    hl_tokens *all[WRITTEN];
    write_and_read(nfc_tokens(), all);
    for (size_t t = 0; t < sizeof texts / sizeof *texts; t++) {
        check_pieces(all[_i], texts[t].text, true, texts[t].pieces);
    }
}

TEST(words_and_parts_become_nfc)
{
    hl_tokens *tokens = nfc_tokens();
    hl_pieces pieces = { 0 };
    CHECK_OK(hl_tokens_encode_more(tokens, "cafe\314\201", 6, false, &pieces));
    CHECK_OK(hl_tokens_encode_word(tokens, "cafe\314\201", 6, true, &pieces));
    CHECK_OK(hl_tokens_encode_word(tokens, "cre\314\200me", 7, false, &pieces));
    check_shown(tokens, &pieces, "caf\303\203\302\251@0-4 caf\303\203\302\251@0-4 \304\240cr\303\203\302\250me@0-7");
}

TEST(only_bpe_has_nfc)
{
    hl_tokens *none;
    hl_text *text = scratch_text(), *changed = scratch_text();
    CHECK_OK(hl_tokens_json(nfc_tokens(), text));
    const char *kind = strstr(text->bytes, "\"bpe\"");
    hl_text_print(changed, "%.*s\"words\"%s", (int)(kind - text->bytes), text->bytes, kind + strlen("\"bpe\""));
    hl_status status = hl_tokens_load(file_of("tokens.json", changed->bytes), &none);
    check_tokens_refused(status, none, "tokens.json: rules: nfc is for bpe, and these tokens are words");
}

/* As many characters come back from their parts as in the library. */
TEST(decomposition_and_composition_agree)
{
    int composed = 0;
    for (uint32_t code = 0; code < 0x110000; code++) {
        uint32_t parts[HL_PARTS_MAX], made;
        int n = hl_decompose(code, parts);
        made = parts[0];
        for (int i = 1; i < n && made != 0; i++) {
            made = hl_compose(made, parts[i]);
        }
        composed += n > 1 && made == code;
    }
    ck_assert_int_eq(composed, 940 + 11172);
    ck_assert_uint_eq(hl_compose(0xAC00, 0x11A7), 0);
    ck_assert_uint_eq(hl_compose(0xAC01, 0x11A8), 0);
    ck_assert_uint_eq(hl_compose(0x1112, 0x1176), 0);
}

/* All that is below U+0300 is left alone, and only that. */
TEST(usual_texts_are_nfc)
{
    ck_assert(hl_is_nfc("", 0));
    ck_assert(hl_is_nfc("caf\303\251 \313\277", 8)); /* to U+02FF */
    ck_assert(!hl_is_nfc("a\314\200", 3));
    ck_assert(!hl_is_nfc("\342\204\253", 3));
}

/* Any number of marks in any order takes time that grows with their number. A whole text of them is one segment. */
TEST(long_runs_of_marks)
{
    enum { PAIRS = 200000 };
    hl_text *text = scratch_text();
    hl_text_print(text, "a");
    for (int i = 0; i < PAIRS; i++) {
        hl_text_add(text, "\314\201\314\243", 4); /* U+0301 belongs behind U+0323 */
    }
    hl_tokens_scratch *scratch = hl_calloc(1, sizeof *scratch);
    hl_pieces memory = { .scratch = scratch };
    CHECK_OK(hl_tokens_normalize(nfc_tokens(), &(hl_tokens_part){ .text = text->bytes, .size = text->size }, scratch));
    ck_assert_uint_eq(scratch->n_plain, 3 + 4 * PAIRS - 2); /* U+1EA1 and all other marks */
    ck_assert_int_eq(memcmp(scratch->plain, "\341\272\241\314\243", 5), 0);
    ck_assert_int_eq(memcmp(scratch->plain + scratch->n_plain - 2, "\314\201", 2), 0);
    ck_assert_uint_eq(scratch->origins[scratch->n_plain - 1].end, text->size);
    hl_pieces_free(&memory);
}

TEST(every_allocation_may_fail)
{
    check_without_memory(nfc_tokens(), "ae\314\201\314\243\314\201 \342\204\253");
}

SUITE("tokens nfc")
