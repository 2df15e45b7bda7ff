#include "core/base/memory.h"
#include "tests/data/tokens_texts.h"
#include "tests/scratch.h"

#include <unistd.h>

#define BERT "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\n"

/* ---- vocab.txt ---- */

TEST(white_space_ends_no_piece)
{
    hl_tokens *tokens = kept_tokens(wordpiece_of("[UNK]\r\nab \t\r\n##c\xE3\x80\x80\nx y", true));
    size_t size;
    ck_assert_int_eq(hl_tokens_size(tokens), 4);
    ck_assert_str_eq(hl_tokens_piece(tokens, 2, &size), "##c");
    ck_assert_uint_eq(size, 3);
    ck_assert_str_eq(hl_tokens_piece(tokens, 3, NULL), "x y");
    ck_assert_ptr_null(hl_tokens_piece(tokens, 4, NULL));
    ck_assert_int_eq(hl_tokens_find(tokens, "ab", 2), 1);
    ck_assert_int_eq(hl_tokens_find(tokens, "ab ", 3), -1);
    check_pieces(tokens, "abc", false, "ab@0-2 ##c@2-3");
    hl_pieces pieces = { 0 };
    CHECK_OK(hl_tokens_wrap(tokens, 0, &pieces)); /* no [CLS], no [SEP] */
    ck_assert_uint_eq(pieces.n, 0);
    hl_pieces_free(&pieces);
}

static const struct {
    const char *text, *message;
} vocabularies[] = {
    { "", "vocab.txt: no pieces" },
    { "a\nb\n", "vocab.txt: no unknown token, which wordpiece needs" },
    { BERT "a\nb\na\n", "vocab.txt:8: the piece a stands already in line 6" },
    { BERT "a\n\nb\n", "vocab.txt:7: the piece is empty" },
    { BERT " \n", "vocab.txt:6: the piece is empty" },
    { BERT "a\xFFz\n", "vocab.txt:6: the piece is not UTF-8" },
    { BERT "a \x80\n", "vocab.txt:6: the piece is not UTF-8" },
};

LOOP_TEST(a_damaged_vocabulary_is_refused_by_line, 0, sizeof vocabularies / sizeof vocabularies[0])
{
    hl_tokens *tokens = NULL;
    hl_status status = hl_tokens_load_vocabulary(scratch_file("vocab.txt", vocabularies[_i].text), true, &tokens);
    check_tokens_refused(status, tokens, vocabularies[_i].message);
}

TEST(zero_bytes_and_missing_files_are_refused)
{
    hl_tokens *tokens = NULL;
    const char *path = scratch_path("vocab.txt");
    scratch_write(path, "[UNK]\na\0b\n", 10);
    check_tokens_refused(hl_tokens_load_vocabulary(path, true, &tokens), tokens,
                         "vocab.txt:2: the piece holds a zero byte");
    ck_assert_int_eq(hl_tokens_load_vocabulary(scratch_path("none"), true, &tokens).code, HL_BAD_FILE);
    ck_assert_int_eq(hl_tokens_load(scratch_path("none"), &tokens).code, HL_BAD_FILE);
    ck_assert_int_eq(hl_tokens_load_merges(scratch_path("none"), scratch_path("none"), false, &tokens).code,
                     HL_BAD_FILE);
}

TEST(too_many_pieces_are_refused)
{
    size_t size = HL_TOKENS_MAX + 1;
    char *text = malloc(size);
    memset(text, '\n', size);
    const char *path = scratch_path("vocab.txt");
    scratch_write(path, text, size);
    hl_tokens *tokens = NULL;
    check_tokens_refused(hl_tokens_load_vocabulary(path, true, &tokens), tokens,
                         "vocab.txt:2097153: more than 2097152 pieces");
    free(text);
}

/* ---- vocab.json and merges.txt ---- */

