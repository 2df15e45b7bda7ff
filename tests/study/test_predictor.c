/* A model's answers for one text: whole, cut, and in windows. */
#include "study/predictor.h"

#include "core/base/memory.h"
#include "tests/check_suite.h"
#include "tests/messages.h"
#include "tests/study/small_model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LENGTH = 10, ROOM = LENGTH - 2, MOST = 3, LONG = 21 };

/* Made anew for every test. */
static struct {
    hl_model *model;
    hl_tokens *tokens;
    hl_predictor_spec spec;
} f;

static void begin(bool causal)
{
    f.tokens = small_tokens();
    f.model = small_model(hl_tokens_size(f.tokens), LENGTH, causal);
    f.spec = (hl_predictor_spec){ .model = f.model, .tokens = f.tokens, .wraps = true, .threads = 1 };
}

static const char *long_text(void)
{
    return "a b c d e f g h a c e g b d f h a d g c f";
}

static void all_pieces(int32_t *asked, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        asked[i] = (int32_t)i;
    }
}

/* The best answers at all pieces of a text of n. */
static void best_of(hl_predictor_spec spec, const char *text, int64_t n, hl_choice *choices)
{
    int32_t asked[LONG];
    hl_predictor p;
    CHECK_OK(hl_predictor_open(&spec, &p));
    read_text(&p, text);
    ck_assert_int_eq(p.uncut, n);
    all_pieces(asked, n);
    for (int64_t i = (int64_t)p.text.n; i < n; i++) {
        asked[i] = -1;
    }
    best_now(&p, asked, n, MOST, choices);
    hl_predictor_close(&p);
}

static void near_choices(const hl_choice *a, const hl_choice *b, double tolerance, const char *what, int64_t i)
{
    for (int64_t k = 0; k < MOST; k++) {
        ck_assert_msg(a[k].id == b[k].id && fabs(a[k].probability - b[k].probability) <= tolerance,
                      "%s: piece %d: %d %g, not %d %g", what, (int)i, a[k].id, a[k].probability, b[k].id,
                      b[k].probability);
    }
}

static void same_choices(const hl_choice *a, const hl_choice *b, const char *what, int64_t i)
{
    near_choices(a, b, 0, what, i);
}

/* Of "[CLS] a b c [SEP]", all logits by a pass of our own. */
TEST(answers_are_those_of_the_model)
{
    begin(false);
    int64_t V = f.model->config.vocabulary;
    const int32_t tokens[] = { 2, 5, 13, 7, 3 }; /* [CLS] a ##a c [SEP] */
    hl_batch_storage storage;
    CHECK_OK(hl_batch_storage_init(&storage, 1, 5, LENGTH));
    CHECK_OK(hl_batch_storage_add(&storage, tokens, NULL, 5));
    hl_arena arena;
    CHECK_OK(hl_arena_init(&arena, 4 << 20));
    hl_tape tape;
    hl_tape_begin(&tape, &arena, (hl_tape_options){ .threads = 1 });
    const hl_tensor *logits = hl_model_logits(&tape, f.model, &storage.batch, NULL);
    ck_assert_ptr_nonnull(logits);
    hl_choice choices[3 * MOST];
    best_of(f.spec, "aa c", 3, choices);
    for (int i = 0; i < 3; i++) {
        const hl_real *row = logits->data + (1 + i) * V;
        double sum = 0;
        for (int64_t c = 0; c < V; c++) {
            sum += exp(row[c]);
        }
        for (int k = 0; k < MOST; k++) {
            const hl_choice *choice = &choices[i * MOST + k];
            ck_assert_double_eq_tol(choice->probability, exp(row[choice->id]) / sum, 1e-5);
            ck_assert(k == 0 || choice->probability <= choice[-1].probability);
        }
    }
    hl_batch_storage_free(&storage);
    hl_arena_free(&arena);
}

TEST(a_text_that_is_too_long_is_cut)
{
    begin(false);
    hl_choice cut[LONG * MOST], whole[ROOM * MOST];
    best_of(f.spec, long_text(), LONG, cut);
    best_of(f.spec, "a b c d e f g h", ROOM, whole);
    for (int64_t i = 0; i < ROOM; i++) {
        same_choices(cut + i * MOST, whole + i * MOST, "cut", i);
    }
    for (int64_t i = ROOM; i < LONG; i++) {
        ck_assert_int_eq(cut[i * MOST].id, -1);
    }
}

