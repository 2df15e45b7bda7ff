#include "core/base/memory.h"
#include "core/base/threads.h"
#include "data/text/private/tokens_encode.h"
#include "tests/data/tokens_texts.h"

#include <time.h>

#define BERT "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\n"
#define LETTERS                                                       \
    BERT "un\n##aff\n##able\n##a\nab\nabc\n##c\na\n.\n[\n]\ncafe\n##" \
         "\xE1\x84\x92\n中\nmask\nΣ\nσ\n##σ\n"

TEST(wordpiece_takes_the_longest_piece)
{
    hl_tokens *tokens = kept_tokens(wordpiece_of(LETTERS, true));
    ck_assert_int_eq(hl_tokens_get_kind(tokens), HL_TOKENS_WORDPIECE);
    ck_assert_int_eq(hl_tokens_size(tokens), 23);
    check_pieces(tokens, "unaffable", false, "un@0-2 ##aff@2-5 ##able@5-9");
    check_pieces(tokens, "abca abcc", false, "abc@0-3 ##a@3-4 abc@5-8 ##c@8-9");
    check_pieces(tokens, "unx a.", false, "[UNK]@0-3 a@4-5 .@5-6"); /* the whole word is unknown */
    check_pieces(tokens, "", false, "");
    check_pieces(tokens, " \t\n", true, "");
}

TEST(wordpiece_normalises_as_bert_does)
{
    hl_tokens *tokens = kept_tokens(wordpiece_of(LETTERS, true));
    check_pieces(tokens, "CAFÉ cafe\xCC\x81", false, "cafe@0-5 cafe@6-10");
    check_pieces(tokens, "a中z", false, "a@0-1 中@1-4 [UNK]@4-5");
    check_pieces(tokens,
                 "a\x0B\xC2\xAD"
                 "b",
                 false, "ab@0-5");                      /* U+000B vanishes, it is no space */
    check_pieces(tokens, "ΣΣ", false, "σ@0-2 ##σ@2-4"); /* no final sigma */
    tokens = kept_tokens(wordpiece_of("[UNK]\na\n##\xE0\xA3\x94\n##\xE1\xAD\x84\n", true));
    check_pieces(tokens, "a\xE0\xA3\x94\xE1\xAD\x84", false, /* two marks change places */
                 "a@0-1 ##\xE1\xAD\x84@4-7 ##\xE0\xA3\x94@1-4");
    check_pieces(tokens, "\xE0\xA3\x94\xE1\xAD\x84", false, "[UNK]@0-6");
    check_pieces(tokens, "a\xE0\xA3\x94\xCD\x8F\xE1\xAD\x84", false, /* not over U+034F */
                 "a@0-1 ##\xE0\xA3\x94@1-4 ##\xE1\xAD\x84@6-9");
    tokens = kept_tokens(wordpiece_of(LETTERS, false));
    check_pieces(tokens, "A cafe\xCC\x81 Σ", false, "[UNK]@0-1 [UNK]@2-8 Σ@9-11");
}

/* `count` times the text, in new memory (free). */
static char *repeated(const char *text, size_t count)
{
    size_t size = strlen(text);
    char *all = malloc(size * count + 1);
    ck_assert_ptr_nonnull(all);
    for (size_t i = 0; i < count; i++) {
        memcpy(all + i * size, text, size + 1);
    }
    return all;
}

TEST(marks_of_one_class_keep_their_order)
{
    enum { COUNT = 40 };
    hl_tokens *tokens = kept_tokens(wordpiece_of("[UNK]\na\n##\xE0\xA3\x94\n##\xE1\xAD\x84\n", true));
    char *pairs = repeated("\xE0\xA3\x94\xE1\xAD\x84", COUNT), text[6 * COUNT + 2] = "a";
    memcpy(text + 1, pairs, 6 * COUNT + 1);
    hl_pieces pieces = { 0 };
    CHECK_OK(hl_tokens_encode(tokens, text, strlen(text), false, &pieces));
    ck_assert_uint_eq(pieces.n, 2 * COUNT + 1);
    for (size_t i = 0; i < COUNT; i++) {
        ck_assert(pieces.at[1 + i].id == 3 && pieces.at[1 + i].begin == 6 * i + 4);
        ck_assert(pieces.at[1 + COUNT + i].id == 2 && pieces.at[1 + COUNT + i].begin == 6 * i + 1);
    }
    hl_pieces_free(&pieces);
    free(pairs);
}

