/* The normalizer NFC of bpe: what version 0.23.3 of the `tokenizers` library makes of the same file and texts. */
#include "core/base/memory.h"
#include "data/text/private/tokens_encode.h"
#include "data/text/unicode/private/unicode.h"
#include "tests/data/tokens_texts.h"

/* As tests/data/tokens/make_nfc.py prints them, but for characters that show what they are. */
static const struct {
    const char *text, *pieces;
} texts[] = {
    { "cafe\314\201 crème cafe\314\200s", "cafÃ©@0-4 ĠcrÃ¨me@6-13 "
                                          "Ġc@13-15 af@15-17 Ã@17-18 ¨@17-18 s@20-21" },
    { "\342\204\253ngstro\314\210m \342\204\253",
      "\342\204\253@0-3 ngs@3-6 t@6-7 r@7-8 o\314\210@8-9 m@11-12 Ġ@12-13 \342\204\253@13-16" },
    { "e\314\243\314\202 e\314\202\314\243 \341\272\271\314\202 \303\252\314\243", "á»ĩ@0-1 Ġá»ĩ@5-7 Ġá»ĩ@11-15 "
                                                                                   "Ġá»ĩ@17-20" },
    { "\314\201\314\243e\315\204\315\204", "Ì@0-2 £@0-2 Ì@2-4 ģ@2-4 Ã@4-5 «@4-5 Ì@5-7 ģ@5-7 "
                                           "Ì@7-9 Ī@7-9 Ì@7-9 ģ@7-9" },
    { "\341\204\222\341\205\241\341\206\253국 가\341\206\247 가\341\206\250 "
      "\341\204\200\341\205\241\341\206\250\341\206\250",
      "íķľêµŃ@0-12 Ġê°@12-16 Ģ@13-16 "
      "á@16-19 Ĩ@16-19 §@16-19 Ġê°@19-23 ģ@20-23 "
      "Ġê°@26-30 ģ@27-30 á@36-39 Ĩ@36-39 ¨@36-39" },
    { "\340\245\230 \340\244\225\340\244\274 \360\235\205\240",
      "à¤ķ@0-3 à¤¼@0-3 Ġà¤ķ@3-7 "
      "à¤¼@7-10 Ġ@10-11 ð@11-15 Ŀ@11-15 ħ@11-15 ĺ@11-15 "
      "ð@11-15 Ŀ@11-15 ħ@11-15 ¥@11-15 ð@11-15 Ŀ@11-15 ħ@11-15 "
      "®@11-15" },
    { "A\314\201\314\200 A\314\247\314\201\314\247 A\314\212\314\201",
      "Ã@0-1 ģ@0-1 Ì@3-5 Ģ@3-5 Ġ@5-6 Ã@6-7 ģ@6-7 Ì@9-11 "
      "§@9-11 Ì@11-13 §@11-13 Ġ@13-14 Ç@14-15 º@14-15" },
    { "\340\267\231\340\267\217\340\267\212\340\247\207\340\246\276 a\340\246\276",
      "à@0-3 ·@0-3 Ŀ@0-3 à@9-12 §@9-12 ĭ@9-12 Ġ@15-16 a@16-17 "
      "à@17-20 ¦@17-20 ¾@17-20" },
    { "e\314\201\314\247\314\264\315\205\314\201\314\247 e\314\205\314\201",
      "È@0-1 ©@0-1 Ì@3-5 ´@3-5 Ì@5-7 §@5-7 Ì@7-9 ģ@7-9 "
      "Ì@9-11 ģ@9-11 Í@11-13 ħ@11-13 Ġ@13-14 e@14-15 Ì@15-17 ħ@15-17 "
      "Ì@17-19 ģ@17-19" },
    { "e\314\201  é   |||IP_ADDRESS|||e\314\201[MASK]e\314\201 [MASK]’s",
      "Ã©@0-1   @3-5 Ã©@5-7    @7-10 |||IP_ADDRESS|||@10-26 Ã©@26-27 "
      "[MASK]@29-35 Ã©@35-36 [MASK]@38-45 â@45-48 Ģ@45-48 Ļ@45-48 s@48-49" },
    { "café |||IP_ADDRESS|||  ok", "cafÃ©@0-5 Ġ@5-6 |||IP_ADDRESS|||@6-22   @22-24 o@24-25 k@25-26" },
    { "O\314\210 oo\314\210 o\314\210", "Ã@0-1 ĸ@0-1 Ġ@3-4 o@4-5 o\314\210@5-6 Ġ@8-9 o\314\210@9-10" },
    { "\360\237\221\215\360\237\217\275\342\200\215\357\270\217\315\276\340\275\263\340\275\261",
      "ð@0-4 Ł@0-4 ĳ@0-4 į@0-4 ð@4-8 Ł@4-8 ı@4-8 ½@4-8 "
      "â@8-11 Ģ@8-11 į@8-11 ï@11-14 ¸@11-14 ı@11-14 ;@14-16 à@16-19 "
      "½@16-19 ±@16-19 à@19-22 ½@19-22 ±@19-22 à@19-22 ½@19-22 "
      "²@19-22" },
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
    check_shown(tokens, &pieces, "cafÃ©@0-4 cafÃ©@0-4 ĠcrÃ¨me@0-7");
}

TEST(only_bpe_has_nfc)
{
    hl_tokens *none;
    hl_text *text = scratch_text(), *changed = scratch_text();
    CHECK_OK(hl_tokens_json(nfc_tokens(), text));
    const char *kind = strstr(text->bytes, "\"bpe\"");
    hl_text_print(changed, "%.*s\"words\"%s", (int)(kind - text->bytes), text->bytes, kind + strlen("\"bpe\""));
    hl_status status = hl_tokens_load(scratch_file("tokens.json", changed->bytes), &none);
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
    ck_assert(hl_is_nfc("café \313\277", 8)); /* to U+02FF */
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
