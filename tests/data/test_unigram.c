#include "core/base/memory.h"
#include "data/text/private/tokens_parts.h"
#include "tests/data/tokens_texts.h"

#include <math.h>
#include <time.h>

/* ---- a model of SentencePiece, made by tests/data/tokens/make_unigram.py ---- */

static hl_tokens *of_sentencepiece(void)
{
    return loaded_tokenizer(HL_TEST_TOKENS "/unigram_tokenizer.json");
}

/* The answers are those of the `tokenizers` library. */
static const struct {
    const char *text, *pieces;
} difficult[] = {
    { "", "" },
    { "   ", "" },
    { "rugovi  me", "▁rugovi@0-6 ▁@8-9 m@8-9 e@9-10" },
    { "tedebañu RUGOVI", "▁tedebañu@0-9 ▁@10-11 R@10-11 <unk>@11-12 G@12-13 <unk>@13-14 V@14-15 <unk>@15-16" },
    { "\xE3\x80\x80tedebañu\x09me\x0D\x0Ala", "▁tedebañu@3-12 ▁@13-14 m@13-14 e@14-15 ▁@17-18 l@17-18 a@18-19" },
    { "\xEF\xBD\x94\xEF\xBD\x85\xEF\xBD\x84\xEF\xBD\x85\xEF\xBD\x82\xEF\xBD\x81ñ\xEF\xBD\x95", "▁tedebañu@0-23" },
    { "ñ n\xCC\x83", "▁@0-2 ñ@0-2 ▁@3-4 n@3-4 <unk>@4-6" },
    { "e\xCC\x81 e\xCC\x81\xCC\x81 e\xCC\x81\xCC\x81\xCC\x81", "▁@0-1 é@0-1 ▁@4-5 é@4-5 ▁@10-11 e@10-11 <unk>@11-17" },
    { "\xEF\xAC\x81\xCC\x81xo \xEF\xAC\x83", "▁fixo@0-7 ▁@8-11 f@8-11 f@8-11 i@8-11" },
    { "½¼a", "▁@0-2 1@0-2 ⁄@0-2 2@0-2 1@2-4 ⁄@2-4 <unk>@2-4 a@4-5" },
    { "\xEF\xB7\xBA", "▁@0-3 <unk>@0-3 ▁@0-3 \xD8\xA7@0-3 <unk>@0-3 ▁@0-3 <unk>@0-3 \xD9\x8A@0-3 <unk>@0-3 ▁@0-3 "
                      "\xD9\x88@0-3 <unk>@0-3" },
    { "me\xC2\xADla m\xE2\x80\x8D"
      "e",
      "▁mela@0-6 ▁@7-8 m@7-8 e@11-12" },
    { "\xE0\xA4\x95\xE0\xA5\x8D\xE0\xA4\xB7 \xE0\xA4\x95\xE0\xA5\x8D\xE0\xA5\x98\xCC\x81",
      "▁@0-3 \xE0\xA4\x95@0-3 \xE0\xA5\x8D@3-6 \xE0\xA4\xB7@6-9 ▁@10-13 \xE0\xA4\x95@10-13 \xE0\xA5\x8D@13-16 "
      "\xE0\xA4\x95@16-19 <unk>@16-21" },
    { "\xE0\xA5\x98\xCC\x81", "▁@0-3 \xE0\xA4\x95@0-3 <unk>@3-5" },
    { "\xED\x95\x9C\xCC\x81\xE1\x84\x92\xE1\x85\xA1\xE1\x86\xAB", "▁@0-3 한@0-3 <unk>@3-14" },
    { "a<mask> me", "▁@0-1 a@0-1 <mask>@1-7 ▁@8-9 m@8-9 e@9-10" },
    { "me <mask> la<mask>la",
      "▁@0-1 m@0-1 e@1-2 <mask>@2-9 ▁@10-11 l@10-11 a@11-12 <mask>@12-18 ▁@18-19 l@18-19 a@19-20" },
    { "<s>me</s>", "<s>@0-3 ▁@3-4 m@3-4 e@4-5 </s>@5-9" },
    { "<unk>", "<unk>@0-5" },
    { "me▁la ▁▁", "▁@0-1 m@0-1 e@1-2 ▁@2-5 l@5-6 a@6-7 ▁@8-11 ▁@11-14" },
    { "newtok newtoks", "newtok@0-6 ▁@7-8 n@7-8 e@8-9 <unk>@9-10 t@10-11 o@11-12 k@12-13 s@13-14" },
    { "\xEF\xAC\x81rst  me", "\xEF\xAC\x81rst@0-8 ▁@8-9 m@8-9 e@9-10" },
    { "中文語 日中中", "▁@0-3 中@0-3 文@3-6 語@6-9 ▁@10-13 日@10-13 中中@13-19" },
    { "qqqqq", "▁@0-1 <unk>@0-5" },
    { "ква жщ", "▁@0-2 к@0-2 в@2-4 а@4-6 ▁@7-9 ж@7-9 щ@9-11" },
    { "\xD0\xB0\xCC\x81", "▁@0-2 а@0-2 <unk>@2-4" },
    { "\xCD\x80\xCD\x81", "▁@0-2 <unk>@0-2" },
    { "\x0D\x0A"
      "a\x0D"
      "b",
      "▁@2-3 a@2-3 ▁@4-5 b@4-5" },
    { "\xE3\x8C\x80", "▁@0-3 <unk>@0-3" },
    { "x\xCD\x84\xCC\x81", "▁@0-1 x@0-1 <unk>@1-5" },
    { "\xF0\x9F\x91\xA9\xE2\x80\x8D\xF0\x9F\x91\xA9\xE2\x80\x8D\xF0\x9F\x91\xA7", "▁@0-4 <unk>@0-18" },
    { "©\xE2\x80\x8D\xC2\xAE\xCC\x81", "▁@0-2 <unk>@0-9" },
};