/* Each answer is that of the window alone which the header names; in company its last bits may be others. */
TEST(windows_answer_where_they_have_most_context)
{
    static const int strides[] = { 1, 3, 5, ROOM };
    for (int kind = 0; kind < 8; kind++) {
        bool causal = kind >= 4;
        int stride = strides[kind % 4], last = LONG - ROOM;
        begin(causal);
        hl_choice all[LONG * MOST], one[ROOM * MOST];
        f.spec.stride = stride;
        best_of(f.spec, long_text(), LONG, all);
        for (int i = 0; i < LONG; i++) {
            int best = -1, context = -1;
            for (int begins = 0; begins < last + stride; begins += stride) {
                int from = begins < last ? begins : last, before = i - from, after = from + ROOM - 1 - i;
                int here = before < 0 || after < 0 ? -1 : causal || before < after ? before : after;
                best = here > context ? from : best;
                context = here > context ? here : context;
            }
            char text[2 * ROOM + 1] = "";
            strncat(text, long_text() + 2 * best, 2 * ROOM - 1);
            best_of(f.spec, text, ROOM, one);
            near_choices(all + i * MOST, one + (i - best) * MOST, 2e-5, causal ? "causal" : "both sides", i);
        }
    }
}

TEST(of_a_pair_the_longer_text_is_cut)
{
    begin(false);
    f.spec.stride = 2; /* which pairs know nothing of */
    hl_predictor *p = predictor_of(f.spec, "");
    hl_predictor *q = predictor_of(f.spec, "");
    CHECK_OK(hl_predictor_read(p, span_of("a b c d e f g h"), span_of("c b"), false));
    ck_assert_int_eq(p->uncut, 10);
    ck_assert_uint_eq(p->n_first, 5);
    ck_assert_uint_eq(p->text.n, 7);
    CHECK_OK(hl_predictor_read(q, span_of("a b c d e"), span_of("c b"), false));
    hl_real of_p[32], of_q[32];
    answer_now(p, of_p);
    answer_now(q, of_q);
    ck_assert_mem_eq(of_p, of_q, (size_t)p->width * sizeof *of_p);
    ck_assert_uint_eq(p->window.n, 10);
    ck_assert(p->window.at[0].id == 2 && p->window.at[6].id == 3 && p->window.at[9].id == 3);
    for (int row = 0; row < 10; row++) {
        ck_assert_int_eq(p->storage.batch.types[row], row >= 7);
    }
}

TEST(words_are_answered_for_at_their_first_pieces)
{
    begin(false);
    hl_predictor *p = predictor_of(f.spec, "");
    const hl_span words[] = { span_of("ab"), span_of("c"), span_of("defg"), span_of("x"), span_of("a") };
    int32_t firsts[5];
    CHECK_OK(hl_predictor_read_words(p, words, 5, firsts));
    const int32_t expected[] = { 0, 2, 3, 7, -1 };
    ck_assert_mem_eq(firsts, expected, sizeof firsts);
    ck_assert_int_eq(p->text.at[7].id, 1); /* [UNK] */
    hl_choice choices[5];
    best_now(p, firsts, 5, 1, choices);
    hl_choice whole[ROOM * MOST];
    best_of(f.spec, "ab c defg x", ROOM, whole);
    for (int i = 0; i < 4; i++) {
        ck_assert_int_eq(choices[i].id, whole[firsts[i] * MOST].id);
    }
    ck_assert_int_eq(choices[4].id, -1);
}

TEST(a_long_text_has_the_mean_of_its_windows_classes)
{
    begin(false);
    f.spec.stride = 8;
    static const char *const windows[] = { "a b c d e f g h", "a c e g b d f h", "d f h a d g c f" };
    hl_real all[32], one[32];
    double mean[32] = { 0 }, sum = 0;
    hl_predictor *p = predictor_of(f.spec, long_text());
    answer_now(p, all);
    for (int w = 0; w < 3; w++) {
        read_text(p, windows[w]);
        answer_now(p, one);
        for (int64_t c = 0; c < p->width; c++) {
            mean[c] += exp((double)one[c]) / 3;
        }
    }
    for (int64_t c = 0; c < p->width; c++) {
        ck_assert_double_eq_tol(exp((double)all[c]), mean[c], 1e-6);
        sum += exp((double)all[c]);
    }
    ck_assert_double_eq_tol(sum, 1, 1e-6);
}

