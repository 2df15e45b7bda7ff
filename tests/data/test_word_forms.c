#include "data/text/word_forms.h"
#include "data/vocabulary.h"
#include "tests/data/text_data_show.h"
#include "tests/scratch.h"

#include "core/base/memory.h"
#include "data/examples_storage.h"

/* Examples 0 .. n - 1 of the validation split, with words as datasets number them. */
static void read_examples(const hl_text_data *data, const hl_vocabulary *vocabulary, int64_t n, hl_examples *examples)
{
    hl_text_reader *reader = reader_of(data);
    int64_t T = hl_text_data_longest(data, HL_VALIDATION);
    CHECK_OK(hl_examples_allocate_text(n, T, false, examples));
    examples->kinds = hl_vocabulary_kinds(vocabulary);
    for (int64_t e = 0; e < n; e++) {
        hl_text_example example;
        CHECK_OK(hl_text_data_read(reader, HL_VALIDATION, 1, e, &example));
        examples->lengths[e] = (int32_t)example.n_tokens;
        int32_t word = -1;
        int64_t next = 0;
        for (int64_t i = 0; i < T; i++) {
            examples->words[e * T + i] = HL_IGNORE;
            examples->tokens[e * T + i] = i < example.n_tokens ? example.tokens[i] : 0;
            bool begins = next < example.n_words && example.words[next] == i;
            next += begins;
            if (i < example.n_tokens &&
                (examples->kinds[example.tokens[i]] & (HL_TOKEN_FIRST | HL_TOKEN_SEPARATOR)) == 0) {
                word += begins;
                examples->words[e * T + i] = word;
            }
        }
    }
    hl_text_reader_close(reader);
}

/* "text:form" of the words, "?" in the place of a hidden form and "." after punctuation; "*" after the rarest. */
static void expect_words(const hl_word_forms *forms, const hl_examples *examples, int64_t e, const char *expected)
{
    hl_text *text = scratch_text();
    for (int64_t i = 0; i < examples->lengths[e]; i++) {
        int64_t at = e * examples->n_tokens + i;
        int32_t word = examples->words[at], form = forms->forms[at];
        if (word < 0) {
            ck_assert_int_eq(form, -1);
            ck_assert_str_eq(hl_word_forms_text(forms, e, i), "");
        } else if (i == 0 || examples->words[at - 1] != word) {
            unsigned kind = forms->form_kinds[form];
            hl_text_print(text, "%s:", hl_word_forms_text(forms, e, i));
            hl_text_print(text, kind == HL_TOKEN_UNKNOWN ? "?" : "%d", (int)form);
            hl_text_print(text, "%s%s ", kind == HL_TOKEN_PUNCTUATION ? "." : "", forms->rarest[e] == word ? "*" : "");
        } else {
            ck_assert_int_eq(form, forms->forms[at - 1]);
            ck_assert_str_eq(hl_word_forms_text(forms, e, i), hl_word_forms_text(forms, e, i - 1));
        }
    }
    ck_assert_str_eq(text->bytes, expected);
}

typedef struct made {
    hl_text_data *data;
    hl_vocabulary *vocabulary;
    hl_examples examples;
    hl_word_forms forms;
} made;

static made make(const hl_text_spec *spec, int64_t n)
{
    made m = { .data = opened_text(spec) };
    CHECK_OK(hl_vocabulary_of_tokens(hl_text_data_tokens(m.data), &m.vocabulary));
    read_examples(m.data, m.vocabulary, n, &m.examples);
    CHECK_OK(hl_word_forms_make(&m.examples, hl_text_data_tokens(m.data), &m.forms));
    return m;
}

static void end(made *m)
{
    hl_word_forms_free(&m->forms);
    hl_examples_free(&m->examples);
    hl_vocabulary_free(m->vocabulary);
    hl_text_data_close(m->data);
    scratch_end();
}

static hl_text_spec classes(const char *train, const char *validation)
{
    static char files[2][512];
    snprintf(files[0], sizeof files[0], "%s", text_file("train.tsv", train));
    snprintf(files[1], sizeof files[1], "%s", text_file("dev.tsv", validation));
    return (hl_text_spec){ .task = HL_TEXT_CLASSES,
                           .file = files[0],
                           .validation_file = files[1],
                           .text_column = "text",
                           .label_column = "label",
                           .max_length = 100,
                           .kind = HL_TOKENS_WORDPIECE,
                           .folder = whole_folder() };
}

TEST(pieces_make_words_and_words_have_forms)
{
    static const char bert[] = "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\nthe\nThe\nd\n##og\n##s\n,\nÜ\n##BER\nü\n##ber\n";
    char vocabulary[512];
    snprintf(vocabulary, sizeof vocabulary, "%s", text_file("vocab.txt", bert));
    hl_text_spec spec = classes("label\ttext\nx\tdogs, dogs, the dog\nx\tThe the ÜBER\n",
                                "label\ttext\nx\tThe dogs, the dog\nx\tüber xyz ÜBER the\n");
    spec.vocabulary = vocabulary;
    made m = make(&spec, 2);
    expect_words(&m.forms, &m.examples, 0, "The:1 dogs:2 ,:3. the:1 dog:4 ");
    expect_words(&m.forms, &m.examples, 1, "über:5 [UNK]:? ÜBER:5 the:1 ");
    hl_word_forms_tell(&m.forms, &m.examples);
    ck_assert_ptr_eq(m.examples.forms, m.forms.forms);
    CHECK_OK(hl_word_forms_count(&m.forms, m.data));
    expect_words(&m.forms, &m.examples, 0, "The:1 dogs:2 ,:3. the:1 dog:4* "); /* 3, 2, 2, 3 and 1 */
    expect_words(&m.forms, &m.examples, 1, "über:5* [UNK]:? ÜBER:5 the:1 ");   /* the first of equals */
    end(&m);
}