LOOP_TEST(difficult_strings_have_the_pieces_of_the_reference, 0, sizeof difficult / sizeof difficult[0])
{
    check_pieces(of_sentencepiece(), difficult[_i].text, true, difficult[_i].pieces);
}

/* check_unigram.py finds the library's pieces for all these texts equal. */
TEST(pieces_of_many_scripts_are_those_of_the_reference)
{
    hl_tokens *tokens = of_sentencepiece();
    hl_pieces pieces = { 0 };
    uint64_t digest = HL_HASH;
    for (uint32_t i = 0; i < TOKEN_STRINGS; i++) {
        digest = token_string_pieces(tokens, i, &pieces, digest);
    }
    ck_assert_uint_eq(digest, UINT64_C(7195993737601231329));
    hl_pieces_free(&pieces);
}

/* ---- small models ---- */

#define MODEL(unknown, pieces) \
    "\"model\": {\"type\": \"Unigram\", \"unk_id\": " unknown ", \"vocab\": [[\"<unk>\", 0.0], " pieces "]}"
/* An unknown character has the score 20. */
#define POSITIVE \
    "\"model\": {\"type\": \"Unigram\", \"unk_id\": 0, \"vocab\": [[\"<unk>\", 30], [\"xy\", 30], [\"yz\", 30]]}"
#define METASPACE(rest) "{\"type\": \"Metaspace\", \"replacement\": \"▁\"" rest "}"
#define SPLIT "{\"type\": \"WhitespaceSplit\"}"
#define SPACES(content) "{\"type\": \"Replace\", \"pattern\": {\"Regex\": \" {2,}\"}, \"content\": \"" content "\"}"
#define STRIP "{\"type\": \"Strip\", \"strip_left\": false, \"strip_right\": true}"
#define LETTERS "[\"a\", -2], [\"b\", -2], [\"ab\", -3.0], [\"▁\", -2.5], [\"▁a\", -3.5]"

