#include "core/base/memory.h"
#include "data/vocabulary.h"
#include "tests/check_suite.h"
#include "tests/data/tokens_texts.h"
#include "tests/fault_checks.h"

#include <stdio.h>
#include <string.h>

#define SPECIAL "<pad>\n<sep>\n<mask>\n"

static hl_status of_lines(const char *text, hl_vocabulary **out)
{
    return hl_vocabulary_of_lines(text, strlen(text), out);
}

TEST(ids_and_texts_lead_to_each_other)
{
    hl_vocabulary *vocabulary;
    CHECK_OK(of_lines(SPECIAL "zebra\nape\nété\n\xF0\x9F\x98\x80\n<eos>\n", &vocabulary));
    static const char *const tokens[] = {
        "<pad>", "<sep>", "<mask>", "zebra", "ape", "été", "\xF0\x9F\x98\x80", "<eos>"
    };
    ck_assert_int_eq(hl_vocabulary_size(vocabulary), 8);
    for (int32_t id = 0; id < 8; id++) {
        ck_assert_str_eq(hl_vocabulary_token(vocabulary, id), tokens[id]);
        ck_assert_int_eq(hl_vocabulary_find(vocabulary, tokens[id]), id);
    }
    static const char *const absent[] = { "", "a", "apes", "zebr", "<PAD>", "zzz" };
    for (int i = 0; i < 6; i++) {
        ck_assert_int_eq(hl_vocabulary_find(vocabulary, absent[i]), -1);
    }
    hl_vocabulary_free(vocabulary);
    hl_vocabulary_free(NULL);
}

TEST(the_text_is_the_one_it_was_made_of)
{
    static const char text[] = SPECIAL "b\na\n";
    hl_vocabulary *vocabulary;
    char *written;
    size_t size;
    CHECK_OK(of_lines(text, &vocabulary));
    CHECK_OK(hl_vocabulary_text(vocabulary, &written, &size));
    ck_assert_uint_eq(size, strlen(text));
    ck_assert_str_eq(written, text);
    hl_free(written);
    hl_vocabulary_free(vocabulary);
}

TEST(every_allocation_may_fail)
{
    faults_begin();
    hl_vocabulary *vocabulary = NULL;
    int n = 0;
    while (fault_checks_next(&n, FAULTS_FOR_EVER)) {
        hl_status status = of_lines(SPECIAL "a\n", &vocabulary);
        fault_checks_turn(status);
        if (status.code == HL_OK) {
            char *text;
            size_t size;
            faults_in_memory(1, FAULTS_ONCE);
            ck_assert_int_eq(hl_vocabulary_text(vocabulary, &text, &size).code, HL_NO_MEMORY);
            hl_vocabulary_free(vocabulary);
        }
    }
    ck_assert_int_eq(n, 8);
    faults_end();
}

TEST(toy_tokens_are_special_or_plain)
{
    hl_vocabulary *vocabulary;
    CHECK_OK(of_lines(SPECIAL "a\n,\n", &vocabulary));
    static const unsigned char kinds[] = { HL_TOKEN_SPECIAL | HL_TOKEN_PAD, HL_TOKEN_SPECIAL | HL_TOKEN_SEPARATOR,
                                           HL_TOKEN_SPECIAL | HL_TOKEN_MASK, 0, 0 };
    ck_assert_mem_eq(hl_vocabulary_kinds(vocabulary), kinds, sizeof kinds);
    ck_assert_int_eq(hl_vocabulary_special(vocabulary, HL_TOKEN_MASK), HL_MASK);
    ck_assert_int_eq(hl_vocabulary_special(vocabulary, HL_TOKEN_FIRST), -1);
    hl_vocabulary_free(vocabulary);
}

/* The vocabulary of what is learned from a text. */
static hl_vocabulary *vocabulary_of(hl_tokens_options options, const char *text)
{
    hl_tokens *tokens = learned(options, text);
    hl_vocabulary *vocabulary;
    CHECK_OK(hl_vocabulary_of_tokens(tokens, &vocabulary));
    ck_assert_int_eq(hl_vocabulary_size(vocabulary), hl_tokens_size(tokens));
    for (int32_t id = 0; id < hl_tokens_size(tokens); id++) {
        const char *piece = hl_tokens_piece(tokens, id, NULL);
        ck_assert_str_eq(hl_vocabulary_token(vocabulary, id), piece);
        ck_assert_int_eq(hl_vocabulary_find(vocabulary, piece), id);
    }
    hl_tokens_free(tokens);
    return vocabulary;
}