static const struct {
    const char *vocabulary, *merges, *message;
} pairs[] = {
    { "{\"a\": 0, \"b\": 1, \"ab\": 2}", "#version: 0.2\na b\n", NULL },
    { "{\"a\": 0, \"b\": 1, \"ab\": 2}", "a b\r\n", NULL },
    { "{\"a\": 0, \"b\": 1, \"ab\": 2}", "a b", NULL },
    { "{\"a\": 0, \"b\": 1, \"ab\": 2, \"x y\": 3}", "a b", NULL },
    { "{\"a\": 0, \"b\": 1, \"ab\": 3}", "",
      "vocab.json: the id of the piece ab is not from 0 to 2: ids have no gaps" },
    { "{\"a\": 0, \"b\": -1}", "", "vocab.json: the id of the piece b is not from 0 to 1: ids have no gaps" },
    { "{\"a\": 0, \"b\": \"1\"}", "", "vocab.json: the id of the piece b is not from 0 to 1: ids have no gaps" },
    { "{\"a\": 0, \"b\": 0}", "", "vocab.json: the id 0 has two pieces, a and b" },
    { "{}", "", "vocab.json: no pieces" },
    { "[]", "", "vocab.json: no object of pieces and their ids" },
    { "{\"a\": 0, \"\": 1}", "", "vocab.json: the piece with id 1 is empty" },
    { "{\"a\": 0, \"b\": 1, \"ab\": 2}", "a b\nb c\n", "merges.txt:2: the merge of b and c: c is no piece" },
    { "{\"a\": 0, \"b\": 1, \"ab\": 2}", "b a\n", "merges.txt:1: the merge of b and a: what they make is no piece" },
    { "{\"a\": 0, \"b\": 1, \"ab\": 2}", "a b\n\n", "merges.txt:2: not two pieces with a space between them" },
    { "{\"a\": 0, \"b\": 1, \"ab\": 2}", "a b c\n", "merges.txt:1: not two pieces with a space between them" },
    { "{\"a\": 0, \"b\": 1, \"ab\": 2}", " b\n", "merges.txt:1: not two pieces with a space between them" },
    { "{\"a\": 0, \"b\": 1, \"ab\": 2}", "a \n", "merges.txt:1: not two pieces with a space between them" },
    { "{\"a\": 0, \"b\": 1, \"ab\": 2}", "a b\na b\n", "merges.txt: the merge of a and b comes twice" },
};

LOOP_TEST(merges_and_their_pieces, 0, sizeof pairs / sizeof pairs[0])
{
    hl_tokens *tokens = NULL;
    const char *vocabulary = scratch_file("vocab.json", pairs[_i].vocabulary);
    hl_status status = hl_tokens_load_merges(vocabulary, scratch_file("merges.txt", pairs[_i].merges), false, &tokens);
    if (pairs[_i].message != NULL) {
        check_tokens_refused(status, tokens, pairs[_i].message);
        return;
    }
    ck_assert_str_eq(status.text, "");
    check_pieces(tokens, "aba", false, "ab@0-2 a@2-3");
    if (hl_tokens_size(tokens) > 3) { /* its space is no byte's letter, so it stands for itself */
        const int32_t id = 3;
        check_decoded(tokens, &id, 1, false, "x y");
    }
    hl_tokens_free(tokens);
}

TEST(usual_special_tokens_of_merges)
{
    hl_tokens *tokens = NULL;
    const char *vocabulary = scratch_file("vocab.json", "{\"a\": 0, \"<|endoftext|>\": 1, \"<pad>\": 2}");
    CHECK_OK(hl_tokens_load_merges(vocabulary, scratch_file("merges.txt", ""), false, &tokens));
    ck_assert_int_eq(hl_tokens_role(tokens, HL_ROLE_END), 1);
    ck_assert_int_eq(hl_tokens_role(tokens, HL_ROLE_BEGIN), 1);
    ck_assert_int_eq(hl_tokens_role(tokens, HL_ROLE_PAD), 2);
    ck_assert_int_eq(hl_tokens_role(tokens, HL_ROLE_CLS), -1);
    check_pieces(tokens, "a<|endoftext|>a", true, "a@0-1 <|endoftext|>@1-14 a@14-15");
    hl_tokens_free(tokens);
    tokens = NULL;
    static const char zero[] = "a \0";
    const char *merges = scratch_path("merges.txt");
    scratch_write(merges, zero, 3);
    check_tokens_refused(hl_tokens_load_merges(vocabulary, merges, false, &tokens), tokens,
                         "merges.txt: holds a zero byte");
}