static hl_tokens *unigram(const char *model, const char *normalizer, const char *pre_tokenizer)
{
    return tokenizer_of(
        scratch_format("{%s, \"normalizer\": %s, \"pre_tokenizer\": %s}", model, normalizer, pre_tokenizer));
}

TEST(the_cut_with_the_highest_sum_is_taken)
{
    hl_tokens *tokens = unigram(MODEL("0", LETTERS), "null", METASPACE(", \"prepend_scheme\": \"never\""));
    ck_assert_int_eq(hl_tokens_get_kind(tokens), HL_TOKENS_UNIGRAM);
    ck_assert_int_eq(hl_tokens_role(tokens, HL_ROLE_UNK), 0);
    check_pieces(tokens, "abba", false, "ab@0-2 b@2-3 a@3-4");
    check_pieces(tokens, "a a", false, "a@0-1 ▁a@1-3");
    check_pieces(tokens, "xyaz", false, "<unk>@0-2 a@2-3 <unk>@3-4");
    check_pieces(tokens, "x y", false, "<unk>@0-1 ▁@1-2 <unk>@2-3");
    check_pieces(tokens, "<unk>", false, "<unk>@0-5"); /* a piece like any other */
    tokens = unigram(MODEL("0", "[\"a\", -1], [\"b\", -1], [\"ab\", -2]"), "null", METASPACE(""));
    check_pieces(tokens, "ab", false, "<unk>@0-1 ab@0-2"); /* of equal sums, that with the longer last piece */
    tokens = unigram(POSITIVE, "null", METASPACE(", \"prepend_scheme\": \"never\""));
    check_pieces(tokens, "xy", false, "xy@0-2"); /* two unknown pieces, whose text is a piece */
    check_pieces(tokens, "xyz", false, "<unk>@0-3");
    tokens = unigram(MODEL("0", "[\"xy\", 30], [\"a\", 29]"), "null", METASPACE(", \"prepend_scheme\": \"never\""));
    check_pieces(tokens, "xy", false, "xy@0-2");
    tokens =
        unigram(MODEL("0", "[\"xy\", 30], [\"<unk>y\", 41]"), "null", METASPACE(", \"prepend_scheme\": \"never\""));
    check_pieces(tokens, "x<unk>y", false, "<unk>@0-1 <unk>y@1-7");
}

/* The library reads -13.816990852355957 as the double before it, so the sums differ in their last bit. */
TEST(scores_are_rounded_as_by_the_reference)
{
    hl_tokens *tokens = unigram(MODEL("0", "[\"ab\", -13.816990852355957], [\"a\", -13.816990852355955], [\"b\", 0.0]"),
                                "null", METASPACE(", \"prepend_scheme\": \"never\""));
    ck_assert(tokens->unigram->used[1] == -13.816990852355955);
    ck_assert(tokens->unigram->scores[1] == -13.816990852355957);
    ck_assert(tokens->unigram->unknown == -13.816990852355955 - 10);
    static const double kept[] = { -100, 0, -0.1, -1e-5, 1.5e22, -8.000000000000002, 5e-324 };
    for (size_t i = 0; i < sizeof kept / sizeof kept[0]; i++) {
        tokens->unigram->scores[3] = kept[i];
        hl_free(tokens->unigram->used);
        hl_trie_free(&tokens->unigram->trie);
        CHECK_OK(hl_unigram_index(tokens, tokens->unigram));
        ck_assert_msg(tokens->unigram->used[3] == kept[i], "%.17g", kept[i]);
    }
}