static double seconds_for(const hl_tokens *tokens, const char *text, size_t count, size_t n)
{
    char *all = repeated(text, count);
    hl_pieces pieces = { 0 };
    clock_t begin = clock();
    CHECK_OK(hl_tokens_encode(tokens, all, strlen(all), false, &pieces));
    double seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
    ck_assert_uint_eq(pieces.n, n);
    hl_pieces_free(&pieces);
    free(all);
    return seconds;
}

/* Eight times the text may take 25 times as long, but not 64 times. */
TEST(time_grows_with_the_text_and_not_with_its_square)
{
    enum { COUNT = 2048, MORE = 8 };
    static const char *const texts[] = { "\x80\x80\x80\x80\x80\x80", "\xE0\xA3\x94\xE1\xAD\x84" };
    for (int i = 0; i < 2; i++) {
        hl_tokens *tokens =
            i == 0 ? learned((hl_tokens_options){ .kind = HL_TOKENS_BYTES }, "") : wordpiece_of("[UNK]\na\n", true);
        size_t few = i == 0 ? 6 * COUNT : 1;
        double less = seconds_for(tokens, texts[i], COUNT, few);
        double more = seconds_for(tokens, texts[i], (size_t)MORE * COUNT, i == 0 ? MORE * few : few);
        ck_assert_msg(more < 0.1 + 25 * less, "%g s, then %g s", less, more);
        hl_tokens_free(tokens);
    }
}

TEST(words_of_more_than_100_characters_are_unknown)
{
    hl_tokens *tokens = kept_tokens(wordpiece_of(LETTERS, true));
    char word[256];
    memset(word, 'a', sizeof word);
    hl_pieces pieces = { 0 };
    CHECK_OK(hl_tokens_encode(tokens, word, 100, false, &pieces));
    ck_assert_uint_eq(pieces.n, 100);
    pieces.n = 0;
    CHECK_OK(hl_tokens_encode(tokens, word, 101, false, &pieces));
    ck_assert_uint_eq(pieces.n, 1);
    ck_assert_int_eq(pieces.at[0].id, hl_tokens_role(tokens, HL_ROLE_UNK));
    ck_assert_uint_eq(pieces.at[0].end, 101);
    hl_pieces_free(&pieces);
}

TEST(special_tokens_are_found_where_asked_for)
{
    hl_tokens *tokens = kept_tokens(wordpiece_of(LETTERS, true));
    check_pieces(tokens, "a[SEP]ab", true, "a@0-1 [SEP]@1-6 ab@6-8");
    check_pieces(tokens, "a[SEP]ab", false, "a@0-1 [@1-2 [UNK]@2-5 ]@5-6 ab@6-8");
    check_pieces(tokens, "[mask]", true, "[@0-1 mask@1-5 ]@5-6");
    check_pieces(tokens, "[MASK][MASK]", true, "[MASK]@0-6 [MASK]@6-12");
    ck_assert(hl_tokens_is_special(tokens, 4));
    ck_assert(!hl_tokens_is_special(tokens, 5));
    ck_assert(!hl_tokens_is_special(tokens, -1));
    ck_assert(!hl_tokens_is_special(tokens, 23));
    ck_assert_int_eq(hl_tokens_role(tokens, HL_ROLE_MASK), 4);
    ck_assert_int_eq(hl_tokens_role(tokens, HL_ROLE_BEGIN), -1);
}

/* The characters < and a, and `n` special tokens "<000001>", ..., before them "<a", "<ab>" and "<a" once more. */
static hl_tokens *tokens_with_specials(int32_t n)
{
    hl_tokens *tokens = hl_tokens_new(HL_TOKENS_CHARS);
    hl_status status = hl_tokens_add(tokens, "<", 1);
    HL_THEN(status, hl_tokens_add(tokens, "a", 1));
    HL_THEN(status, hl_tokens_add(tokens, "<a", 2));
    HL_THEN(status, hl_tokens_add(tokens, "<ab>", 4));
    HL_THEN(status, hl_tokens_mark_added(tokens, (hl_added_token){ .id = 3 }));
    HL_THEN(status, hl_tokens_mark_added(tokens, (hl_added_token){ .id = 2 }));
    HL_THEN(status, hl_tokens_mark_added(tokens, (hl_added_token){ .id = 2, .strip_left = true }));
    for (int32_t i = 0; i < n && status.code == HL_OK; i++) {
        char text[16];
        int size = snprintf(text, sizeof text, "<%06d>", i);
        status = hl_tokens_add(tokens, text, (size_t)size);
        HL_THEN(status, hl_tokens_mark_added(tokens, (hl_added_token){ .id = 4 + i }));
    }
    HL_THEN(status, hl_tokens_index(tokens, "tokens", false));
    HL_THEN(status, hl_tokens_finish(tokens, "tokens"));
    CHECK_OK(status);
    return tokens;
}