TEST(merges_of_roberta_stand_between_its_own_tokens)
{
    static const char pieces[] = "{\"<s>\": 0, \"</s>\": 1, \"<mask>\": 2, \"a\": 3, \"Ġ\": 4}";
    static const int32_t ids[] = { 0, 3, 2, 1, 1, 3, 1 };
    hl_tokens *tokens = NULL;
    hl_pieces wrapped = { 0 };
    const char *vocabulary = scratch_file("vocab.json", pieces);
    CHECK_OK(hl_tokens_load_merges(vocabulary, scratch_file("merges.txt", ""), true, &tokens));
    CHECK_OK(hl_tokens_encode(tokens, "a <mask>", 8, true, &wrapped)); /* its space goes along */
    CHECK_OK(hl_tokens_encode(tokens, "a", 1, true, &wrapped));
    CHECK_OK(hl_tokens_wrap(tokens, 2, &wrapped));
    ck_assert_uint_eq(wrapped.n, sizeof ids / sizeof ids[0]);
    for (size_t i = 0; i < wrapped.n; i++) {
        ck_assert_int_eq(wrapped.at[i].id, ids[i]);
        ck_assert_int_eq(wrapped.at[i].type, 0);
    }
    hl_pieces_free(&wrapped);
    hl_tokens_free(tokens);
    tokens = NULL;
    vocabulary = scratch_file("vocab.json", "{\"<s>\": 0, \"a\": 1}");
    check_tokens_refused(hl_tokens_load_merges(vocabulary, scratch_path("none"), true, &tokens), tokens,
                         "vocab.json: has no piece <s> or </s>, which stand around a text of RoBERTa's");
}

/* ---- tokenizer.json ---- */

#define WORDPIECE                                                                                        \
    "\"model\": {\"type\": \"WordPiece\", \"unk_token\": \"?\", \"continuing_subword_prefix\": \"##\", " \
    "\"max_input_chars_per_word\": 4, \"vocab\": {\"?\": 0, \"a\": 1, \"##b\": 2, \"[C]\": 3}}"
#define BERT_PRE "\"pre_tokenizer\": {\"type\": \"BertPreTokenizer\"}"
#define BPE                                                                                                         \
    "\"model\": {\"type\": \"BPE\", \"unk_token\": null, \"continuing_subword_prefix\": \"\", \"fuse_unk\": true, " \
    "\"vocab\": {\"a\": 0, \"b\": 1, \"ab\": 2}, \"merges\": [\"a b\"]}"
#define BYTE_LEVEL "\"pre_tokenizer\": {\"type\": \"ByteLevel\", \"add_prefix_space\": false, \"trim_offsets\": true}"
#define ADDED "\"added_tokens\": [{\"id\": 3, \"content\": \"[C]\", \"special\": true}]"
#define ITEM(what, name, type) "{\"" what "\": {\"id\": \"" name "\", \"type_id\": " type "}}"

static void check_wrapped(const hl_tokens *tokens, const char *a, const char *b, const char *expected)
{
    hl_pieces pieces = { 0 };
    CHECK_OK(hl_tokens_encode(tokens, a, strlen(a), false, &pieces));
    size_t n = pieces.n;
    CHECK_OK(hl_tokens_encode(tokens, b, strlen(b), false, &pieces));
    CHECK_OK(hl_tokens_wrap(tokens, n, &pieces));
    check_shown(tokens, &pieces, expected);
}