TEST(a_character_without_a_piece_needs_an_unknown_token)
{
    hl_tokens *tokens = unigram(MODEL("null", LETTERS), "null", METASPACE(""));
    hl_pieces pieces = { 0 };
    check_pieces(tokens, "ab", false, "▁@0-1 ab@0-2");
    hl_status status = hl_tokens_encode(tokens, "ab aé", 6, false, &pieces);
    ck_assert_int_eq(status.code, HL_INVALID);
    ck_assert_str_eq(status.text, "no piece begins with é, and there is no unknown token");
    ck_assert_uint_eq(pieces.n, 0);
    hl_pieces_free(&pieces);
    tokens = unigram(MODEL("null", "[\"a\", -2], [\"ab\", -3]"), "null", METASPACE(", \"prepend_scheme\": \"never\""));
    check_pieces(tokens, "ab", false, "ab@0-2"); /* b alone is no piece, but no better cut needs it */
}

static const struct {
    const char *normalizer, *pre_tokenizer, *pieces; /* of "a  b\t a" and a space */
    bool bare;
} forms[] = {
    { "null", METASPACE(""), "▁a@0-1 ▁@1-2 ▁@2-3 b@3-4 <unk>@4-5 ▁a@5-7 ▁@7-8", false },
    { "null", METASPACE(", \"add_prefix_space\": false"), "a@0-1 ▁@1-2 ▁@2-3 b@3-4 <unk>@4-5 ▁a@5-7 ▁@7-8", true },
    { SPACES(" "), METASPACE(", \"add_prefix_space\": true"), "▁a@0-1 ▁@2-3 b@3-4 <unk>@4-5 ▁a@5-7 ▁@7-8", false },
    { "{\"type\": \"Sequence\", \"normalizers\": [" STRIP ", " SPACES("▁") "]}",
      METASPACE(", \"prepend_scheme\": \"first\", \"split\": true"), "▁a@0-1 ▁@2-3 b@3-4 <unk>@4-5 ▁a@5-7", false },
    { "null", "{\"type\": \"Sequence\", \"pretokenizers\": [" SPLIT ", " METASPACE("") "]}",
      "▁a@0-1 ▁@3-4 b@3-4 ▁a@6-7", false },
    { "null",
      "{\"type\": \"Sequence\", \"pretokenizers\": [" SPLIT ", " METASPACE(", \"prepend_scheme\": \"first\"") "]}",
      "▁a@0-1 b@3-4 a@6-7", false },
    { "null",
      "{\"type\": \"Sequence\", \"pretokenizers\": [" SPLIT ", " METASPACE(", \"prepend_scheme\": \"never\"") "]}",
      "a@0-1 b@3-4 a@6-7", true },
};
enum { FORMS = sizeof forms / sizeof forms[0] };

LOOP_TEST(spaces_are_treated_as_each_form_says, 0, FORMS)
{
    hl_tokens *tokens = unigram(MODEL("0", LETTERS), forms[_i].normalizer, forms[_i].pre_tokenizer), *all[WRITTEN];
    check_pieces(tokens, "", false, "");
    ck_assert(hl_tokens_first_word_is_bare(tokens) == forms[_i].bare);
    write_and_read(tokens, all);
    hl_text *before = scratch_text();
    CHECK_OK(hl_tokens_json(tokens, before));
    for (int i = 0; i < WRITTEN; i++) {
        hl_text *after = scratch_text();
        CHECK_OK(hl_tokens_json(all[i], after));
        ck_assert_str_eq(before->bytes, after->bytes);
        check_pieces(all[i], "a  b\t a ", false, forms[_i].pieces);
    }
}