TEST(of_special_tokens_the_longest_is_found)
{
    hl_tokens *tokens = kept_tokens(tokens_with_specials(3000));
    check_pieces(tokens, "<a<ab><aa<", true, "<a@0-2 <ab>@2-6 <a@6-8 a@8-9 <@9-10");
    check_pieces(tokens, "<002999><000000><<001500>", true, "<002999>@0-8 <000000>@8-16 <@16-17 <001500>@17-25");
}

/* Six thousand special tokens may cost 25 times the time of none, but not 6,000 times. */
TEST(many_special_tokens_cost_little_time)
{
    enum { COUNT = 100000 };
    double seconds[2];
    for (int i = 0; i < 2; i++) {
        hl_tokens *tokens = kept_tokens(tokens_with_specials(i == 0 ? 0 : 6000));
        char *text = repeated("<", COUNT);
        hl_pieces pieces = { 0 };
        clock_t begin = clock();
        CHECK_OK(hl_tokens_encode(tokens, text, COUNT, true, &pieces));
        seconds[i] = (double)(clock() - begin) / CLOCKS_PER_SEC;
        ck_assert_uint_eq(pieces.n, COUNT);
        hl_pieces_free(&pieces);
        free(text);
    }
    ck_assert_msg(seconds[1] < 0.1 + 25 * seconds[0], "%g s, then %g s", seconds[0], seconds[1]);
}

TEST(texts_and_pairs_are_wrapped)
{
    hl_tokens *tokens = kept_tokens(wordpiece_of(LETTERS, true));
    hl_pieces pieces = { 0 };
    CHECK_OK(hl_tokens_encode(tokens, "ab", 2, false, &pieces));
    CHECK_OK(hl_tokens_wrap(tokens, 1, &pieces));
    ck_assert_int_eq(hl_tokens_wrap(tokens, 4, &pieces).code, HL_INVALID);
    check_shown(tokens, &pieces, "[CLS]@0-0 ab@0-2 [SEP]@0-0");
    ck_assert_int_eq(hl_tokens_role(tokens, HL_ROLES), -1);
    ck_assert_ptr_null(hl_role_name(HL_ROLES));
    ck_assert_ptr_null(hl_tokens_kind_name(HL_TOKENS_KINDS));
    CHECK_OK(hl_tokens_encode(tokens, "ab", 2, false, &pieces));
    CHECK_OK(hl_tokens_encode(tokens, "a.", 2, false, &pieces));
    CHECK_OK(hl_tokens_wrap(tokens, 1, &pieces));
    check_shown(tokens, &pieces, "[CLS]@0-0 ab@0-2 [SEP]@0-0 a@0-1/1 .@1-2/1 [SEP]@0-0/1");
}

TEST(a_sentence_comes_word_by_word)
{
    hl_tokens *tokens = kept_tokens(wordpiece_of(LETTERS, true));
    hl_pieces pieces = { 0 };
    CHECK_OK(hl_tokens_encode_word(tokens, "abca", 4, true, &pieces));
    ck_assert_uint_eq(pieces.n, 2);
    CHECK_OK(hl_tokens_encode_word(tokens, "\xC2\xAD", 2, false, &pieces)); /* no piece: unknown */
    ck_assert_uint_eq(pieces.n, 3);
    ck_assert_int_eq(pieces.at[2].id, 1);
    ck_assert_uint_eq(pieces.at[2].end, 2);
    CHECK_OK(hl_tokens_encode_word(tokens, "[SEP]", 5, false, &pieces));
    ck_assert_uint_eq(pieces.n, 6); /* no special token */
    hl_pieces_free(&pieces);

    tokens = kept_tokens(learned((hl_tokens_options){ .kind = HL_TOKENS_BPE, .size = 260 }, "the the the the"));
    CHECK_OK(hl_tokens_encode_word(tokens, "the", 3, true, &pieces));
    CHECK_OK(hl_tokens_encode_word(tokens, "the", 3, false, &pieces));
    ck_assert_int_eq(hl_tokens_encode_word(tokens, "", 0, false, &pieces).code, HL_INVALID);
    check_shown(tokens, &pieces, "the@0-3 Ġthe@0-3");
}