TEST(a_wordpiece_tokenizer)
{
    hl_tokens *tokens = tokenizer_of("{" WORDPIECE ", " BERT_PRE ", " ADDED
                                     ", \"normalizer\": {\"type\": \"BertNormalizer\", \"clean_text\": true, "
                                     "\"handle_chinese_chars\": true, \"strip_accents\": null, \"lowercase\": true}}");
    check_pieces(tokens, "ABbb á abbbb", true, "a@0-1 ##b@1-2 ##b@2-3 ##b@3-4 a@5-7 ?@8-13");
    check_wrapped(tokens, "a", "ab", "a@0-1 a@0-1/1 ##b@1-2/1");
    ck_assert_int_eq(hl_tokens_role(tokens, HL_ROLE_UNK), 0);
    tokens = tokenizer_of("{\"model\": {\"unk_token\": \"a\", \"continuing_subword_prefix\": \"##\", "
                          "\"max_input_chars_per_word\": 4, \"vocab\": {\"a\": 0}}, " BERT_PRE
                          "}"); /* without its type, as files of 2020 are */
    ck_assert_int_eq(hl_tokens_get_kind(tokens), HL_TOKENS_WORDPIECE);
    tokens = tokenizer_of("{\"model\": {\"vocab\": {\"a\": 0, \"aa\": 1}, \"merges\": [\"a a\"]}, " BYTE_LEVEL "}");
    ck_assert_int_eq(hl_tokens_get_kind(tokens), HL_TOKENS_BPE);
    tokens = tokenizer_of("{" WORDPIECE ", " BERT_PRE ", \"normalizer\": null}");
    check_pieces(tokens, "A a\xC2\xAD", false, "?@0-1 ?@2-5"); /* nothing is normalised */
}

TEST(what_cuts_and_fills_up_is_left_to_the_caller)
{
    static const char *const rests[] = { "\"padding\": null",
                                         "\"truncation\": {\"max_length\": 128}, \"padding\": null",
                                         "\"padding\": {\"pad_id\": 0}" };
    for (int i = 0; i < ROWS(rests); i++) {
        hl_tokens *tokens = NULL;
        bool ignored;
        const char *json = scratch_format("{" WORDPIECE ", " BERT_PRE ", %s}", rests[i]);
        CHECK_OK(hl_tokens_load_tokenizer(scratch_file("tokenizer.json", json), &tokens, &ignored));
        ck_assert(ignored == (i > 0));
        hl_tokens_free(tokens);
    }
}

TEST(what_post_processors_put_around_texts)
{
    hl_tokens *tokens = tokenizer_of("{" WORDPIECE ", " BERT_PRE ", \"post_processor\": {\"type\": \"BertProcessing\", "
                                     "\"cls\": [\"[C]\", 3], \"sep\": [\"?\", 0]}}");
    check_wrapped(tokens, "a", "", "[C]@0-0 a@0-1 ?@0-0");
    check_wrapped(tokens, "a", "a", "[C]@0-0 a@0-1 ?@0-0 a@0-1/1 ?@0-0/1");
    ck_assert_int_eq(hl_tokens_role(tokens, HL_ROLE_CLS), 3);
    ck_assert_int_eq(hl_tokens_role(tokens, HL_ROLE_SEP), 0);
    tokens = tokenizer_of("{" BPE ", " BYTE_LEVEL ", " ADDED ", \"post_processor\": {\"type\": \"RobertaProcessing\", "
                          "\"cls\": [\"[C]\", 3], \"sep\": [\"[C]\", 3]}}");
    check_wrapped(tokens, "ab", "a", "[C]@0-0 ab@0-2 [C]@0-0 [C]@0-0 a@0-1 [C]@0-0");
    tokens = tokenizer_of(
        "{" BPE ", " BYTE_LEVEL ", " ADDED ", \"post_processor\": {\"type\": \"Sequence\", \"processors\": "
        "[{\"type\": \"ByteLevel\"}, {\"type\": \"TemplateProcessing\", "
        "\"single\": [" ITEM("Sequence", "A", "0") ", " ITEM(
            "SpecialToken", "x", "0") "], "
                                      "\"pair\": [" ITEM("Sequence", "B", "1") ", " ITEM(
                                          "Sequence", "A", "0") "], "
                                                                "\"special_tokens\": {\"x\": {\"ids\": [3, 3]}}}]}}");
    check_wrapped(tokens, "ab", "", "ab@0-2 [C]@0-0 [C]@0-0");
    check_wrapped(tokens, "ab", "a", "a@0-1/1 ab@0-2");
}