TEST(texts_come_in_parts_or_word_by_word)
{
    static const char *const words[] = { "a", "ab", "a b", "" };
    static const char *const schemes[] = { METASPACE(""), METASPACE(", \"prepend_scheme\": \"never\""),
                                           METASPACE(", \"prepend_scheme\": \"first\"") };
    for (int i = 0; i < 3; i++) {
        hl_tokens *tokens = unigram(MODEL("0", LETTERS), "null", schemes[i]);
        hl_pieces pieces = { 0 };
        for (int w = 0; w < 4; w++) {
            CHECK_OK(hl_tokens_encode_word(tokens, words[w], strlen(words[w]), w == 0, &pieces));
        }
        check_shown(tokens, &pieces,
                    i == 1 ? "a@0-1 ▁@0-1 ab@0-2 ▁a@0-1 ▁@1-2 b@2-3 <unk>@0-0"
                           : "▁a@0-1 ▁@0-1 ab@0-2 ▁a@0-1 ▁@1-2 b@2-3 <unk>@0-0");
        CHECK_OK(hl_tokens_encode_more(tokens, "ab a", 4, false, &pieces));
        check_shown(tokens, &pieces, "ab@0-2 ▁a@2-4");
    }
    hl_tokens *tokens = unigram(MODEL("0", LETTERS), "null", schemes[1]);
    CHECK_OK(hl_tokens_set_prefix_space(tokens));
    check_pieces(tokens, "ab", false, "▁@0-1 ab@0-2");
}

TEST(only_the_first_word_has_a_space_even_after_an_added_token)
{
    hl_tokens *tokens =
        unigram(MODEL("0", LETTERS), "null",
                METASPACE(", \"prepend_scheme\": \"first\"") ", \"added_tokens\": "
                                                             "[{\"id\": 6, \"content\": \"<m>\", \"special\": true}]");
    check_pieces(tokens, "a<m>ab", true, "▁a@0-1 <m>@1-4 ab@4-6");
    check_pieces(tokens, "<m>ab", true, "<m>@0-3 ab@3-5");
}

TEST(added_tokens_and_what_stands_around_a_text)
{
    hl_tokens *tokens = of_sentencepiece();
    hl_pieces pieces = { 0 };
    CHECK_OK(hl_tokens_encode(tokens, "me<mask>", 8, true, &pieces));
    size_t n = pieces.n;
    CHECK_OK(hl_tokens_encode(tokens, "<s>", 3, false, &pieces)); /* its text has the piece with the highest score */
    CHECK_OK(hl_tokens_wrap(tokens, n, &pieces));
    check_shown(tokens, &pieces, "<s>@0-0 ▁@0-1 m@0-1 e@1-2 <mask>@2-8 </s>@0-0 </s>@0-0 ▁@0-1 <s>@0-3 </s>@0-0");
    ck_assert_int_eq(hl_tokens_role(tokens, HL_ROLE_MASK), 501);
    ck_assert_int_eq(hl_tokens_role(tokens, HL_ROLE_PAD), 1);
    ck_assert_int_eq(hl_tokens_role(tokens, HL_ROLE_CLS), 0);
    ck_assert_int_eq(hl_tokens_role(tokens, HL_ROLE_SEP), 2);
    const int32_t ids[] = { 0, hl_tokens_find(tokens, "▁rugovi", 9), hl_tokens_find(tokens, "▁", 3), 3, 502, 2 };
    check_decoded(tokens, ids, 6, true, "<s> rugovi <unk>newtok</s>");
    check_decoded(tokens, ids, 6, false, " rugovi newtok");
}

/* ---- what is refused ---- */

#define OK_PRE ", \"pre_tokenizer\": " METASPACE("")
#define NORMAL(type) MODEL("0", LETTERS) OK_PRE ", \"normalizer\": " type
#define UNIGRAM(rest) "{\"model\": {\"type\": \"Unigram\"" rest "}" OK_PRE "}"