static const struct {
    const char *text, *cut; /* with | between the matches */
} pretokens[] = {
    { "Hello my friend, how's it?", "Hello| my| friend|,| how|'s| it|?" },
    { "we'll'd I'M can't've", "we|'ll|'d| I|'|M| can|'t|'ve" },
    { "a  b   c", "a| | b|  | c" },
    { "a \n b\n\nc", "a| \n| b|\n|\n|c" },
    { "a  ", "a|  " },
    { " ", " " },
    { "x1½-- 'tis !'s", "x|1½|--| '|tis| !'|s" },
    { "\xC2\xA0x\xE3\x80\x80\xE3\x80\x80y", "\xC2\xA0|x|\xE3\x80\x80|\xE3\x80\x80|y" },
    { "а\xE4\xB8\xAD\xCC\x81", "а中|\xCC\x81" },
};

LOOP_TEST(texts_are_cut_as_by_the_regular_expression, 0, sizeof pretokens / sizeof pretokens[0])
{
    char cut[256] = "";
    size_t size = strlen(pretokens[_i].text), at = 0;
    for (size_t begin = 0, end; begin < size; begin = end) {
        end = hl_pretoken_end(pretokens[_i].text, size, begin);
        at +=
            (size_t)sprintf(cut + at, "%s%.*s", begin == 0 ? "" : "|", (int)(end - begin), pretokens[_i].text + begin);
    }
    ck_assert_str_eq(cut, pretokens[_i].cut);
}

#define BPE                                                                                                        \
    "{\"model\": {\"type\": \"BPE\", \"vocab\": {\"a\": 0, \"b\": 1, \"c\": 2, \"ab\": 3, \"bc\": 4, \"abc\": 5, " \
    "\"Ġ\": 6, "                                                                                                  \
    "\"Ġa\": 7, \"Ã\": 8, \"©\": 9, \"!\": 10}, \"merges\": [\"b c\", [\"a\", \"b\"], \"a bc\", "               \
    "\"Ġ "                                                                                                        \
    "a\"]}, "                                                                                                      \
    "\"pre_tokenizer\": {\"type\": \"ByteLevel\", \"add_prefix_space\": %s}, \"added_tokens\": [{\"id\": 11, "     \
    "\"content\": \"<s>\", "                                                                                       \
    "\"special\": true}, {\"id\": 12, \"content\": \"<mask>\", \"special\": true, \"lstrip\": true, \"rstrip\": "  \
    "true}]}"

static hl_tokens *bpe(bool prefix_space)
{
    return tokenizer_of(scratch_format(BPE, prefix_space ? "true" : "false"));
}

TEST(bpe_merges_by_rank)
{
    hl_tokens *tokens = bpe(false);
    check_pieces(tokens, "abcab abab", false, "abc@0-3 ab@3-5 Ġ@5-6 ab@6-8 ab@8-10");
    check_pieces(tokens, "xax", false, "a@1-2"); /* bytes without a piece, where there is no unknown token */
    check_pieces(tokens, "a <mask> <s>a", true, "a@0-1 <mask>@1-9 <s>@9-12 a@12-13");
    check_pieces(tokens, "<s><mask><mask> ", true, "<s>@0-3 <mask>@3-9 <mask>@9-16");
    tokens = bpe(true);
    check_pieces(tokens, "ab a", false, "Ġ@0-1 ab@0-2 Ġa@2-4");
    check_pieces(tokens, " ab", false, "Ġ@0-1 ab@1-3");
    check_pieces(tokens, "\tab", false, "Ġ@0-1 ab@1-3");
    check_pieces(tokens, "", false, "");
    hl_pieces pieces = { 0 };
    CHECK_OK(hl_tokens_encode_more(tokens, "ab<s>a", 6, true, &pieces));
    check_shown(tokens, &pieces, "ab@0-2 <s>@2-5 Ġa@5-6");
}