static const struct {
    const char *text, *message;
} tokenizers[] = {
    { "", "tokenizer.json: not valid JSON: unexpected token near end of file (line 1, column 0)" },
    { "[]", "tokenizer.json: model: what stands here is not supported" },
    { "{\"model\": {\"type\": \"WordLevel\"}}", "tokenizer.json: model: WordLevel is not supported" },
    { "{\"model\": {\"type\": \"BPE\", \"vocab\": []}}",
      "tokenizer.json: model: vocab is no object of pieces and their ids" },
    { "{\"model\": {\"type\": \"BPE\", \"vocab\": {}, \"dropout\": 0.1}}",
      "tokenizer.json: model: dropout is not supported" },
    { "{\"model\": {\"type\": \"BPE\", \"vocab\": {}, \"byte_fallback\": true}}",
      "tokenizer.json: model: byte_fallback is not supported" },
    { "{\"model\": {\"type\": \"BPE\", \"vocab\": {\"a\": 0}, \"unk_token\": \"a\", \"fuse_unk\": true}}",
      "tokenizer.json: model: fuse_unk is not supported" },
    { "{\"model\": {\"type\": \"BPE\", \"vocab\": {\"a\": 0}, \"unk_token\": \"?\"}}",
      "tokenizer.json: model: the unk_token ? is not in vocab" },
    { "{\"model\": {\"type\": \"WordPiece\", \"vocab\": {}, \"continuing_subword_prefix\": \"@\"}}",
      "tokenizer.json: model: a continuing_subword_prefix other than ## is not supported" },
    { "{\"model\": {\"type\": \"WordPiece\", \"vocab\": {}, \"continuing_subword_prefix\": \"##\", "
      "\"max_input_chars_per_word\": 1e9}}",
      "tokenizer.json: model: max_input_chars_per_word is not from 1 to 10000" },
    { "{\"model\": {\"type\": \"WordPiece\", \"vocab\": {\"a\": 0}, \"continuing_subword_prefix\": \"##\"}, " BERT_PRE
      "}",
      "tokenizer.json: no unknown token, which wordpiece needs" },
    { "{" BPE "}", "tokenizer.json: pre_tokenizer: what stands here is not supported" },
    { "{" BPE ", " BERT_PRE "}", "tokenizer.json: pre_tokenizer: BertPreTokenizer is not supported" },
    { "{" BPE ", \"pre_tokenizer\": {\"type\": \"ByteLevel\", \"use_regex\": false}}",
      "tokenizer.json: pre_tokenizer: use_regex = false is not supported" },
    { "{" BPE ", " BYTE_LEVEL ", \"normalizer\": {\"type\": \"NFD\"}}",
      "tokenizer.json: normalizer: NFD is not supported" },
    { "{" BPE ", " BYTE_LEVEL ", \"normalizer\": {\"type\": \"Sequence\", \"normalizers\": [{\"type\": \"NFC\"}]}}",
      "tokenizer.json: normalizer: Sequence is not supported" },
    { "{" WORDPIECE ", " BERT_PRE ", \"normalizer\": {\"type\": \"NFC\"}}",
      "tokenizer.json: normalizer: NFC is not supported" },
    { "{" BPE ", " BYTE_LEVEL ", \"post_processor\": {\"type\": \"X\"}}",
      "tokenizer.json: post_processor: X is not supported" },
    { "{" BPE ", " BYTE_LEVEL ", \"post_processor\": {\"type\": \"BertProcessing\", \"cls\": [\"x\", 3]}}",
      "tokenizer.json: a special token's id is that of no piece" },
    { "{" BPE ", " BYTE_LEVEL
      ", \"post_processor\": {\"type\": \"TemplateProcessing\", \"single\": [" ITEM("SpecialToken", "x", "0") "]}}",
      "tokenizer.json: post_processor: the special token x has no ids" },
    { "{" BPE ", " BYTE_LEVEL
      ", \"post_processor\": {\"type\": \"TemplateProcessing\", \"single\": [" ITEM("Sequence", "A", "2") "]}}",
      "tokenizer.json: post_processor: a template that is so long or has such types is not supported" },
    { "{" BPE ", " BYTE_LEVEL ", \"added_tokens\": [{\"id\": 4, \"content\": \"x\", \"special\": true}]}",
      "tokenizer.json: added_tokens: token 1 has no content, or an id that leaves a gap" },
    { "{" BPE ", " BYTE_LEVEL ", \"added_tokens\": [{\"id\": 0, \"content\": \"x\", \"special\": true}]}",
      "tokenizer.json: added_tokens: x has the id 0 of the piece a" },
    { "{" WORDPIECE ", " BERT_PRE ", \"normalizer\": {\"type\": \"BertNormalizer\", \"clean_text\": true}, "
      "\"added_tokens\": [{\"id\": 4, \"content\": \"\\u00ad\", \"normalized\": true}]}",
      "tokenizer.json: added_tokens: \\u{ad}: nothing is left of it when it is normalized; make its normalized "
      "false" },
    { "{" BPE ", " BYTE_LEVEL ", \"added_tokens\": [{\"id\": 3, \"content\": \"a\", \"special\": true}]}",
      "tokenizer.json: the piece a has two ids, 0 and 3" },
    { "{\"model\": {\"type\": \"BPE\", \"vocab\": {\"a\": 0}, \"merges\": [\"a\"]}, " BYTE_LEVEL "}",
      "tokenizer.json: model: merge 1 is no pair of pieces" },
    { "{\"model\": {\"type\": \"BPE\", \"vocab\": {\"a\": 0}, \"merges\": [[\"a\", 1]]}, " BYTE_LEVEL "}",
      "tokenizer.json: model: merge 1 is no pair of pieces" },
    { "{\"model\": {\"type\": \"BPE\", \"vocab\": {\"a\": 0}, \"merges\": [\"a x\"]}, " BYTE_LEVEL "}",
      "tokenizer.json: the merge of a and x: x is no piece" },
};