static const struct {
    const char *text, *message;
} refused[] = {
    { UNIGRAM(""), "model: vocab is no list of 1 to 2097152 pieces and their scores" },
    { UNIGRAM(", \"vocab\": {\"a\": 0}"), "model: vocab is no list of 1 to 2097152 pieces and their scores" },
    { UNIGRAM(", \"vocab\": [[\"a\", 0], [\"b\"]]"), "model: piece 1 of vocab is no pair of a text and a score" },
    { UNIGRAM(", \"vocab\": [[\"a\", \"0\"]]"), "model: piece 0 of vocab is no pair of a text and a score" },
    { UNIGRAM(", \"vocab\": [[1, 0]]"), "model: piece 0 of vocab is no pair of a text and a score" },
    { UNIGRAM(", \"vocab\": [[\"a\", 0], [\"a\", 1]]"), "the piece a has two ids, 0 and 1" },
    { UNIGRAM(", \"vocab\": [[\"\", 0]]"), "the piece with id 0 is empty" },
    { UNIGRAM(", \"vocab\": [[\"a\", -1e999]]"),
      "not valid JSON: real number overflow near '-1e999' (line 1, column 52)" },
    { UNIGRAM(", \"vocab\": [[\"a\", NaN]]"), "not valid JSON: invalid token near 'NaN' (line 1, column 49)" },
    { UNIGRAM(", \"vocab\": [[\"a\", 0]], \"unk_id\": 1"), "model: unk_id is the id of no piece" },
    { UNIGRAM(", \"vocab\": [[\"a\", 0]], \"unk_id\": \"a\""), "model: unk_id is the id of no piece" },
    { UNIGRAM(", \"vocab\": [[\"a\", 0]], \"byte_fallback\": true"), "model: byte_fallback is not supported" },
    { "{" NORMAL("{\"type\": \"NFKC\"}") "}", "normalizer: NFKC is not supported" },
    { "{" NORMAL("{\"type\": \"Sequence\", \"normalizers\": [" SPACES(" ") ", " STRIP "]}") "}",
      "normalizer: an order other than Precompiled, Strip, Replace is not supported" },
    { "{" NORMAL("{\"type\": \"Sequence\", \"normalizers\": [" STRIP ", {\"type\": \"NFC\"}]}") "}",
      "normalizer: NFC is not supported" },
    { "{" NORMAL("{\"type\": \"Strip\", \"strip_left\": true, \"strip_right\": true}") "}",
      "normalizer: Strip with strip_left is not supported" },
    { "{" NORMAL("{\"type\": \"Replace\", \"pattern\": {\"String\": \"''\"}, \"content\": \" \"}") "}",
      "normalizer: a Replace other than that of {\"Regex\": \" {2,}\"} by a space or U+2581 is not supported" },
    { "{" NORMAL(SPACES("_")) "}",
      "normalizer: a Replace other than that of {\"Regex\": \" {2,}\"} by a space or U+2581 is not supported" },
    { "{" NORMAL("{\"type\": \"Precompiled\"}") "}",
      "precompiled_charsmap: the size of its trie is not that of its data" },
    { "{" MODEL("0", LETTERS) "}", "pre_tokenizer: what stands here is not supported" },
    { "{" MODEL("0", LETTERS) ", \"pre_tokenizer\": {\"type\": \"Sequence\", \"pretokenizers\": [" SPLIT "]}}",
      "pre_tokenizer: Sequence is not supported" },
    { "{" MODEL("0", LETTERS) ", \"pre_tokenizer\": {\"type\": \"Metaspace\", \"replacement\": \"_\"}}",
      "pre_tokenizer: Metaspace with a replacement other than U+2581 is not supported" },
    { "{" MODEL("0", LETTERS) ", \"pre_tokenizer\": " METASPACE(", \"split\": false") "}",
      "pre_tokenizer: Metaspace with split = false is not supported" },
    { "{" MODEL("0", LETTERS) ", \"pre_tokenizer\": " METASPACE(", \"prepend_scheme\": \"last\"") "}",
      "pre_tokenizer: last is not supported" },
    { "{" NORMAL(STRIP) ", \"added_tokens\": [{\"id\": 6, \"content\": \" \", \"normalized\": true}]}",
      "added_tokens:  : nothing is left of it when it is normalized; make its normalized false" },
};