/* As docs/heads.md says: with WordPiece what its pre-tokenizer cuts, else what white space separates. */
LOOP_TEST(what_a_word_is_depends_on_the_tokens, 0, 5)
{
    static const struct {
        hl_tokens_kind kind;
        const char *words;
    } cases[] = { { HL_TOKENS_WORDPIECE, "I:1 don:2 ':3. t:4 " },
                  { HL_TOKENS_BPE, "I:1 don't:2 " },
                  { HL_TOKENS_WORDS, "I:1 don't:2 " },
                  { HL_TOKENS_CHARS, "I:1 don't:2 " },
                  { HL_TOKENS_BYTES, "I:1 don't:2 " } };
    static const char text[] = "label\ttext\nx\tI don't\n";
    hl_text_spec spec = classes(text, text);
    spec.kind = cases[_i].kind;
    spec.size = 300;
    made m = make(&spec, 1);
    expect_words(&m.forms, &m.examples, 0, cases[_i].words);
    end(&m);
}

TEST(words_of_unigram_begin_with_the_mark_of_a_space)
{
    static const char text[] = "label\ttext\nx\trugovi. me rugovi.?\n";
    hl_text_spec spec = classes(text, text);
    spec.kind = HL_TOKENS_UNIGRAM;
    spec.vocabulary = HL_TEST_TOKENS "/unigram_tokenizer.json";
    made m = make(&spec, 1);
    expect_words(&m.forms, &m.examples, 0, "rugovi.:1 me:2 rugovi.?:3 ");
    end(&m);
}

/* All words come equally often in the file, so that one word cut between two chunks of it would be the rarest. */
TEST(words_of_running_text_are_counted_whole)
{
    enum { REPEATS = 30000, LINE = 9 };
    char *text = malloc(REPEATS * LINE + 1);
    ck_assert_ptr_nonnull(text);
    for (int i = 0; i < REPEATS; i++) {
        memcpy(text + (ptrdiff_t)i * LINE, "aa b cc, ", LINE + 1);
    }
    char file[512];
    snprintf(file, sizeof file, "%s", text_file("train.txt", text));
    free(text);
    hl_text_spec spec = { .task = HL_TEXT_NEXT,
                          .file = file,
                          .validation_file = text_file("dev.txt", "cc, aa b b cc, aa aa b cc, ? c, aa "),
                          .length = LINE,
                          .max_length = LINE,
                          .kind = HL_TOKENS_CHARS,
                          .folder = whole_folder() };
    made m = make(&spec, 3);
    CHECK_OK(hl_word_forms_count(&m.forms, m.data));
    expect_words(&m.forms, &m.examples, 0, "cc,:1* aa:2 b:3 :? "); /* white space alone has no form */
    expect_words(&m.forms, &m.examples, 1, "b:3* cc,:1 aa:2 :? ");
    expect_words(&m.forms, &m.examples, 2, "aa:2* b:3 cc,:1 :? ");
    end(&m);
}

TEST(a_window_that_begins_inside_a_word_has_the_rest_of_it)
{
    hl_text_spec spec = { .task = HL_TEXT_NEXT,
                          .file = text_file("train.txt", "aa b cc c, aa b aa b cc aa b aa b cc, aa b aa"),
                          .validation_share = 0.2,
                          .length = 4,
                          .max_length = 4,
                          .kind = HL_TOKENS_BYTES,
                          .size = 256,
                          .folder = whole_folder() };
    made m = make(&spec, 1);
    CHECK_OK(hl_word_forms_count(&m.forms, m.data));
    expect_words(&m.forms, &m.examples, 0, ",:1.* aa:2 "); /* the comma alone is no word of the file */
    end(&m);
}

/* More words than are remembered, each of them twice, and between two of the same many others: a word of another's
 * tokens, or of tokens that are its first ones, is never taken for it. */
TEST(words_that_are_remembered_are_not_mistaken_for_others)
{
    enum { DIFFERENT = 50000, LONGEST = 7 };
    char *text = malloc(2 * DIFFERENT * LONGEST + 64);
    ck_assert_ptr_nonnull(text);
    size_t size = 0;
    for (int i = 0; i < 2 * DIFFERENT; i++) {
        size += (size_t)sprintf(text + size, "%d ", i % DIFFERENT);
    }
    sprintf(text + size, "31 31 4999 1234567890123456 1234567890123457 1234567890123457 ");
    char file[512];
    snprintf(file, sizeof file, "%s", text_file("train.txt", text));
    free(text);
    hl_text_spec spec = { .task = HL_TEXT_NEXT,
                          .file = file,
                          .validation_file = text_file("dev.txt", "31 4999 49999 1234567890123457 1234567890123456 "),
                          .length = 47,
                          .max_length = 47,
                          .kind = HL_TOKENS_CHARS,
                          .folder = whole_folder() };
    made m = make(&spec, 1);
    CHECK_OK(hl_word_forms_count(&m.forms, m.data));
    expect_words(&m.forms, &m.examples, 0,
                 "31:1 4999:2 49999:3 1234567890123457:4 1234567890123456:5* "); /* 4, 3, 2, 2 and 1 */
    end(&m);
}

SUITE("word forms")
