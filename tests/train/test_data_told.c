/* What --check and the start of a run say of a user's data. */
#include "tests/check_suite.h"
#include "tests/data/text_data_show.h"
#include "train/setup_data.h"

static hl_text_spec spec_of(hl_text_task task, hl_tokens_kind kind, const char *training, const char *validation)
{
    return (hl_text_spec){ .task = task,
                           .file = scratch_file("training", training),
                           .validation_file = scratch_file("validation", validation),
                           .max_length = 9,
                           .column = "UPOS",
                           .text_column = "1",
                           .label_column = "2",
                           .kind = kind,
                           .folder = scratch_folder() };
}

static void check_told(const hl_text_spec *spec, const char *expected, const char *shortly)
{
    hl_text_data *data = opened_text(spec);
    hl_text text = { 0 };
    hl_status status = hl_data_told(data, NULL, NULL, &text);
    ck_assert_str_eq(status.text, "");
    ck_assert_str_eq(text.bytes, expected);
    hl_text_free(&text);
    hl_data_told_shortly(data, &text);
    ck_assert_str_eq(text.bytes, shortly);
    hl_text_free(&text);
    hl_text_data_close(data);
    scratch_end();
}

#define WORD(id, form, tag) id "\t" form "\t_\t" tag "\t_\t_\t_\t_\t_\t_\n"

TEST(all_that_was_read_is_counted)
{
    hl_text_spec spec = spec_of(HL_TEXT_MASKED, HL_TOKENS_CHARS, "ab c\n\nb\n", "cxa\nx");
    check_told(&spec,
               "training: 2 sentences of up to 6 tokens, 3 words, 5 characters, 5 pieces\n"
               "validation: 1 sentence of up to 5 tokens, 1 word, 3 characters, 3 pieces (1\nunknown, 33.33%)\n"
               "vocabulary: 8 pieces (chars)\n",
               "training: 2 sentences of up to 6 tokens; validation: 1 sentence of up to 5\n"
               "tokens; vocabulary: 8 pieces (chars)\n");
    spec = spec_of(HL_TEXT_NEXT, HL_TOKENS_CHARS, "ab c\nab", "ab b a\xc3\xa4\n");
    spec.length = 3;
    check_told(&spec,
               "training: 3 words, 7 characters, 7 pieces\n"
               "validation: 3 words, 8 characters, 8 pieces (1 unknown, 12.50%), 2 windows of 3\n"
               "vocabulary: 6 pieces (chars)\n",
               "training: 7 pieces; validation: 8 pieces, 2 windows of 3; vocabulary: 6 pieces\n(chars)\n");
    spec = spec_of(HL_TEXT_NEXT, HL_TOKENS_WORDS, "a b a b\n", "x y\n");
    spec.length = 1;
    check_told(&spec,
               "training: 4 words, 7 characters, 4 pieces\n"
               "validation: 2 words, 3 characters, 2 pieces (2 unknown, 100.00%), 1 window of 1\n"
               "vocabulary: 3 pieces (words)\n",
               "training: 4 pieces; validation: 2 pieces, 1 window of 1; vocabulary: 3 pieces\n(words)\n");
    spec = spec_of(HL_TEXT_TAGS, HL_TOKENS_CHARS, WORD("1", "ab", "X") WORD("2", "c", "Y") "\n" WORD("1", "d", "X"),
                   WORD("1", "abcdefghij", "Z") WORD("2", "c", "Y"));
    check_told(&spec,
               "training: 2 sentences of up to 3 tokens, 3 words, 4 pieces\n"
               "validation: 1 sentence of up to 9 tokens, 1 word, 9 pieces (5 unknown, 55.56%),\n"
               "1 target that training does not have\n"
               "vocabulary: 5 pieces (chars), 2 labels: X 66.7%, Y 33.3%\n",
               "training: 2 sentences of up to 3 tokens; validation: 1 sentence of up to 9\n"
               "tokens; vocabulary: 5 pieces (chars), 2 labels\n");
    spec = spec_of(HL_TEXT_CLASSES, HL_TOKENS_WORDS, "a b\tf\nb\te\na\td\na\tc\nb\tb\na b\ta\nb a\ta\n", "a c\tf\n");
    check_told(&spec,
               "training: 7 rows of up to 4 tokens, 10 words, 13 characters, 10 pieces\n"
               "validation: 1 row of up to 4 tokens, 2 words, 3 characters, 2 pieces (1 unknown,\n50.00%)\n"
               "vocabulary: 5 pieces (words), 6 labels: a 28.6%, b 14.3%, c 14.3%, d 14.3%, e\n14.3%, ...\n",
               "training: 7 rows of up to 4 tokens; validation: 1 row of up to 4 tokens;\n"
               "vocabulary: 5 pieces (words), 6 labels\n");
    spec = spec_of(HL_TEXT_FILE, HL_TOKENS_WORDS, "tokens\ttargets\na b\ta _\nb b b\t_ a b\n",
                   "tokens\ttargets\na c\ta d\n");
    check_told(&spec,
               "training: 2 rows of up to 3 tokens, 5 tokens, 3 targets\n"
               "validation: 1 row of up to 2 tokens, 2 tokens, 2 targets (1 unknown, 50.00%), 1\n"
               "target that training does not have\n"
               "vocabulary: 3 pieces (words)\n",
               "training: 2 rows of up to 3 tokens; validation: 1 row of up to 2 tokens;\n"
               "vocabulary: 3 pieces (words)\n");
}

typedef struct told {
    int64_t calls, done, total;
    int parts;
    const char *what;
    bool fails;
} told;

static hl_status tell(void *context, const char *what, int64_t done, int64_t total)
{
    told *t = context;
    bool next = t->what == NULL || strcmp(t->what, what) != 0;
    ck_assert_int_gt(done, next ? 0 : t->done);
    ck_assert(total >= done && (next || total == t->total));
    *t = (told){ t->calls + 1, done, total, t->parts + next, what, t->fails };
    return t->fails ? hl_error(HL_FAILED, "enough") : hl_ok();
}

/* Of running text every chunk, of sentences every thousand or so; what it answers is handed on. */
TEST(counting_tells_how_far_it_is)
{
    enum { LINES = 40000 };
    char *text = malloc(LINES * 6 + 1);
    ck_assert_ptr_nonnull(text);
    for (int i = 0; i < LINES; i++) {
        memcpy(text + (ptrdiff_t)i * 6, "ab cd\n", 7);
    }
    hl_text_spec running = spec_of(HL_TEXT_NEXT, HL_TOKENS_CHARS, text, text);
    running.length = 8;
    for (int i = 0; i < 2; i++) {
        hl_text_spec spec = i == 0 ? running : spec_of(HL_TEXT_MASKED, HL_TOKENS_CHARS, text, text);
        hl_text_data *data = opened_text(&spec);
        hl_text said = { 0 };
        told t = { .calls = 0 };
        CHECK_OK(hl_data_told(data, tell, &t, &said));
        ck_assert_int_ge(t.calls, 6);
        ck_assert_int_eq(t.parts, 2);
        ck_assert_int_gt(t.done, t.total * 9 / 10);
        hl_text_free(&said);
        t = (told){ .fails = true };
        ck_assert_str_eq(hl_data_told(data, tell, &t, &said).text, "enough");
        ck_assert_int_eq(t.calls, 1);
        ck_assert_ptr_null(said.bytes);
        hl_text_data_close(data);
        scratch_end();
    }
    free(text);
}

SUITE("data told")
