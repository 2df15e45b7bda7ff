/* Masks filled, and texts continued. */
#include "study/predict_text.h"

#include "core/base/memory.h"
#include "tests/check_suite.h"
#include "tests/study/small_model.h"

enum { LENGTH = 8 };

/* ---- masks ---- */

static void expect_filled(hl_tokens *tokens, const char *line, const char *const *pieces, int n, const char *expected)
{
    hl_model *model = small_model(hl_tokens_size(tokens), LENGTH, false);
    hl_predictor *p = predictor_of((hl_predictor_spec){ .model = model, .tokens = tokens, .threads = 1 }, line);
    int32_t asked[LENGTH];
    hl_choice choices[2 * LENGTH];
    ck_assert_int_eq(hl_predict_masks(p, asked), n);
    for (int i = 0; i < n; i++) {
        choices[2 * i].id = hl_tokens_find(tokens, pieces[i], strlen(pieces[i]));
        ck_assert_int_ge(choices[2 * i].id, 0);
    }
    hl_text *text = scratch_text(), *blank = scratch_text();
    ck_assert_int_eq(hl_predict_masks(p, NULL), n);
    hl_predict_blank(p, span_of(line), asked, n, blank);
    hl_predict_fill(tokens, blank, choices, 2, text);
    CHECK_OK(hl_text_status(text));
    ck_assert_str_eq(text->bytes, expected);
}

TEST(masks_become_text)
{
    hl_tokens *tokens = small_tokens();
    expect_filled(tokens, "A [MASK] (b)", (const char *[]){ "c" }, 1, "A c (b)");
    expect_filled(tokens, "[MASK] a [MASK].", (const char *[]){ "b", "##c" }, 2, "b ac.");
    expect_filled(tokens, "a b", NULL, 0, "a b");
    tokens = kept_learned((hl_tokens_options){ .kind = HL_TOKENS_BPE, .size = 300, .roles = 1 << HL_ROLE_MASK },
                          "the the the the");
    expect_filled(tokens, "a <mask>, <mask>", (const char *[]){ "\xC4\xA0the", "\xC4\xA0the" }, 2, "a the, the");
    expect_filled(tokens, "a<mask>x", (const char *[]){ "\xC4\xA0the" }, 1, "a thex");
    tokens =
        kept_learned((hl_tokens_options){ .kind = HL_TOKENS_CHARS, .size = 30, .roles = 1 << HL_ROLE_MASK }, "ab c");
    expect_filled(tokens, "a<mask>b<mask>", (const char *[]){ " ", "c" }, 2, "a bc");
}

/* Tokens of another make may take the blanks beside a mask along. */
TEST(blanks_beside_a_mask_stay)
{
    static const char json[] =
        "{\"model\":{\"type\":\"WordPiece\",\"unk_token\":\"[UNK]\",\"continuing_subword_prefix\":\"##\",\"max_input_"
        "chars_per_word\":100,\"vocab\":{\"[UNK]\":0,\"a\":1,\"b\":2}},"
        "\"normalizer\":{\"type\":\"BertNormalizer\",\"lowercase\":true},"
        "\"pre_tokenizer\":{\"type\":\"BertPreTokenizer\"},\"added_tokens\":[{\"id\":3,\"content\":\"[MASK]\","
        "\"single_word\":false,\"lstrip\":true,\"rstrip\":true,\"normalized\":false,\"special\":true}]}";
    hl_tokens *tokens = NULL;
    bool ignored;
    CHECK_OK(hl_tokens_load_tokenizer(scratch_file("tokenizer.json", json), &tokens, &ignored));
    expect_filled(kept_tokens(tokens), "a [MASK] a", (const char *[]){ "b" }, 1, "a b a");
}

/* ---- continuing ---- */

typedef struct heard {
    char text[4096];
    size_t size;
    int most; /* calls until it fails; 0: never */
    int calls;
} heard;

static hl_status hear(void *context, const char *bytes, size_t size)
{
    heard *h = context;
    ck_assert_uint_lt(h->size + size, sizeof h->text);
    memcpy(h->text + h->size, bytes, size);
    h->size += size;
    h->text[h->size] = '\0';
    return h->most > 0 && ++h->calls == h->most ? hl_error(HL_FAILED, "heard enough") : hl_ok();
}

/* A predictor of a causal model of these tokens. */
static hl_predictor *causal_of(hl_tokens *tokens)
{
    hl_model *model = small_model(hl_tokens_size(tokens), LENGTH, true);
    return predictor_of((hl_predictor_spec){ .model = model, .tokens = tokens, .threads = 2 }, "");
}

static hl_tokens *bytes(void)
{
    return kept_learned((hl_tokens_options){ .kind = HL_TOKENS_BYTES }, "");
}

static hl_status continued(hl_predictor *p, const char *text, int64_t number, hl_continuation how, heard *h,
                           int64_t *made)
{
    *h = (heard){ .most = h->most };
    return hl_predict_continue(p, span_of(text), number, &how, hear, h, made);
}

