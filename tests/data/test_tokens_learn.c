#include "core/base/memory.h"
#include "tests/data/tokens_texts.h"

enum { UNK = 1 << HL_ROLE_UNK };

/* The pieces from `first` on, with a space between them. */
static void check_vocabulary(hl_tokens *tokens, int32_t first, const char *expected)
{
    char text[4096] = "";
    for (int32_t id = first; id < hl_tokens_size(tokens); id++) {
        strcat(text, id > first ? " " : "");
        strcat(text, hl_tokens_piece(tokens, id, NULL));
    }
    ck_assert_str_eq(text, expected);
    hl_tokens_free(tokens);
}

TEST(words_by_frequency_then_bytes)
{
    static const char text[] = "c b a b\tb\xC2\xA0"
                               "a <unk> <unk> <unk> d";
    check_vocabulary(learned((hl_tokens_options){ .kind = HL_TOKENS_WORDS, .size = 100, .roles = UNK }, text), 0,
                     "<unk> b a c d");
    check_vocabulary(learned((hl_tokens_options){ .kind = HL_TOKENS_WORDS, .size = 3, .roles = UNK }, text), 0,
                     "<unk> b a");
    check_vocabulary(learned((hl_tokens_options){ .kind = HL_TOKENS_WORDS, .size = 100, .min_count = 2 }, text), 0,
                     "<unk> b a"); /* here <unk> is a word */
    check_vocabulary(learned((hl_tokens_options){ .kind = HL_TOKENS_WORDS, .size = 9, .lowercase = true }, "A a B"), 0,
                     "a b");
}

TEST(characters_by_frequency)
{
    check_vocabulary(learned((hl_tokens_options){ .kind = HL_TOKENS_CHARS, .size = 9 }, "zzéyy\nz"), 0, "z y \n é");
}

TEST(special_tokens_come_first_and_wrap)
{
    hl_tokens *tokens = learned(
        (hl_tokens_options){
            .kind = HL_TOKENS_CHARS, .size = 9, .roles = 1 << HL_ROLE_BEGIN | 1 << HL_ROLE_PAD | 1 << HL_ROLE_SEP },
        "a");
    ck_assert_int_eq(hl_tokens_role(tokens, HL_ROLE_PAD), 0);
    ck_assert_int_eq(hl_tokens_role(tokens, HL_ROLE_UNK), -1);
    hl_pieces pieces = { 0 };
    CHECK_OK(hl_tokens_encode(tokens, "a", 1, false, &pieces));
    CHECK_OK(hl_tokens_wrap(tokens, 1, &pieces));
    check_shown(tokens, &pieces, "<begin>@0-0 a@0-1 <sep>@0-0");
    check_vocabulary(tokens, 0, "<pad> <sep> <begin> a");
}

TEST(bpe_joins_the_most_frequent_pair)
{
    /* 3 times: "lo", "ow", "we", " l"; the lower ids come first, then "w" and "e" before " " and "lo" */
    hl_tokens *tokens =
        learned((hl_tokens_options){ .kind = HL_TOKENS_BPE, .size = 262 }, " low low lower newest newest");
    check_vocabulary(tokens, 256, "lo we Ġlo ewe newe st");
    tokens = learned((hl_tokens_options){ .kind = HL_TOKENS_BPE, .size = 9999, .min_count = 3 },
                     " low low lower newest newest");
    check_vocabulary(tokens, 256, "lo we Ġlo");
    tokens = learned((hl_tokens_options){ .kind = HL_TOKENS_BPE, .size = 9999 }, "aaaaa");
    check_vocabulary(tokens, 256, "aa aaa aaaaa"); /* pairs that overlap */
}

TEST(wordpiece_marks_what_continues)
{
    hl_tokens *tokens = learned((hl_tokens_options){ .kind = HL_TOKENS_WORDPIECE, .size = 40, .lowercase = true },
                                "Hug pug, hugé hugs");
    check_vocabulary(tokens, 0, "[UNK] , e g h p s u ##e ##g ##s ##u ##ug hug pug huge hugs");
    tokens = learned((hl_tokens_options){ .kind = HL_TOKENS_WORDPIECE, .size = 13 }, "ab ab ab ac b c a");
    check_vocabulary(tokens, 0, "[UNK] a b c ##b ##c ab ac"); /* three characters are a quarter of 13 */
    tokens = learned((hl_tokens_options){ .kind = HL_TOKENS_WORDPIECE, .size = 11 }, "ab ab ab ac b c a");
    check_vocabulary(tokens, 0, "[UNK] a b ##b ab"); /* and two of 11: "ac" is not learned from */
}

/* The order of the texts does not matter, nor how they are cut into texts. */
static hl_status backwards(void *context, const char **text, size_t *size)
{
    static char string[TOKEN_STRING_BYTES];
    uint32_t *left = context;
    *text = *left > 0 ? string : NULL;
    *size = *left > 0 ? token_string(--*left, string) : 0;
    return hl_ok();
}

