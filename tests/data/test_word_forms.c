#include "data/text/word_forms.h"

#include "data/dataset.h"
#include "tests/data/text_data_show.h"
#include "tests/scratch.h"

typedef struct made {
    hl_dataset *dataset;
    hl_examples examples;
    hl_word_forms forms;
} made;

/* "text:form" of the words, "?" in the place of a hidden form and "." after punctuation; "*" after the rarest. */
static void expect_words(const made *m, int64_t e, const char *expected)
{
    const hl_word_forms *forms = &m->forms;
    const hl_examples *examples = &m->examples;
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

static void end(void *context)
{
    made *m = context;
    hl_word_forms_free(&m->forms);
    hl_examples_free(&m->examples);
    hl_dataset_free(m->dataset);
    free(m);
}

/* Of the first n examples of validation; it goes when the test ends. */
static made *make(const hl_text_spec *spec, int64_t n)
{
    made *m = calloc(1, sizeof *m);
    CHECK_OK(hl_dataset_open_text(spec, 1, &m->dataset));
    CHECK_OK(hl_dataset_make_examples(m->dataset, HL_VALIDATION, 0, n, &m->examples));
    CHECK_OK(hl_word_forms_make(&m->examples, hl_text_data_tokens(hl_dataset_text(m->dataset)), &m->forms));
    return scratch_own(m, end);
}

static void count(made *m)
{
    CHECK_OK(hl_word_forms_count(&m->forms, hl_dataset_text(m->dataset)));
}

static hl_text_spec classes(const char *train, const char *validation)
{
    return spec_of_two(HL_TEXT_CLASSES, HL_TOKENS_WORDPIECE, train, validation);
}

TEST(pieces_make_words_and_words_have_forms)
{
    static const char bert[] = "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\nthe\nThe\nd\n##og\n##s\n,\nÜ\n##BER\nü\n##ber\n";
    hl_text_spec spec = classes("label\ttext\nx\tdogs, dogs, the dog\nx\tThe the ÜBER\n",
                                "label\ttext\nx\tThe dogs, the dog\nx\tüber xyz ÜBER the\n");
    spec.vocabulary = scratch_file("vocab.txt", bert);
    made *m = make(&spec, 2);
    expect_words(m, 0, "The:1 dogs:2 ,:3. the:1 dog:4 ");
    expect_words(m, 1, "über:5 [UNK]:? ÜBER:5 the:1 ");
    hl_word_forms_tell(&m->forms, &m->examples);
    ck_assert_ptr_eq(m->examples.forms, m->forms.forms);
    count(m);
    expect_words(m, 0, "The:1 dogs:2 ,:3. the:1 dog:4* "); /* 3, 2, 2, 3 and 1 */
    expect_words(m, 1, "über:5* [UNK]:? ÜBER:5 the:1 ");   /* the first of equals */
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
    made *m = make(&spec, 1);
    expect_words(m, 0, cases[_i].words);
}

TEST(words_of_unigram_begin_with_the_mark_of_a_space)
{
    static const char text[] = "label\ttext\nx\trugovi. me rugovi.?\n";
    hl_text_spec spec = classes(text, text);
    spec.kind = HL_TOKENS_UNIGRAM;
    spec.vocabulary = HL_TEST_TOKENS "/unigram_tokenizer.json";
    made *m = make(&spec, 1);
    expect_words(m, 0, "rugovi.:1 me:2 rugovi.?:3 ");
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
    hl_text_spec spec = running_spec(scratch_file("train", text), HL_TOKENS_CHARS, LINE, 0);
    spec.validation_file = scratch_file("dev", "cc, aa b b cc, aa aa b cc, ? c, aa ");
    free(text);
    made *m = make(&spec, 3);
    count(m);
    expect_words(m, 0, "cc,:1* aa:2 b:3 :? "); /* white space alone has no form */
    expect_words(m, 1, "b:3* cc,:1 aa:2 :? ");
    expect_words(m, 2, "aa:2* b:3 cc,:1 :? ");
}

TEST(a_window_that_begins_inside_a_word_has_the_rest_of_it)
{
    hl_text_spec spec =
        running_spec(scratch_file("train", "aa b cc c, aa b aa b cc aa b aa b cc, aa b aa"), HL_TOKENS_BYTES, 4, 0.2);
    made *m = make(&spec, 1);
    count(m);
    expect_words(m, 0, ",:1.* aa:2 "); /* the comma alone is no word of the file */
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
    hl_text_spec spec = running_spec(scratch_file("train", text), HL_TOKENS_CHARS, 47, 0);
    spec.validation_file = scratch_file("dev", "31 4999 49999 1234567890123457 1234567890123456 ");
    free(text);
    made *m = make(&spec, 1);
    count(m);
    expect_words(m, 0, "31:1 4999:2 49999:3 1234567890123457:4 1234567890123456:5* "); /* 4, 3, 2, 2 and 1 */
}

SUITE("word forms")
