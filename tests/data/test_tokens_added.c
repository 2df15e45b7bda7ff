/* Added tokens in texts: what version 0.23.3 of the `tokenizers` library makes of the same files and texts. */
#include "data/text/private/tokens_parts.h"
#include "tests/data/tokens_texts.h"
#include "tests/scratch.h"

static const char wordpiece[] =
    "{\"added_tokens\":[{\"id\":1,\"content\":\"[C]\",\"single_word\":false,\"lstrip\":false,"
    "\"rstrip\":false,\"normalized\":false,\"special\":true},"
    "{\"id\":6,\"content\":\"the\",\"single_word\":true,\"lstrip\":false,\"rstrip\":false,"
    "\"normalized\":false,\"special\":false},"
    "{\"id\":10,\"content\":\"newtok\",\"single_word\":false,\"lstrip\":false,\"rstrip\":false,"
    "\"normalized\":true,\"special\":false},"
    "{\"id\":11,\"content\":\"New Tok\",\"single_word\":true,\"lstrip\":false,\"rstrip\":false,"
    "\"normalized\":true,\"special\":false},"
    "{\"id\":12,\"content\":\"<x>\",\"single_word\":false,\"lstrip\":true,\"rstrip\":true,"
    "\"normalized\":false,\"special\":false},"
    "{\"id\":13,\"content\":\"anné\",\"single_word\":false,\"lstrip\":false,\"rstrip\":false,"
    "\"normalized\":true,\"special\":false},"
    "{\"id\":14,\"content\":\"cats\",\"single_word\":true,\"lstrip\":false,\"rstrip\":false,"
    "\"normalized\":false,\"special\":false}],\"normalizer\":{\"type\":\"BertNormalizer\","
    "\"clean_text\":true,\"handle_chinese_chars\":true,\"strip_accents\":null,"
    "\"lowercase\":true},\"pre_tokenizer\":{\"type\":\"BertPreTokenizer\"},"
    "\"post_processor\":null,\"decoder\":null,\"model\":{\"type\":\"WordPiece\","
    "\"unk_token\":\"?\",\"continuing_subword_prefix\":\"##\","
    "\"max_input_chars_per_word\":100,\"vocab\":{\"?\":0,\"[C]\":1,\"new\":2,\"##tok\":3,"
    "\"tok\":4,\"##s\":5,\"the\":6,\"a\":7,\"_\":8,\"<\":9}}}";
static const char bpe[] = "{\"added_tokens\":[{\"id\":1,\"content\":\"b\",\"single_word\":false,\"lstrip\":false,"
                          "\"rstrip\":false,\"normalized\":false,\"special\":false},"
                          "{\"id\":8,\"content\":\"<x>\",\"single_word\":false,\"lstrip\":false,\"rstrip\":true,"
                          "\"normalized\":false,\"special\":true},"
                          "{\"id\":9,\"content\":\"new\",\"single_word\":true,\"lstrip\":false,\"rstrip\":false,"
                          "\"normalized\":true,\"special\":false},"
                          "{\"id\":10,\"content\":\"né w\",\"single_word\":false,\"lstrip\":true,\"rstrip\":false,"
                          "\"normalized\":true,\"special\":false},"
                          "{\"id\":11,\"content\":\"Ġc\",\"single_word\":false,\"lstrip\":false,\"rstrip\":false,"
                          "\"normalized\":false,\"special\":false}],\"normalizer\":null,"
                          "\"pre_tokenizer\":{\"type\":\"ByteLevel\",\"add_prefix_space\":true,"
                          "\"trim_offsets\":false,\"use_regex\":true},\"post_processor\":{\"type\":\"ByteLevel\","
                          "\"add_prefix_space\":true,\"trim_offsets\":false,\"use_regex\":true},\"decoder\":null,"
                          "\"model\":{\"type\":\"BPE\",\"dropout\":null,\"unk_token\":null,"
                          "\"continuing_subword_prefix\":null,\"end_of_word_suffix\":null,\"fuse_unk\":false,"
                          "\"byte_fallback\":false,\"vocab\":{\"a\":0,\"b\":1,\"Ġ\":2,\"c\":3,\"n\":4,\"e\":5,\"w\":6,"
                          "\"ne\":7},\"merges\":[[\"n\",\"e\"]]}}";

typedef struct text_case {
    const char *text;
    bool specials;
    const char *pieces;
} text_case;

static const text_case of_wordpiece[] = {
    { "NEWTOKS newtok newtoknew", true, "newtok@0-6 ?@6-7 newtok@8-14 newtok@15-21 new@21-24" },
    { "a New Tok new  tok new tok_ NEW\x09TOK.", true,
      "a@0-1 New Tok@2-9 new@10-13 tok@15-18 new@19-22 tok@23-26 _@26-27 New Tok@28-35 ?@35-36" },
    { "a \x09 <x> a<x><X>", true, "a@0-1 <x>@1-8 a@8-9 <x>@9-12 <@12-13 ?@13-14 ?@14-15" },
    { "The the thes _the the", true, "the@0-3 the@4-7 the@8-11 ##s@11-12 _@13-14 the@14-17 the@18-21" },
    { "[C]newtok[c]", true, "[C]@0-3 newtok@3-9 ?@9-10 ?@10-11 ?@11-12" },
    { "annés ANNE Anne\xCC\x81", true, "anné@0-5 ?@5-6 anné@7-11 anné@12-16" },
    { "catss cats", true, "?@0-5 cats@6-10" },
    { "[C]newtok[c]", false, "?@0-1 ?@1-2 ?@2-3 newtok@3-9 ?@9-10 ?@10-11 ?@11-12" },
};
static const text_case of_bpe[] = {
    { "a new b newa new", true,
      "Ġ@0-1 a@0-1 Ġ@1-2 new@2-5 Ġ@5-6 b@6-7 Ġ@7-8 ne@8-10 w@10-11 a@11-12 Ġ@12-13 "
      "new@13-16" },
    { "a né wné wa", true, "Ġ@0-1 a@0-1 né w@1-7 né w@7-12 Ġ@12-13 a@12-13" },
    { "<x>  a<x>b", true, "<x>@0-5 Ġ@5-6 a@5-6 <x>@6-9 b@9-10" },
    { " bb", true, "Ġ@0-1 b@1-2 b@2-3" },
    { "news new_ Ġc c", true, "Ġ@0-1 ne@0-2 w@2-3 Ġ@4-5 ne@5-7 w@7-8 Ġ@9-10 Ġc@10-13 Ġ@13-14 c@14-15" },
    { "<x>  a<x>b", false, "Ġ@0-1 Ġ@3-4 Ġ@4-5 a@5-6 b@9-10" },
};