/* Of a model that reads the mean of an example's rows, which types tell apart. */
TEST(a_model_of_means_classifies_too)
{
    begin(false);
    f.spec.model = small_model_of(hl_tokens_size(f.tokens), 3, LENGTH, false, HL_POOLING_MEAN);
    hl_real pair[3], single[3];
    hl_predictor *p = predictor_of(f.spec, "a b [SEP] c");
    ck_assert_int_eq(p->width, 3);
    answer_now(p, single);
    ck_assert_double_eq_tol(exp((double)single[0]) + exp((double)single[1]) + exp((double)single[2]), 1, 1e-6);
    CHECK_OK(hl_predictor_read(p, span_of("a b"), span_of("c"), false));
    answer_now(p, pair);
    ck_assert(memcmp(p->storage.batch.tokens, (int32_t[]){ 2, 5, 6, 3, 7, 3 }, 6 * sizeof(int32_t)) == 0);
    ck_assert_float_ne(pair[0], single[0]);
}

/* The last layer's rows of the tokens, by a pass of our own. */
static void rows_of(const hl_model *model, const char *text, hl_tokens *tokens, double (*rows)[8])
{
    hl_pieces pieces = { 0 };
    CHECK_OK(hl_tokens_encode(tokens, text, strlen(text), false, &pieces));
    CHECK_OK(hl_tokens_wrap(tokens, pieces.n, &pieces));
    int32_t ids[LENGTH];
    for (size_t i = 0; i < pieces.n; i++) {
        ids[i] = pieces.at[i].id;
    }
    hl_batch_storage storage;
    CHECK_OK(hl_batch_storage_init(&storage, 1, LENGTH, LENGTH));
    CHECK_OK(hl_batch_storage_add(&storage, ids, NULL, (int64_t)pieces.n));
    hl_arena arena;
    CHECK_OK(hl_arena_init(&arena, 4 << 20));
    hl_tape tape;
    hl_tape_begin(&tape, &arena, (hl_tape_options){ .threads = 1 });
    hl_tensor *x = hl_model_embed(&tape, model, &storage.batch);
    x = hl_encoder_end(&tape, &model->encoder, hl_model_layers(&tape, model, &storage.batch, 0, x, NULL));
    ck_assert_ptr_nonnull(x);
    for (size_t i = 0; i < pieces.n * 8; i++) {
        rows[i / 8][i % 8] = x->data[i];
    }
    hl_arena_free(&arena);
    hl_batch_storage_free(&storage);
    hl_pieces_free(&pieces);
}

/* 12 pieces in windows 4 apart: 0..7 and 4..11; of the second window the pieces from 6 on count. */
TEST(the_mean_is_that_of_each_row_once)
{
    begin(false);
    f.spec.stride = 4;
    f.spec.rows = true;
    double first[LENGTH][8], second[LENGTH][8];
    hl_real mean[8];
    rows_of(f.model, "a b c d e f g h", f.tokens, first);
    rows_of(f.model, "e f g h a c e g", f.tokens, second);
    hl_predictor *p = predictor_of(f.spec, "a b c d e f g h a c e g");
    answer_now(p, mean);
    for (int d = 0; d < 8; d++) {
        double sum = first[0][d] + first[9][d]; /* [CLS], [SEP] */
        for (int i = 0; i < 12; i++) {
            sum += i < 6 ? first[1 + i][d] : second[1 + i - 4][d];
        }
        ck_assert_double_eq_tol(mean[d], sum / 14, 1e-6);
    }
    p->spec.wraps = false;
    read_text(p, "");
    answer_now(p, mean);
    ck_assert(mean[0] == 0 && mean[7] == 0);
}

TEST(threads_and_texts_before_change_no_bit)
{
    begin(false);
    f.spec.stride = 3;
    hl_choice one[LONG * MOST], more[LONG * MOST];
    best_of(f.spec, long_text(), LONG, one);
    for (int threads = 2; threads <= 3; threads++) {
        f.spec.threads = threads;
        hl_predictor *p = predictor_of(f.spec, "h h h");
        int32_t asked[LONG];
        all_pieces(asked, LONG);
        best_now(p, asked, 3, MOST, more);
        read_text(p, long_text());
        best_now(p, asked, LONG, MOST, more);
        for (int64_t i = 0; i < LONG; i++) {
            same_choices(one + i * MOST, more + i * MOST, "threads", i);
        }
    }
}

/* The first ones of a piece each, which make many windows of few rows; then of all lengths, also none. */
static hl_span text_number(int i)
{
    return (hl_span){ long_text(), 2 * (size_t)(i < 600 ? 1 : i % LONG) };
}