LOOP_TEST(what_is_not_supported_is_refused_by_name, 0, sizeof tokenizers / sizeof tokenizers[0])
{
    hl_tokens *tokens = NULL;
    bool ignored;
    hl_status status = hl_tokens_load_tokenizer(scratch_file("tokenizer.json", tokenizers[_i].text), &tokens, &ignored);
    check_tokens_refused(status, tokens, tokenizers[_i].message);
}

TEST(deep_nesting_is_refused)
{
    enum { DEPTH = 100000 };
    char *text = malloc(DEPTH + 1);
    memset(text, '[', DEPTH);
    text[DEPTH] = '\0';
    const char *path = scratch_file("tokenizer.json", text);
    hl_tokens *tokens = NULL;
    bool ignored;
    ck_assert_int_eq(hl_tokens_load_tokenizer(path, &tokens, &ignored).code, HL_BAD_FILE);
    ck_assert_int_eq(hl_tokens_load(path, &tokens).code, HL_BAD_FILE);
    ck_assert_int_eq(hl_tokens_load_merges(path, path, false, &tokens).code, HL_BAD_FILE);
    ck_assert_ptr_null(tokens);
    free(text);
}

/* ---- tokens.json ---- */

TEST(a_saved_object_is_the_same)
{
    hl_tokens *kinds[HL_TOKENS_LEARNED + 1];
    for (int kind = 0; kind < HL_TOKENS_LEARNED; kind++) {
        hl_tokens_options options = { .kind = (hl_tokens_kind)kind, .size = 300, .lowercase = true, .roles = 127 };
        kinds[kind] = kept_tokens(learned(options, "The low, lower and lowest été \"\\ \x01"));
    }
    kinds[HL_TOKENS_LEARNED] =
        tokenizer_of("{" BPE ", \"pre_tokenizer\": {\"type\": \"ByteLevel\", \"add_prefix_space\": true}, "
                     "\"added_tokens\": [{\"id\": 3, \"content\": \"[C]\", \"special\": true, \"lstrip\": true}]}");
    for (int kind = 0; kind <= HL_TOKENS_LEARNED; kind++) {
        hl_text *before = scratch_text(), *after = scratch_text();
        hl_tokens *again = NULL;
        const char *path = scratch_path("tokens.json");
        ck_assert_str_eq(hl_tokens_save(kinds[kind], path).text, "");
        ck_assert_str_eq(hl_tokens_load(path, &again).text, "");
        CHECK_OK(hl_tokens_json(kinds[kind], before));
        CHECK_OK(hl_tokens_json(kept_tokens(again), after));
        ck_assert_str_eq(before->bytes, after->bytes);
        ck_assert(scratch_holds(path, before->bytes, before->size));
        check_pieces(again, "", true, "");
        ck_assert_int_eq(hl_tokens_get_kind(again), hl_tokens_get_kind(kinds[kind]));
    }
}