TEST(offsets_are_those_of_whole_characters)
{
    hl_tokens *tokens = kept_tokens(learned((hl_tokens_options){ .kind = HL_TOKENS_BYTES }, ""));
    ck_assert_int_eq(hl_tokens_size(tokens), 256);
    check_pieces(tokens, "aé", false, "a@0-1 Ã@1-3 ©@1-3");
    hl_pieces pieces = { 0 };
    CHECK_OK(hl_tokens_encode(tokens, "\0\xFF\n", 3, false, &pieces)); /* any bytes */
    ck_assert_int_eq(pieces.at[0].id, 0);
    ck_assert_int_eq(pieces.at[1].id, 255);
    int32_t ids[] = { pieces.at[2].id, 'a', 0xC3 };
    check_decoded(tokens, ids, 3, false, "\na\xC3");
    hl_pieces_free(&pieces);
}

TEST(words_and_characters)
{
    enum { UNK = 1 << HL_ROLE_UNK };
    hl_tokens *tokens = kept_tokens(
        learned((hl_tokens_options){ .kind = HL_TOKENS_WORDS, .size = 3, .roles = UNK }, "b a,b a a <unk>"));
    check_pieces(tokens,
                 "a\xC2\xA0"
                 "A <unk>\ta,b",
                 false, "a@0-1 <unk>@3-4 <unk>@5-10 a,b@11-14");
    check_pieces(tokens, "a<unk> a", true, "a@0-1 <unk>@1-6 a@7-8");
    tokens = kept_tokens(learned((hl_tokens_options){ .kind = HL_TOKENS_CHARS, .size = 9, .lowercase = true }, "Aa É"));
    check_pieces(tokens, "a éÉ", false, "a@0-1  @1-2 é@2-4 é@4-6");
    hl_pieces pieces = { 0 };
    hl_status status = hl_tokens_encode(tokens, "aéz", 4, false, &pieces);
    ck_assert_int_eq(status.code, HL_INVALID);
    ck_assert_str_eq(status.text, "at byte 3: no piece is z, and there is no unknown token");
    ck_assert_uint_eq(pieces.n, 0);
    hl_pieces_free(&pieces);
}

TEST(ids_become_text_again)
{
    hl_tokens *tokens = kept_tokens(wordpiece_of(LETTERS, true));
    const int32_t ids[] = { 2, 5, 6, 7, 13, 3 }, within[] = { 6, 7 };
    check_decoded(tokens, ids, 6, false, "unaffable .");
    check_decoded(tokens, ids, 6, true, "[CLS] unaffable . [SEP]");
    check_decoded(tokens, within, 2, false, "##affable"); /* nothing stands before it */
    hl_text text = { 0 };
    const int32_t wrong[] = { 5, 23 };
    hl_status status = hl_tokens_decode(tokens, wrong, 2, false, &text);
    ck_assert_int_eq(status.code, HL_INVALID);
    ck_assert_str_eq(status.text, "no token has the id 23: there are 23");
    ck_assert_ptr_null(text.bytes);
    tokens = bpe(false);
    const int32_t pieces[] = { 11, 5, 7, 8, 9 };
    check_decoded(tokens, pieces, 5, false, "abc aé");
    check_decoded(tokens, pieces, 5, true, "<s>abc aé");
}

LOOP_TEST(bytes_and_bpe_lose_nothing, 0, 2)
{
    hl_tokens_options options = { .kind = _i == 0 ? HL_TOKENS_BYTES : HL_TOKENS_BPE, .size = 1000 };
    hl_tokens *tokens = NULL;
    hl_pieces pieces = { 0 };
    uint32_t next = 0;
    CHECK_OK(hl_tokens_learn(&options, token_strings_next, &next, &tokens));
    for (uint32_t i = 0; i < TOKEN_STRINGS; i++) {
        char text[TOKEN_STRING_BYTES];
        size_t size = token_string(i, text);
        hl_text decoded = { 0 };
        pieces.n = 0;
        CHECK_OK(hl_tokens_encode(tokens, text, size, true, &pieces));
        for (size_t piece = 0; piece < pieces.n; piece++) {
            CHECK_OK(hl_tokens_decode(tokens, &pieces.at[piece].id, 1, false, &decoded));
        }
        ck_assert_uint_eq(decoded.size, size);
        ck_assert(size == 0 || memcmp(decoded.bytes, text, size) == 0);
        hl_text_free(&decoded);
    }
    hl_pieces_free(&pieces);
    hl_tokens_free(tokens);
}