LOOP_TEST(what_is_learned_is_always_the_same, 0, HL_TOKENS_LEARNED)
{
    hl_tokens_options options = { .kind = (hl_tokens_kind)_i, .size = 1500, .roles = 31 };
    hl_text texts[2] = { { 0 }, { 0 } };
    for (int i = 0; i < 2; i++) {
        hl_tokens *tokens = NULL;
        uint32_t next = 0, left = TOKEN_STRINGS;
        hl_status status = i == 0 ? hl_tokens_learn(&options, token_strings_next, &next, &tokens)
                                  : hl_tokens_learn(&options, backwards, &left, &tokens);
        ck_assert_str_eq(status.text, "");
        CHECK_OK(hl_tokens_json(tokens, &texts[i]));
        hl_tokens_free(tokens);
    }
    ck_assert_uint_eq(texts[0].size, texts[1].size);
    ck_assert_mem_eq(texts[0].bytes, texts[1].bytes, texts[0].size);
    hl_text_free(&texts[0]);
    hl_text_free(&texts[1]);
}

static const struct {
    hl_tokens_options options;
    const char *text, *message;
} refused[] = {
    { { .kind = HL_TOKENS_KINDS, .size = 9 }, "a", "tokens of no known kind, or with an unknown role" },
    { { .kind = HL_TOKENS_UNIGRAM, .size = 9 },
      "a",
      "tokens.kind = unigram: is not learned here; name a tokenizer.json in tokens.vocabulary" },
    { { .kind = HL_TOKENS_WORDS, .size = 9, .roles = 128 }, "a", "tokens of no known kind, or with an unknown role" },
    { { .kind = HL_TOKENS_WORDS }, "a", "tokens: size = 0: must be from 1 to 2097152" },
    { { .kind = HL_TOKENS_BPE, .size = 256, .roles = UNK },
      "a",
      "tokens: size = 256: the special tokens and the alphabet are 257" },
    { { .kind = HL_TOKENS_CHARS, .size = 1, .roles = 3 },
      "a",
      "tokens: size = 1: the special tokens and the alphabet are 2" },
    { { .kind = HL_TOKENS_WORDS, .size = 9 }, " \n", "tokens: no text to learn from" },
    { { .kind = HL_TOKENS_WORDS, .size = 9, .min_count = 2 }, "a b", "tokens: no text to learn from" },
    { { .kind = HL_TOKENS_CHARS, .size = 9 }, "a\xFF", "byte 1 of the text is not UTF-8" },
};

LOOP_TEST(what_cannot_be_learned_is_refused, 0, sizeof refused / sizeof refused[0])
{
    hl_tokens *tokens = NULL;
    const char *text = refused[_i].text;
    hl_status status = hl_tokens_learn(&refused[_i].options, one_text, &text, &tokens);
    ck_assert_str_eq(status.text, refused[_i].message);
    ck_assert_int_eq(status.code, HL_INVALID);
    ck_assert_ptr_null(tokens);
}

static hl_status failing_source(void *context, const char **text, size_t *size)
{
    (void)context;
    *text = "a";
    *size = 1;
    return hl_error(HL_BAD_FILE, "cut");
}

TEST(a_source_that_fails_ends_it)
{
    hl_tokens *tokens = NULL;
    hl_tokens_options options = { .kind = HL_TOKENS_WORDS, .size = 9 };
    ck_assert_str_eq(hl_tokens_learn(&options, failing_source, NULL, &tokens).text, "cut");
    ck_assert_ptr_null(tokens);
}

LOOP_TEST(every_allocation_of_learning_may_fail, 0, HL_TOKENS_LEARNED)
{
    hl_tokens_options options = { .kind = (hl_tokens_kind)_i, .size = 280, .roles = 31 };
    faults_begin();
    for (int n = 0; fault_checks_next(&n, FAULTS_FOR_EVER);) {
        hl_tokens *tokens = NULL;
        const char *text = "low lower lowest newest [x]";
        fault_checks_turn(hl_tokens_learn(&options, one_text, &text, &tokens));
        hl_tokens_free(tokens);
    }
    faults_end();
}

static hl_status zero_byte(void *context, const char **text, size_t *size)
{
    bool *given = context;
    *text = *given ? NULL : "a\0b";
    *size = 3;
    *given = true;
    return hl_ok();
}

TEST(a_zero_byte_is_no_piece)
{
    for (int kind = 0; kind < HL_TOKENS_LEARNED; kind++) {
        hl_tokens *tokens = NULL;
        bool given = false;
        hl_tokens_options options = { .kind = (hl_tokens_kind)kind, .size = 300 };
        hl_status status = hl_tokens_learn(&options, zero_byte, &given, &tokens);
        bool is_text = kind == HL_TOKENS_CHARS || kind == HL_TOKENS_WORDS;
        ck_assert_str_eq(status.text, is_text ? "tokens: a text holds a zero byte, of which no piece is made" : "");
        ck_assert_int_eq(status.code, is_text ? HL_INVALID : HL_OK);
        hl_tokens_free(tokens);
    }
}

SUITE("tokens learn")