LOOP_TEST(what_is_not_supported_is_refused_by_name, 0, sizeof refused / sizeof refused[0])
{
    hl_tokens *tokens = NULL;
    bool ignored;
    const char *path = scratch_file("tokenizer.json", refused[_i].text);
    hl_status status = hl_tokens_load_tokenizer(path, &tokens, &ignored);
    check_tokens_refused(status, tokens, scratch_format("tokenizer.json: %s", refused[_i].message));
}

#define UNIGRAM_OF(scores, spaces)                                                                                    \
    "{\"format\":3,\"kind\":\"unigram\",\"rules\":{\"clean_text\":false,\"cjk_alone\":false,\"strip_accents\":false," \
    "\"lowercase\":false,\"word_characters\":100,\"prefix_space\":true,\"unknown_bytes\":false},\"roles\":{},"        \
    "\"special\":[],\"single\":[[\"A\",0]],\"pair\":[[\"A\",0],[\"B\",1]],\"pieces\":[\"a\"],\"merges\":[],"          \
    "\"unigram\":"                                                                                                    \
    "{\"scores\":" scores ",\"charsmap\":null,\"spaces\":\"" spaces "\",\"strips_end\":false,\"drops_white\":false,"  \
    "\"first_only\":false}}\n"

TEST(the_format_stays)
{
    static const char text[] = UNIGRAM_OF("[-0.10000000000000001]", "one");
    static const char *const damaged[] = { UNIGRAM_OF("[]", "one"), UNIGRAM_OF("[1,2]", "one"),
                                           UNIGRAM_OF("[\"1\"]", "one"), UNIGRAM_OF("[1]", "two") };
    hl_tokens *tokens = NULL;
    ck_assert_str_eq(hl_tokens_load(scratch_file("tokens.json", text), &tokens).text, "");
    hl_text *written = scratch_text();
    CHECK_OK(hl_tokens_json(tokens, written));
    ck_assert_str_eq(written->bytes, text);
    hl_tokens_free(tokens);
    for (size_t i = 0; i < sizeof damaged / sizeof damaged[0]; i++) {
        hl_status status = hl_tokens_load(scratch_file("tokens.json", damaged[i]), &tokens);
        check_tokens_refused(
            status, tokens,
            "tokens.json: unigram has a score for each piece of the model, charsmap, spaces, strips_end, "
            "drops_white and first_only");
    }
}

/* ---- memory and time ---- */

TEST(every_allocation_may_fail)
{
    check_without_memory(of_sentencepiece(), "rugovi  \xEF\xAC\x81\xCC\x81 <mask> newtok");
    static const char small_json[] =
        "{" NORMAL("{\"type\": \"Sequence\", \"normalizers\": [" STRIP ", " SPACES(" ") "]}") "}";
    const char *path = scratch_file("tokenizer.json", small_json);
    faults_begin();
    for (int n = 0; fault_checks_next(&n, FAULTS_FOR_EVER);) {
        hl_tokens *read = NULL;
        bool ignored;
        hl_status status = hl_tokens_load_tokenizer(path, &read, &ignored);
        ck_assert((read != NULL) == (status.code == HL_OK));
        hl_text written = { 0 };
        HL_THEN(status, hl_tokens_json(read, &written));
        hl_tokens_free(read);
        fault_checks_turn(status);
        hl_text_free(&written);
    }
    faults_end();
}

TEST(a_long_word_takes_no_quadratic_time)
{
    enum { BYTES = 1 << 20 };
    hl_tokens *tokens = of_sentencepiece();
    char *word = malloc(BYTES);
    ck_assert_ptr_nonnull(word);
    for (int i = 0; i < BYTES; i++) {
        word[i] = "e\xCC\x81"[i % 3];
    }
    hl_pieces pieces = { 0 };
    CHECK_OK(hl_tokens_encode(tokens, word, BYTES / 3 * 3, false, &pieces));
    ck_assert_uint_eq(pieces.n, BYTES / 3 + 1);
    hl_pieces_free(&pieces);
    free(word);
}

SUITE("unigram")
