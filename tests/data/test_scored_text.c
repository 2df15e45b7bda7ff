#include "core/kernels/random.h"
#include "data/text/scored_text.h"
#include "tests/data/text_data_show.h"
#include "tests/data/tokens_texts.h"

/* Accents, CJK, an emoji, white space of three bytes, ends of lines. */
static const char mixed[] = "Café au  lait, s'il vous plaît.\n\n日本\xe2\x80\x83"
                            "\xf0\x9f\x98\x80! a\tb\r\n c";

/* Characters and words of a text, with nothing of the code that is tested: white space is what `mixed` has. */
static void count(const char *text, int64_t *characters, int64_t *words)
{
    *characters = *words = 0;
    bool in_word = false;
    for (const char *c = text; *c != '\0'; c++) {
        bool wide = strncmp(c, "\xe2\x80\x83", 3) == 0, white = wide || strchr(" \t\r\n", *c) != NULL;
        *words += !white && !in_word;
        in_word = !white;
        ++*characters;
        c += wide ? 2 : (unsigned char)*c >= 0xF0 ? 3 : (unsigned char)*c >= 0xE0 ? 2 : (unsigned char)*c >= 0xC0;
    }
}

/* The pieces one by one, in stretches of three and all at once. */
static void check_text(const hl_tokens *tokens, const char *text, int64_t characters, int64_t words)
{
    hl_pieces pieces = { 0 };
    int32_t ids[512];
    CHECK_OK(hl_tokens_encode(tokens, text, strlen(text), true, &pieces));
    ck_assert_uint_le(pieces.n, 512);
    for (size_t i = 0; i < pieces.n; i++) {
        ids[i] = pieces.at[i].id;
    }
    const size_t steps[] = { 1, 3, pieces.n };
    for (int s = 0; s < 3; s++) {
        size_t step = steps[s];
        hl_scored_text found = { 0 };
        for (size_t i = 0; i < pieces.n; i += step) {
            size_t left = pieces.n - i;
            CHECK_OK(hl_scored_text_add(&found, tokens, ids + i, left < step ? left : step));
        }
        ck_assert_int_eq(found.characters, characters);
        ck_assert_int_eq(found.words, words);
    }
    hl_pieces_free(&pieces);
}

TEST(pieces_that_hold_the_text_have_its_characters_and_words)
{
    static const hl_tokens_options kinds[] = { { .kind = HL_TOKENS_CHARS, .size = HL_TOKENS_MAX },
                                               { .kind = HL_TOKENS_BYTES },
                                               { .kind = HL_TOKENS_BPE, .size = 262 } };
    int64_t characters, words;
    count(mixed, &characters, &words);
    ck_assert(characters == 46 && words == 11);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        hl_tokens *tokens = kept_tokens(learned(kinds[i], mixed));
        check_text(tokens, mixed, characters, words);
        check_text(tokens, " a b  ", 6, 2);
    }
}

TEST(pieces_that_hold_words_have_one_space_between_them)
{
    hl_tokens *words =
        kept_tokens(learned((hl_tokens_options){ .kind = HL_TOKENS_WORDS, .size = HL_TOKENS_MAX }, mixed));
    check_text(words, "au  lait, \n日本", 11, 3); /* au lait, xx */
    hl_tokens *pieces =
        kept_tokens(wordpiece_of("[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\ndog\n##s\ncat\nna\n##ï\n,\n", false));
    check_text(pieces, "dogs  cats,cat", 15, 4);         /* dogs cats , cat */
    check_text(pieces, "naï zebra cat", 9, 3);           /* na? ? cat: an unknown token is a character and a word */
    check_text(pieces, "dog[SEP]cat [MASK]dogs", 12, 3); /* dog cat dogs */
    hl_scored_text cut = { 0 };
    int32_t ids[] = { 6, 5, 99 };
    CHECK_OK(hl_scored_text_add(&cut, pieces, ids, 2)); /* ##s dog, as hl_tokens_decode has it */
    ck_assert(cut.characters == 7 && cut.words == 2);
    ck_assert_int_eq(hl_scored_text_add(&cut, pieces, ids, 3).code, HL_INVALID);
    pieces = kept_tokens(wordpiece_of("[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\ndog\n##s\n日\n本\n,\n", false));
    check_text(pieces, "日本dogs日", 7, 1); /* as the text has it */
    check_text(pieces, "日本[SEP]本日 dogs dog", 12, 3);
}