#define RULES                                                                                         \
    "\"rules\":{\"clean_text\":false,\"cjk_alone\":false,\"strip_accents\":false,\"lowercase\":true," \
    "\"word_characters\":100,\"prefix_space\":false,\"unknown_bytes\":false}"
#define JSON(kind, roles, special, single, pieces, merges)                                                         \
    "{\"format\":1,\"kind\":\"" kind "\"," RULES ",\"roles\":" roles ",\"special\":" special ",\"single\":" single \
    ",\"pair\":[[\"A\",0],[\"B\",1]],\"pieces\":" pieces ",\"merges\":" merges "}\n"

TEST(the_format_stays)
{
    static const char text[] =
        JSON("chars", "{\"unk\":0}", "[[0,false,true]]", "[[\"A\",0],[0,1]]", "[\"<unk>\",\"a\",\"\\n\",\"é\"]", "[]");
    hl_tokens *tokens = NULL;
    ck_assert_str_eq(hl_tokens_load(scratch_file("tokens.json", text), &tokens).text, "");
    hl_text *written = scratch_text();
    CHECK_OK(hl_tokens_json(tokens, written));
    ck_assert_str_eq(written->bytes, text);
    check_pieces(tokens, "A\nz<unk> a", true, "a@0-1 \n@1-2 <unk>@2-3 <unk>@3-9 a@9-10");
    hl_tokens_free(tokens);
}

static const struct {
    const char *text, *message;
} damaged[] = {
    { "{}", "tokens.json: no tokens.json of format 1 to 4" },
    { "{\"format\": 5}", "tokens.json: no tokens.json of format 1 to 4" },
    { "{\"format\": 1}", "tokens.json: Object item not found: kind" },
    { JSON("letters", "{}", "[]", "[]", "[\"a\"]", "[]"), "tokens.json: unknown kind letters" },
    { JSON("chars", "[]", "[]", "[]", "[\"a\"]", "[]"), "tokens.json: roles, special, single, pair, pieces or merges "
                                                        "is no list, or word_characters is not from 1 to 10000" },
    { JSON("chars", "{\"mark\":0}", "[]", "[]", "[\"a\"]", "[]"), "tokens.json: an unknown role in roles" },
    { JSON("chars", "{\"unk\":1}", "[]", "[]", "[\"a\"]", "[]"),
      "tokens.json: a special token's id is that of no piece" },
    { JSON("chars", "{\"unk\":-1}", "[]", "[]", "[\"a\"]", "[]"),
      "tokens.json: a special token's id is that of no piece" },
    { JSON("chars", "{}", "[[1,true,true]]", "[]", "[\"a\"]", "[]"),
      "tokens.json: a special token's id is that of no piece" },
    { JSON("chars", "{}", "[0]", "[]", "[\"a\"]", "[]"),
      "tokens.json: special is a list of [id, strips left, strips right]" },
    { JSON("chars", "{}", "[]", "[[7,0]]", "[\"a\"]", "[]"), "tokens.json: a special token's id is that of no piece" },
    { JSON("chars", "{}", "[]", "[[\"A\",0],[0,0],[\"A\",1]]", "[\"a\"]", "[]"),
      "tokens.json: what stands around a text or a pair names a text twice" },
    { JSON("chars", "{}", "[]", "[[0,0]]", "[\"a\"]", "[]"),
      "tokens.json: what stands around a text or a pair leaves a text out" },
    { JSON("chars", "{}", "[]", "[[\"A\",0],[\"B\",0]]", "[\"a\"]", "[]"),
      "tokens.json: what stands around a text or a pair leaves a text out" },
    { JSON("chars", "{}", "[]", "[[\"A\",0],[\"C\",0]]", "[\"a\"]", "[]"),
      "tokens.json: single and pair are at most 16 pairs of an id, \"A\" or \"B\", and a type" },
    { JSON("chars", "{}", "[]", "[[0,2]]", "[\"a\"]", "[]"),
      "tokens.json: single and pair are at most 16 pairs of an id, \"A\" or \"B\", and a type" },
    { JSON("chars", "{}", "[]",
           "[[0,0],[0,0],[0,0],[0,0],[0,0],[0,0],[0,0],[0,0],[0,0],[0,0],[0,0],[0,0],[0,0],[0,0],"
           "[0,0],[0,0],[0,0]]",
           "[\"a\"]", "[]"),
      "tokens.json: single and pair are at most 16 pairs of an id, \"A\" or \"B\", and a type" },
    { JSON("chars", "{}", "[]", "[]", "[]", "[]"), "tokens.json: no pieces" },
    { JSON("chars", "{}", "[]", "[]", "[\"a\",7]", "[]"), "tokens.json: piece 1 is no text" },
    { JSON("chars", "{}", "[]", "[]", "[\"a\",\"b\",\"a\"]", "[]"), "tokens.json: the piece a has two ids, 0 and 2" },
    { JSON("bytes", "{}", "[]", "[]", "[\"a\"]", "[]"), "tokens.json: no piece for the byte 0" },
    { JSON("bpe", "{}", "[]", "[]", "[\"a\"]", "[[0,1]]"),
      "tokens.json: merges is a list of pairs of pieces' ids: number 1 is none" },
    { JSON("bpe", "{}", "[]", "[]", "[\"a\"]", "[[0,0]]"),
      "tokens.json: the merge of a and a: what they make is no piece" },
};