TEST(broken_texts_are_refused)
{
    hl_tokens *tokens = kept_tokens(wordpiece_of(LETTERS, true));
    hl_pieces pieces = { 0 };
    CHECK_OK(hl_tokens_encode(tokens, "a", 1, false, &pieces));
    hl_status status = hl_tokens_encode(tokens, "ab\xED\xA0\x80", 5, false, &pieces);
    ck_assert_int_eq(status.code, HL_INVALID);
    ck_assert_str_eq(status.text, "byte 2 of the text is not UTF-8");
    ck_assert_int_eq(hl_tokens_encode_word(tokens, "a\xC3", 2, false, &pieces).code, HL_INVALID);
    ck_assert_int_eq(hl_tokens_encode(tokens, "", INT32_MAX, false, &pieces).code, HL_INVALID); /* 2 GiB */
    ck_assert_uint_eq(pieces.n, 1);
    CHECK_OK(hl_tokens_encode(tokens, "a\0b", 3, false, &pieces));
    ck_assert_uint_eq(pieces.n, 2); /* a zero byte is a character that BERT drops */
    ck_assert_uint_eq(pieces.at[1].end, 3);
    hl_pieces_free(&pieces);
}

/* check_tokens.py learns from the same texts and finds the library's ids for all of them equal. */
LOOP_TEST(pieces_of_many_scripts_are_those_of_the_reference, 0, 3)
{
    static const struct {
        hl_tokens_options options;
        uint64_t digest;
    } cases[] = {
        { { .kind = HL_TOKENS_WORDPIECE, .size = 4000, .lowercase = true, .roles = 31 },
          UINT64_C(6382244122047795772) },
        { { .kind = HL_TOKENS_WORDPIECE, .size = 4000, .roles = 31 }, UINT64_C(1674941408599636725) },
        { { .kind = HL_TOKENS_BPE, .size = 2000, .roles = 1 << HL_ROLE_UNK }, UINT64_C(1989469988160123827) },
    };
    hl_tokens *tokens = NULL;
    hl_pieces pieces = { 0 };
    uint32_t next = 0;
    uint64_t digest = HL_HASH;
    CHECK_OK(hl_tokens_learn(&cases[_i].options, token_strings_next, &next, &tokens));
    for (uint32_t i = 0; i < TOKEN_STRINGS; i++) {
        digest = token_string_pieces(tokens, i, &pieces, digest);
    }
    ck_assert_uint_eq(digest, cases[_i].digest);
    hl_pieces_free(&pieces);
    hl_tokens_free(tokens);
}

typedef struct shared {
    const hl_tokens *tokens;
    uint64_t *digests; /* of each text */
} shared;

static void encode_range(const void *context, hl_range range)
{
    const shared *all = context;
    hl_pieces pieces = { 0 };
    for (int64_t i = range.begin; i < range.end; i++) {
        all->digests[i] = token_string_pieces(all->tokens, (uint32_t)i, &pieces, HL_HASH);
    }
    hl_pieces_free(&pieces);
}

LOOP_TEST(threads_share_an_object, 0, HL_TOKENS_LEARNED)
{
    enum { TEXTS = 400 };
    static uint64_t alone[TEXTS], together[TEXTS];
    hl_tokens_options options = { .kind = (hl_tokens_kind)_i, .size = 700, .roles = 1 << HL_ROLE_UNK };
    hl_tokens *tokens = NULL;
    uint32_t next = 0;
    CHECK_OK(hl_tokens_learn(&options, token_strings_next, &next, &tokens));
    hl_threads_run(1, TEXTS, 1, encode_range, &(shared){ tokens, alone });
    hl_threads_run(4, TEXTS, 1, encode_range, &(shared){ tokens, together });
    ck_assert_mem_eq(alone, together, sizeof alone);
    hl_tokens_free(tokens);
}

TEST(a_long_word_takes_no_quadratic_time)
{
    enum { BYTES = 1 << 20 };
    hl_tokens *tokens =
        kept_tokens(learned((hl_tokens_options){ .kind = HL_TOKENS_BPE, .size = 300 }, "ab abab abababab"));
    char *word = malloc(BYTES);
    for (int i = 0; i < BYTES; i++) {
        word[i] = (char)('a' + i % 2);
    }
    hl_pieces pieces = { 0 };
    CHECK_OK(hl_tokens_encode(tokens, word, BYTES, false, &pieces));
    ck_assert_uint_le(pieces.n, BYTES / 4);
    hl_pieces_free(&pieces);
    free(word);
}

TEST(every_allocation_of_encoding_may_fail)
{
    check_without_memory(kept_tokens(wordpiece_of(LETTERS, true)), "unaffable [SEP] a.");
    check_without_memory(bpe(true), "unaffable [SEP] a.");
}

SUITE("tokens")