TEST(unknown_characters_count_and_special_tokens_end_words)
{
    hl_tokens *tokens = kept_tokens(learned((hl_tokens_options){ .kind = HL_TOKENS_CHARS,
                                                                 .size = HL_TOKENS_MAX,
                                                                 .roles = 1u << HL_ROLE_UNK | 1u << HL_ROLE_END },
                                            "ab "));
    char text[64];
    snprintf(text, sizeof text, "axb a%sb",
             hl_tokens_piece(tokens, hl_tokens_role(tokens, HL_ROLE_END), NULL)); /* x is unknown */
    check_text(tokens, text, 6, 3);
}

/* The bytes of a character of two, apart. */
TEST(a_character_counts_where_its_first_byte_is)
{
    hl_tokens *tokens = kept_tokens(learned((hl_tokens_options){ .kind = HL_TOKENS_BYTES }, mixed));
    hl_pieces pieces = { 0 };
    CHECK_OK(hl_tokens_encode(tokens, "é", 2, false, &pieces));
    int32_t ids[] = { pieces.at[0].id, pieces.at[1].id };
    hl_scored_text first = { 0 }, second = { 0 }, apart = { 0 };
    hl_scored_text_add(&first, tokens, ids, 1);
    hl_scored_text_add(&second, tokens, ids + 1, 1);
    ck_assert(first.characters == 1 && first.words == 0 && second.characters == 0 && second.words == 0);
    hl_scored_text_add(&apart, tokens, ids, 2);
    hl_scored_text_break(&apart);
    hl_scored_text_add(&apart, tokens, ids, 2);
    ck_assert(apart.characters == 2 && apart.words == 2);
    hl_pieces_free(&pieces);
}

/* Of next the targets are the text from its second piece on, as far as whole windows go. */
TEST(windows_of_validation_have_the_text_they_ask_for)
{
    hl_text all = { 0 };
    for (int i = 0; i < 40; i++) {
        const char *carriage_return = strchr(mixed, '\r'); /* which readers drop before a newline */
        hl_text_print(&all, "%.*s%s", (int)(carriage_return - mixed), mixed, carriage_return + 1);
    }
    enum { LENGTH = 7 };
    hl_text_spec spec = running_spec(scratch_file("text", all.bytes), HL_TOKENS_CHARS, LENGTH, 0.25);
    spec.validation_file = spec.file;
    hl_text_data *data = kept_text(&spec);
    int64_t windows = hl_text_data_examples(data, HL_VALIDATION), characters, words;
    for (int64_t n = windows; n > 0; n -= windows / 2) {
        const char *begin = all.bytes + 1, *end = begin;
        for (int64_t i = 0; i < n * LENGTH; i++) {
            end += 1 + (strspn(end + 1, "\x80\x83\x98\x9c\x9f\xa5\xa9\xac\xae\x97"));
        }
        char *scored = strndup(begin, (size_t)(end - begin));
        count(scored, &characters, &words);
        hl_scored_text found;
        CHECK_OK(hl_scored_text_of_validation(data, 1, n, &found));
        ck_assert(characters == n * LENGTH && found.characters == characters);
        ck_assert_int_eq(found.words, words);
        free(scored);
    }
    hl_text_free(&all);
}

/* Of masked: the characters of the pieces asked for, and the words that have one, counted from the rows. */
TEST(masks_of_validation_have_the_words_they_hide)
{
    hl_text_spec spec = masked_spec(sentences_file("text"));
    spec.kind = HL_TOKENS_BPE;
    spec.size = 262 + 10;
    spec.max_length = 512;
    hl_text_data *data = kept_text(&spec);
    hl_text_reader *reader = kept_reader(data);
    int64_t n = hl_text_data_examples(data, HL_VALIDATION), characters = 0, words = 0, pieces = 0;
    for (int64_t i = 0; i < n; i++) {
        hl_text_example e;
        CHECK_OK(hl_text_data_read(reader, HL_VALIDATION, 7, i, &e));
        bool hidden[512] = { false };
        for (int64_t t = 0; t < e.n_targets; t++) {
            hl_text decoded = { 0 };
            CHECK_OK(hl_tokens_decode(hl_text_data_tokens(data), &e.ids[t], 1, true, &decoded));
            characters += (int64_t)decoded.size; /* ASCII */
            int64_t word = e.n_words;
            while (e.words[word - 1] > e.rows[t]) {
                word--;
            }
            hidden[word] = hidden[word] || strcmp(decoded.bytes, " ") != 0;
            hl_text_free(&decoded);
        }
        for (int word = 0; word < 512; word++) {
            words += hidden[word];
        }
        pieces += e.n_targets;
    }
    hl_scored_text found;
    CHECK_OK(hl_scored_text_of_validation(data, 7, n, &found));
    ck_assert(words < pieces && pieces < characters); /* which are three things here */
    ck_assert_int_eq(found.characters, characters);
    ck_assert_int_eq(found.words, words);
}

SUITE("scored text")