static int kind_of(const hl_vocabulary *vocabulary, const char *token)
{
    int32_t id = hl_vocabulary_find(vocabulary, token);
    ck_assert_int_ge(id, 0);
    return hl_vocabulary_kinds(vocabulary)[id];
}

TEST(tokens_of_a_text_have_kinds)
{
    const unsigned all = 1 << HL_ROLE_PAD | 1 << HL_ROLE_UNK | 1 << HL_ROLE_CLS | 1 << HL_ROLE_SEP | 1 << HL_ROLE_MASK;
    hl_vocabulary *v = vocabulary_of((hl_tokens_options){ .kind = HL_TOKENS_WORDPIECE, .size = 60, .roles = all },
                                     "ab. ab. 12 -- 12 é ##");
    ck_assert_int_eq(kind_of(v, "[PAD]"), HL_TOKEN_SPECIAL | HL_TOKEN_PAD);
    ck_assert_int_eq(kind_of(v, "[UNK]"), HL_TOKEN_UNKNOWN);
    ck_assert_int_eq(kind_of(v, "[CLS]"), HL_TOKEN_SPECIAL | HL_TOKEN_FIRST);
    ck_assert_int_eq(kind_of(v, "[SEP]"), HL_TOKEN_SPECIAL | HL_TOKEN_SEPARATOR);
    ck_assert_int_eq(kind_of(v, "[MASK]"), HL_TOKEN_SPECIAL | HL_TOKEN_MASK);
    ck_assert_int_eq(hl_vocabulary_special(v, HL_TOKEN_MASK), hl_vocabulary_find(v, "[MASK]"));
    ck_assert_int_eq(kind_of(v, "."), HL_TOKEN_PUNCTUATION);
    ck_assert_int_eq(kind_of(v, "-"), HL_TOKEN_PUNCTUATION);
    ck_assert_int_eq(kind_of(v, "#"), HL_TOKEN_PUNCTUATION);
    ck_assert_int_eq(kind_of(v, "##b"), 0);
    ck_assert_int_eq(kind_of(v, "1"), 0);
    ck_assert_int_eq(kind_of(v, "é"), 0);
    hl_vocabulary_free(v);
    v = vocabulary_of((hl_tokens_options){ .kind = HL_TOKENS_BYTES }, "");
    ck_assert_int_eq(kind_of(v, "Ġ"), 0); /* a space's stand-in */
    ck_assert_int_eq(kind_of(v, "!"), HL_TOKEN_PUNCTUATION);
    ck_assert_int_eq(kind_of(v, "é"), 0); /* the byte E9: a part of a character, whatever it looks like */
    ck_assert_int_eq(kind_of(v, "¡"), 0);
    hl_vocabulary_free(v);
}

TEST(the_file_escapes_what_a_line_cannot_hold)
{
    hl_vocabulary *v = vocabulary_of((hl_tokens_options){ .kind = HL_TOKENS_CHARS, .size = 20 },
                                     "        \n\n\n\n\n\n\n\t\t\t\t\t\t\r\r\r\r\r\\\\\\\\"
                                     "\xC2\x85\xC2\x85\xC2\x85\xE2\x80\xA8\xE2\x80\xA8\x01");
    char *text;
    size_t size;
    CHECK_OK(hl_vocabulary_text(v, &text, &size));
    ck_assert_str_eq(text, "\\s\n\\n\n\\t\n\\r\n\\\\\n\\x85\n\\u2028\n\\x01\n");
    ck_assert_uint_eq(size, strlen(text));
    hl_free(text);
    hl_vocabulary_free(v);
}

TEST(a_vocabulary_of_tokens_fails_without_memory)
{
    hl_tokens *tokens = learned((hl_tokens_options){ .kind = HL_TOKENS_BYTES }, "");
    faults_begin();
    int n = 0;
    while (fault_checks_next(&n, FAULTS_FOR_EVER)) {
        hl_vocabulary *v = NULL;
        fault_checks_turn(hl_vocabulary_of_tokens(tokens, &v));
        hl_vocabulary_free(v);
    }
    ck_assert_int_gt(n, 5);
    faults_end();
    hl_tokens_free(tokens);
}

SUITE("vocabulary")