/* Greedy pieces are those of as many passes over the last pieces. */
TEST(with_temperature_0_it_says_the_most_probable_piece)
{
    enum { STEPS = 20 };
    hl_tokens *tokens = kept_learned((hl_tokens_options){ .kind = HL_TOKENS_CHARS, .size = 100 },
                                     "the quick brown fox jumps over a dog");
    hl_predictor *p = causal_of(tokens), *single = predictor_of(p->spec, "");
    heard h = { .most = 0 };
    int64_t made;
    CHECK_OK(continued(p, "the quick fox", 1, (hl_continuation){ .length = STEPS }, &h, &made));
    ck_assert_int_eq(p->uncut, 13);
    ck_assert_int_eq(made, STEPS);
    ck_assert_uint_eq(h.size, STEPS);
    char all[64] = "the quick fox";
    for (int i = 0; i < STEPS; i++) {
        hl_choice best;
        size_t size = strlen(all);
        read_text(single, all + size - LENGTH);
        best_now(single, &(int32_t){ LENGTH - 1 }, 1, 1, &best);
        strcat(all, hl_tokens_piece(tokens, best.id, NULL));
    }
    ck_assert_str_eq(h.text, all + strlen("the quick fox"));
}

static void replace_zeros(heard *h)
{
    for (size_t i = 0; i < h->size; i++) {
        h->text[i] = h->text[i] == '\0' ? '0' : h->text[i];
    }
}

/* A model of bytes with random weights says bytes that are no UTF-8, which nobody sees. */
TEST(only_whole_characters_are_told)
{
    hl_predictor *p = causal_of(bytes());
    hl_continuation how = { .length = 300, .temperature = 1, .seed = 3 };
    heard first = { .most = 0 }, again = { .most = 0 };
    int64_t made;
    CHECK_OK(continued(p, "\xC3\xA9t\xC3\xA9", 1, how, &first, &made));
    ck_assert_int_eq(made, 300);
    hl_line line;
    hl_lines *lines; /* which refuses what is no UTF-8 and zero bytes */
    replace_zeros(&first);
    CHECK_OK(hl_lines_open(scratch_file("told", first.text), HL_LINE_BYTES, &lines));
    do {
        CHECK_OK(hl_lines_next(lines, &line));
    } while (line.text != NULL);
    hl_lines_close(lines);
    ck_assert_ptr_nonnull(strstr(first.text, "\xEF\xBF\xBD"));
    p->spec.threads = 1; /* the seed and the number tell what is drawn */
    CHECK_OK(continued(p, "\xC3\xA9t\xC3\xA9", 1, how, &again, &made));
    replace_zeros(&again);
    ck_assert_str_eq(first.text, again.text);
    CHECK_OK(continued(p, "\xC3\xA9t\xC3\xA9", 2, how, &again, &made));
    ck_assert_mem_ne(first.text, again.text, 100);
    how.seed = 4;
    CHECK_OK(continued(p, "\xC3\xA9t\xC3\xA9", 1, how, &again, &made));
    ck_assert_mem_ne(first.text, again.text, 100);
    again.most = 5;
    ck_assert_str_eq(continued(p, "a", 1, how, &again, &made).text, "heard enough");
    ck_assert_int_eq(again.calls, 5);
}

/* Makes the model say the piece of that id, whatever it reads: its logits are those of the bias. */
static void always_say(const hl_predictor *p, int32_t id)
{
    const hl_model *model = p->spec.model;
    hl_tensor *W = model->output.linear.weight, *b = model->output.linear.bias;
    memset(W->data, 0, (size_t)hl_shape_count(W->shape) * sizeof(hl_real));
    memset(b->data, 0, (size_t)hl_shape_count(b->shape) * sizeof(hl_real));
    b->data[id] = 10;
}

/* The characters of two bytes arrive byte by byte. */
TEST(a_character_waits_for_its_last_byte)
{
    hl_predictor *p = causal_of(bytes());
    always_say(p, 0xC3);
    heard h = { .most = 0 };
    int64_t made;
    CHECK_OK(continued(p, "a", 1, (hl_continuation){ .length = 1 }, &h, &made));
    ck_assert_str_eq(h.text, "\xEF\xBF\xBD");
    h.most = 1; /* the second byte shows that the first is no character */
    ck_assert_int_eq(continued(p, "a", 1, (hl_continuation){ .length = 9 }, &h, &made).code, HL_FAILED);
    ck_assert_int_eq(made, 1);
}

TEST(a_continuation_has_a_beginning_and_an_end)
{
    heard h = { .most = 0 };
    int64_t made;
    hl_continuation how = { .length = 5 };
    for (int kind = 0; kind < 2; kind++) { /* words that know ends of documents; words that do not */
        unsigned roles = 1u << HL_ROLE_UNK | (kind == 0 ? 1u << HL_ROLE_END : 0);
        hl_tokens *tokens =
            kept_learned((hl_tokens_options){ .kind = HL_TOKENS_WORDS, .size = 20, .roles = roles }, "one two two");
        hl_predictor *p = causal_of(tokens);
        always_say(p, hl_tokens_find(tokens, "two", 3));
        CHECK_OK(continued(p, "one", 1, how, &h, &made));
        ck_assert_str_eq(h.text, " two two two two two");
        hl_status status = continued(p, "", 1, how, &h, &made);
        if (kind == 0) {
            ck_assert_str_eq(h.text, " two two two two two");
            always_say(p, hl_tokens_role(tokens, HL_ROLE_END));
            CHECK_OK(continued(p, "one", 1, how, &h, &made));
            ck_assert_str_eq(h.text, "");
            ck_assert_int_eq(made, 0);
        } else {
            ck_assert_int_eq(status.code, HL_INVALID);
            ck_assert_str_eq(status.text, "is empty: there is nothing to continue");
        }
    }
}

SUITE("predict_text")