static void check_cases(const char *json, const text_case *cases, size_t n)
{
    hl_tokens *all[WRITTEN];
    write_and_read(tokenizer_of(json), all);
    for (int i = 0; i < WRITTEN; i++) {
        for (size_t c = 0; c < n; c++) {
            check_pieces(all[i], cases[c].text, cases[c].specials, cases[c].pieces);
        }
    }
}

TEST(added_tokens_are_found_as_the_library_finds_them)
{
    check_cases(wordpiece, of_wordpiece, sizeof of_wordpiece / sizeof *of_wordpiece);
    check_cases(bpe, of_bpe, sizeof of_bpe / sizeof *of_bpe);
}

TEST(ordinary_tokens_are_no_special_ones)
{
    static const int32_t words[] = { 10, 2, 1, 13 }, letters[] = { 10, 0, 8, 11 };
    hl_tokens *all[WRITTEN];
    write_and_read(tokenizer_of(wordpiece), all);
    ck_assert(!hl_tokens_is_special(all[2], 10) && hl_tokens_is_special(all[2], 1));
    ck_assert_int_eq(hl_tokens_find(all[2], "newtok", 6), 10);
    check_decoded(all[2], words, 4, false, "newtok new anné");
    check_decoded(tokenizer_of(bpe), letters, 4, false, "né waĠc"); /* as they are spelled, not as byte letters */
}

/* Word by word, too, but for special ones. */
TEST(added_tokens_are_found_in_a_given_word)
{
    hl_tokens *tokens = tokenizer_of(bpe);
    hl_pieces pieces = { 0 };
    CHECK_OK(hl_tokens_encode_word(tokens, "ab", 2, false, &pieces));
    CHECK_OK(hl_tokens_encode_word(tokens, "new", 3, false, &pieces));
    CHECK_OK(hl_tokens_encode_word(tokens, "<x>a", 4, false, &pieces));
    check_shown(tokens, &pieces, "Ġ@0-1 a@0-1 b@1-2 new@0-3 Ġ@0-1 a@3-4");
}

/* The text that a normalized token is looked for by follows the rules. */
TEST(other_rules_normalize_added_tokens_anew)
{
    hl_tokens *tokens = tokenizer_of(wordpiece);
    bool changed;
    ck_assert_str_eq(hl_tokens_set_bert_rules(tokens, false, false, true, &changed).text, "");
    ck_assert(changed);
    check_pieces(tokens, "New Tok anné new tok", true, "New Tok@0-7 anné@8-13 new@14-17 tok@18-21");
    ck_assert_str_eq(hl_tokens_set_bert_rules(tokens, false, false, true, &changed).text, "");
    ck_assert(!changed);
}

static const struct {
    const char *old, *new, *message;
} damaged[] = {
    { "[6,false,false,true,false,false]", "[6,false,false,true,false]",
      "tokens.json: added, of wordpiece, bpe and unigram, is a list of [id, lstrip, rstrip, single_word, normalized, "
      "special]" },
    { "[6,false,false,true,false,false]", "[60,false,false,true,false,false]",
      "tokens.json: a special token's id is that of no piece" },
    { "\"wordpiece\"", "\"words\"",
      "tokens.json: added, of wordpiece, bpe and unigram, is a list of [id, lstrip, rstrip, single_word, normalized, "
      "special]" },
    { "\"model_pieces\":10", "\"model_pieces\":16",
      "tokens.json: model_pieces is not from 1 to 15, the number of pieces" },
    { "\"model_pieces\":10", "\"model_pieces\":0",
      "tokens.json: model_pieces is not from 1 to 15, the number of pieces" },
    { "\"newtok\"", "\"\xC2\xAD\"",
      "tokens.json: added_tokens: \\u{ad}: nothing is left of it when it is normalized; make its normalized false" },
};

LOOP_TEST(damaged_added_tokens_are_refused, 0, sizeof damaged / sizeof *damaged)
{
    hl_tokens *none;
    hl_text *text = scratch_text(), *changed = scratch_text();
    CHECK_OK(hl_tokens_json(tokenizer_of(wordpiece), text));
    const char *at = strstr(text->bytes, damaged[_i].old);
    ck_assert_ptr_nonnull(at);
    hl_text_print(changed, "%.*s%s%s", (int)(at - text->bytes), text->bytes, damaged[_i].new,
                  at + strlen(damaged[_i].old));
    const char *path = scratch_file("tokens.json", changed->bytes);
    hl_status status = hl_tokens_load(path, &none);
    check_tokens_refused(status, none, damaged[_i].message);
}

SUITE("added tokens")