LOOP_TEST(a_damaged_object_is_refused, 0, sizeof damaged / sizeof damaged[0])
{
    hl_tokens *tokens = NULL;
    check_tokens_refused(hl_tokens_load(scratch_file("tokens.json", damaged[_i].text), &tokens), tokens,
                         damaged[_i].message);
}

/* JSON takes many times its bytes: it is refused before any of it is read. */
TEST(json_of_more_than_64_MiB_is_refused)
{
    const char *path = scratch_file("tokens.json", "[");
    ck_assert_int_eq(truncate(path, (64 << 20) + 1), 0);
    hl_tokens *tokens = NULL;
    bool ignored;
    static const char message[] = "tokens.json: has 67108865 bytes, more than the 67108864 that are allowed here";
    check_tokens_refused(hl_tokens_load(path, &tokens), tokens, message);
    check_tokens_refused(hl_tokens_load_tokenizer(path, &tokens, &ignored), tokens, message);
}

TEST(every_allocation_of_reading_may_fail)
{
    const char *json = scratch_file("tokenizer.json", "{" BPE ", " BYTE_LEVEL ", " ADDED "}");
    const char *vocabulary = scratch_file("vocab.txt", BERT "a\n");
    faults_begin();
    for (int reader = 0; reader < 2; reader++) {
        for (int n = 0; fault_checks_next(&n, FAULTS_FOR_EVER);) {
            hl_tokens *tokens = NULL;
            bool ignored;
            hl_status status = reader == 0 ? hl_tokens_load_tokenizer(json, &tokens, &ignored)
                                           : hl_tokens_load_vocabulary(vocabulary, true, &tokens);
            fault_checks_turn(status);
            ck_assert((tokens != NULL) == (status.code == HL_OK));
            hl_tokens_free(tokens);
        }
    }
    faults_end();
}

TEST(labels_are_tokens_in_their_order)
{
    static const char *const labels[] = { "so so", "bad", "so", "" };
    hl_tokens *tokens;
    CHECK_OK(hl_tokens_of_labels(labels, 3, "config.json", &tokens));
    ck_assert_int_eq(hl_tokens_size(tokens), 3);
    ck_assert_str_eq(hl_tokens_piece(tokens, 0, NULL), "so so");
    ck_assert_int_eq(hl_tokens_find(tokens, "so", 2), 2);
    hl_tokens_free(tokens);
    static const char *const twice[] = { "bad", "good", "bad" };
    const struct {
        const char *const *labels;
        int64_t n;
        const char *reason;
    } wrong[] = { { labels, 4, "config.json: the piece with id 3 is empty" },
                  { twice, 3, "config.json: the piece bad has two ids, 0 and 2" },
                  { labels, 0, "config.json: no pieces" } };
    for (int i = 0; i < 3; i++) {
        hl_status status = hl_tokens_of_labels(wrong[i].labels, wrong[i].n, "config.json", &tokens);
        check_tokens_refused(status, tokens, wrong[i].reason);
    }
}

SUITE("tokens file")