/* Far more texts than a batch holds: each is answered as it is alone. */
TEST(texts_in_batches_are_answered_as_alone)
{
    enum { TEXTS = 1500 };
    begin(false);
    f.spec.rows = true;
    f.spec.wraps = false;
    f.spec.stride = 3;
    hl_predictor *p = predictor_of(f.spec, "");
    hl_predictor *single = predictor_of(f.spec, "");
    hl_real *all = calloc(TEXTS * 8, sizeof *all), alone[8];
    numbers_kept kept[TEXTS];
    int64_t before = 0;
    for (int i = 0; i < TEXTS; i++) {
        kept[i] = (numbers_kept){ all + (ptrdiff_t)i * 8, 8 };
        CHECK_OK(hl_predictor_read(p, text_number(i), (hl_span){ 0 }, true));
        CHECK_OK(hl_predictor_vector(p, keep_numbers, &kept[i]));
        ck_assert_int_eq(p->asked, i + 1);
        ck_assert(p->answered >= before && p->answered <= p->asked);
        before = p->answered;
    }
    ck_assert(before > 0 && before < TEXTS); /* batches were run, and something waits */
    CHECK_OK(hl_predictor_finish(p));
    ck_assert_int_eq(p->answered, TEXTS);
    for (int i = 0; i < TEXTS; i += 7) {
        CHECK_OK(hl_predictor_read(single, text_number(i), (hl_span){ 0 }, true));
        answer_now(single, alone);
        for (int d = 0; d < 8; d++) {
            ck_assert_float_eq_tol(all[i * 8 + d], alone[d], 2e-6F);
        }
        ck_assert(text_number(i).size > 0 ? alone[0] != 0 : alone[0] == 0);
    }
    free(all);
}

/* The first row, of unit length; and windows that are shorter than the model's. */
TEST(a_vector_is_what_the_spec_says)
{
    begin(false);
    f.spec.rows = f.spec.of_first = f.spec.normalised = true;
    f.spec.length = 6;
    double rows[LENGTH][8], squares = 0;
    hl_real vector[8], cut[8], zeros[8];
    rows_of(f.model, "a b c d", f.tokens, rows);
    hl_predictor *p = predictor_of(f.spec, "a b c d e f g");
    ck_assert_uint_eq(p->text.n, 4);
    answer_now(p, cut);
    read_text(p, "a b c d");
    answer_now(p, vector);
    ck_assert_mem_eq(cut, vector, sizeof cut);
    for (int d = 0; d < 8; d++) {
        squares += rows[0][d] * rows[0][d];
    }
    for (int d = 0; d < 8; d++) {
        ck_assert_double_eq_tol(vector[d], rows[0][d] / sqrt(squares), 1e-6);
    }
    p->spec.wraps = false;
    read_text(p, "");
    answer_now(p, zeros);
    ck_assert(zeros[0] == 0 && zeros[7] == 0);
    f.spec.of_first = false;
    p = predictor_of(f.spec, "a b c d");
    answer_now(p, vector);
    double mean[8] = { 0 };
    squares = 0;
    for (int d = 0; d < 8; d++) {
        for (int row = 0; row < 6; row++) {
            mean[d] += rows[row][d] / 6;
        }
        squares += mean[d] * mean[d];
    }
    for (int d = 0; d < 8; d++) {
        ck_assert_double_eq_tol(vector[d], mean[d] / sqrt(squares), 1e-6);
    }
}

static void refused(hl_predictor_spec spec, const char *part)
{
    hl_predictor p;
    message_check(hl_predictor_open(&spec, &p), HL_INVALID, part);
    hl_predictor_close(&p);
}

TEST(what_cannot_be_is_refused)
{
    begin(false);
    f.spec.stride = ROOM + 1;
    refused(f.spec, "study.windows_cannot_begin_9_pieces_apart");
    f.spec.stride = 0;
    f.spec.tokens = kept_tokens(wordpiece_of("[UNK]\na\n", true));
    refused(f.spec, "study.its_model_was_trained_with_21");
    f.spec.tokens = f.tokens;
    hl_model headless;
    hl_model_config config = f.model->config;
    config.head = HL_HEAD_NONE;
    ck_assert_int_eq(hl_model_init(&headless, &config).code, HL_OK);
    f.spec.model = &headless;
    refused(f.spec, "study.model_has_no_output_layer");
    hl_model_free(&headless);
    f.spec.model = f.model;
    hl_predictor *p = predictor_of(f.spec, "a b");
    ck_assert_int_eq(hl_predictor_read(p, span_of("a \xff"), (hl_span){ NULL, 0 }, true).code, HL_INVALID);
    ck_assert_uint_eq(p->text.n, 0);
    f.model->parameters.values[0] = (hl_real)INFINITY; /* of [PAD] */
    read_text(p, "a [PAD]");
    hl_choice choice;
    CHECK_OK(hl_predictor_best(p, &(int32_t){ 0 }, 1, 1, &choice));
    ck_assert_int_eq(hl_predictor_finish(p).code, HL_NOT_FINITE);
}

SUITE("predictor")
