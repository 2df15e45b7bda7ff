/* Scores of files against answers asked for one by one. */
#include "study/predict_score.h"

#include "core/base/memory.h"
#include "study/predict_text.h"
#include "tests/check_suite.h"
#include "tests/scratch.h"
#include "tests/study/small_model.h"

#include <math.h>

enum { LENGTH = 10 };

/* Made anew for every test. */
static struct {
    hl_tokens *tokens, *labels;
    hl_predictor *predictor;
    const hl_text_data *words;
    hl_predict_scores scores;
} f;

/* Labels of that many pieces; NULL: the tokens are the targets. */
static void begin(hl_tokens *tokens, const char *labels, bool wraps, bool causal)
{
    f.tokens = tokens;
    f.labels = labels != NULL ? kept_learned((hl_tokens_options){ .kind = HL_TOKENS_WORDS, .size = 10 }, labels) : NULL;
    int64_t C = labels != NULL ? hl_tokens_size(f.labels) : 0;
    hl_model *model = small_model_of(hl_tokens_size(tokens), C, LENGTH, causal, HL_POOLING_ROWS);
    f.predictor =
        predictor_of((hl_predictor_spec){ .model = model, .tokens = tokens, .wraps = wraps, .threads = 1 }, "");
}

static void end(void)
{
    hl_predict_scores_free(&f.scores);
}

static hl_status try_score(hl_text_spec spec, const char *content)
{
    hl_predict_scores_free(&f.scores);
    spec.file = scratch_file("scored", content);
    return hl_predict_score(f.predictor, &spec, f.labels != NULL ? f.labels : f.tokens, f.words, &f.scores);
}

static void score(hl_text_spec spec, const char *content)
{
    CHECK_OK(try_score(spec, content));
}

static void score_refused(hl_text_spec spec, const char *content, const char *end)
{
    hl_status status = try_score(spec, content);
    const char *expected = scratch_format("%s%s", scratch_file("scored", content), end);
    ck_assert_int_eq(status.code, HL_BAD_FILE);
    ck_assert_str_eq(status.text, expected);
}

/* The answers and the loss at one piece of the text that the predictor has read. */
static double loss_at(int32_t at, int32_t id, bool *right)
{
    hl_choice all[600];
    int64_t C = f.predictor->width;
    ck_assert_int_le(C, 600);
    best_now(f.predictor, &at, 1, C, all);
    *right = all[0].id == id;
    int64_t i = 0;
    while (all[i].id != id) {
        i++;
    }
    return -log(all[i].probability);
}

TEST(masked_is_scored_one_mask_at_a_time)
{
    begin(small_tokens(), NULL, true, false);
    score((hl_text_spec){ .task = HL_TEXT_MASKED, .length = 7 }, "ab c\n\nd [SEP]\n");
    /* The text of a special token is text, here [UNK] [UNK] [UNK]. Pieces of a word cannot be written one by one. */
    static const char *const lines[] = { "ab c", "d [SEP]" };
    static const int32_t pieces[] = { 5, 14, 7 }; /* a ##b c */
    hl_predictor *p = f.predictor;
    double loss = 0;
    int64_t correct = 0;
    for (int i = 0; i < 7; i++) {
        bool right;
        int32_t at = i < 3 ? i : i - 3;
        CHECK_OK(hl_predictor_read(p, span_of(lines[i / 3 > 0]), (hl_span){ NULL, 0 }, false));
        ck_assert_uint_eq(p->text.n, i < 3 ? 3 : 4);
        int32_t id = p->text.at[at].id;
        ck_assert(i >= 3 || id == pieces[i]);
        p->text.at[at].id = hl_tokens_role(f.tokens, HL_ROLE_MASK);
        loss += loss_at(at, id, &right);
        correct += right;
    }
    ck_assert_int_eq(f.scores.sum.n_scored, 7);
    ck_assert_int_eq(f.scores.sum.n_known, 7);
    ck_assert_int_eq(f.scores.sum.n_correct, correct);
    ck_assert_double_eq_tol(f.scores.sum.loss_sum, loss, 7 * 2e-5);
    ck_assert_int_eq(f.scores.n_examples, 3);
    score_refused((hl_text_spec){ .task = HL_TEXT_MASKED }, "\n\n", ": holds nothing to score");
    score_refused((hl_text_spec){ .task = HL_TEXT_MASKED }, "a\nb \xff\n", ":2:3: is not UTF-8 (byte 0xff)");
}

/* Against each piece of "ab c abb" masked by hand together with its word's later ones. */
TEST(a_words_later_pieces_are_masked_too_where_that_is_asked_for)
{
    static const int32_t ends[] = { 2, 2, 3, 6, 6, 6 }; /* a ##b, c, a ##b ##b */
    hl_text_data *words;
    begin(wordpiece_of(SMALL_PIECES, true), NULL, true, false); /* the data's */
    CHECK_OK(hl_text_data_of_tokens(HL_TEXT_MASKED, f.tokens, NULL, &words));
    f.words = words;
    score((hl_text_spec){ .task = HL_TEXT_MASKED }, "\nab c abb\n");
    hl_predictor *p = f.predictor;
    double loss = 0;
    bool right;
    for (int32_t i = 0; i < 6; i++) {
        CHECK_OK(hl_predictor_read(p, span_of("ab c abb"), (hl_span){ NULL, 0 }, false));
        ck_assert_uint_eq(p->text.n, 6);
        int32_t id = p->text.at[i].id;
        for (int32_t j = i; j < ends[i]; j++) {
            p->text.at[j].id = hl_tokens_role(f.tokens, HL_ROLE_MASK);
        }
        loss += loss_at(i, id, &right);
    }
    ck_assert_int_eq(f.scores.sum.n_scored, 6);
    ck_assert_double_eq_tol(f.scores.sum.loss_sum, loss, 6 * 2e-5);
    f.words = NULL;
    score((hl_text_spec){ .task = HL_TEXT_MASKED }, "\nab c abb\n");
    ck_assert(fabs(f.scores.sum.loss_sum - loss) > 1e-3);
    hl_text_data_close(words);
}

/* The loss of every character but the first, each in the window where it has the most context. */
static double running_loss(const char *text, int stride, int64_t *correct)
{
    int n = (int)strlen(text), begins = 0, done = 0;
    double loss = 0;
    *correct = 0;
    for (; done < n - 1; begins += stride) {
        int last = begins + LENGTH < n - 1 ? begins + LENGTH : n - 1;
        for (; done < last; done++) {
            char window[LENGTH + 1] = "", next[2] = { text[done + 1], '\0' };
            bool right;
            memcpy(window, text + begins, (size_t)(last - begins));
            read_text(f.predictor, window);
            loss += loss_at(done - begins, hl_tokens_find(f.tokens, next, 1), &right);
            *correct += right;
        }
    }
    return loss;
}

TEST(next_is_scored_in_windows)
{
    static const char text[] = "the cat sat on the mat\nand so it sat and sat\n";
    static const int strides[] = { 0, 1, 4, LENGTH };
    begin(kept_learned((hl_tokens_options){ .kind = HL_TOKENS_CHARS, .size = 100 }, text), NULL, false, true);
    for (int kind = 0; kind < 4; kind++) {
        for (int size = 2; size <= (int)sizeof text - 1; size += size < 25 ? 1 : 19) {
            char part[sizeof text] = "";
            int64_t correct;
            memcpy(part, text, (size_t)size);
            f.predictor->spec.stride = strides[kind];
            score((hl_text_spec){ .task = HL_TEXT_NEXT, .length = 7 }, part);
            double loss = running_loss(part, strides[kind] > 0 ? strides[kind] : LENGTH, &correct);
            ck_assert_int_eq(f.scores.sum.n_scored, size - 1);
            ck_assert_int_eq(f.scores.sum.n_correct, correct);
            ck_assert_double_eq_tol(f.scores.sum.loss_sum, loss, 1e-5 * loss);
            ck_assert_int_eq(f.scores.text.characters, size - 1);
        }
    }
    score_refused((hl_text_spec){ .task = HL_TEXT_NEXT, .length = 7 }, "t", ": holds nothing to score");
}

#define WORD(id, form, tag) #id "\t" form "\t_\t" tag "\t_\t_\t_\t_\t_\t_\n"

/* The second sentence has a label that training lacks, the third two words that are cut off. */
TEST(tags_are_scored_word_by_word)
{
    static const char treebank[] = WORD(1, "ab", "X") WORD(2, "c", "Y") "\n" WORD(1, "d", "NEW")
        WORD(2, "x", "X") "\n" WORD(1, "abcdefgh", "Y") WORD(2, "a", "X") WORD(3, "b", "X");
    static const char *const texts[] = { "ab c", "d x", "abcdefgh" };
    static const int32_t pieces[] = { 0, 2, 0, 1, 0 };
    static const char *const tags[] = { "X", "Y", "NEW", "X", "Y" };
    begin(small_tokens(), "X Y Z", true, false);
    score((hl_text_spec){ .task = HL_TEXT_TAGS, .column = "upos" }, treebank);
    double loss = 0;
    int64_t correct = 0;
    for (int i = 0; i < 5; i++) {
        bool right;
        int32_t id = hl_tokens_find(f.labels, tags[i], strlen(tags[i]));
        read_text(f.predictor, texts[i / 2]);
        if (id >= 0) {
            loss += loss_at(pieces[i], id, &right);
            correct += right;
        }
    }
    const hl_predict_scores *s = &f.scores;
    ck_assert_int_eq(s->sum.n_scored, 7);
    ck_assert_int_eq(s->sum.n_known, 4);
    ck_assert_int_eq(s->sum.n_correct, correct);
    ck_assert_double_eq_tol(s->sum.loss_sum, loss, 1e-5);
    ck_assert_int_eq(s->cut, 1);
    ck_assert_int_eq(s->unseen, 1);
    ck_assert_int_eq(s->counts.n_targets, 7);
    int32_t X = hl_tokens_find(f.labels, "X", 1), Y = hl_tokens_find(f.labels, "Y", 1);
    ck_assert_int_eq(s->counts.cases[X], 4);
    ck_assert_int_eq(s->counts.cases[Y], 2);
    ck_assert_int_eq(s->counts.found[0] + s->counts.found[1] + s->counts.found[2], 5);
    ck_assert_int_eq(s->counts.right[0] + s->counts.right[1] + s->counts.right[2], correct);
    f.predictor->spec.stride = 4; /* nothing is cut */
    score((hl_text_spec){ .task = HL_TEXT_TAGS, .column = "upos" }, treebank);
    ck_assert_int_eq(f.scores.sum.n_known, 6);
    ck_assert_int_eq(f.scores.cut, 0);
    score_refused((hl_text_spec){ .task = HL_TEXT_TAGS, .column = "upos" }, WORD(1, "a", "X") "b\n",
                  ":2: has 1 column, not the 10 of CoNLL-U, which tabs separate");
}

TEST(classes_and_targets_of_tables_are_scored)
{
    hl_real logits[8];
    int64_t correct = 0;
    double loss = 0;
    begin(small_tokens(), "good bad", true, false);
    hl_text_spec spec = { .task = HL_TEXT_CLASSES, .text_column = "a,b", .label_column = "y" };
    score(spec, "y\ta\tb\ngood\ta b c\td e f g h a\nbad\tc\td\nbad\t\t\n");
    static const char *const rows[][3] = { { "a b c", "d e f g", "good" }, { "c", "d", "bad" } };
    for (int i = 0; i < 2; i++) {
        int32_t id = hl_tokens_find(f.labels, rows[i][2], strlen(rows[i][2]));
        CHECK_OK(hl_predictor_read(f.predictor, span_of(rows[i][0]), span_of(rows[i][1]), false));
        answer_now(f.predictor, logits);
        loss += hl_choices_loss(logits, f.predictor->width, id);
        correct += logits[id] >= logits[1 - id];
    }
    ck_assert_int_eq(f.scores.sum.n_scored, 2); /* without the empty row, as in training */
    ck_assert_int_eq(f.scores.sum.n_correct, correct);
    ck_assert_double_eq_tol(f.scores.sum.loss_sum, loss, 1e-5);
    ck_assert_int_eq(f.scores.cut, 1);

    begin(kept_learned((hl_tokens_options){ .kind = HL_TOKENS_WORDS, .size = 10 }, "p q r s"), NULL, false, false);
    score((hl_text_spec){ .task = HL_TEXT_FILE }, "tokens\ttargets\np q r\t_ s _\ns s\tq p\n");
    ck_assert_int_eq(f.scores.sum.n_scored, 3);
    bool right;
    const hl_span words[] = { span_of("p"), span_of("q"), span_of("r"), span_of("s"), span_of("s") };
    int32_t firsts[3];
    CHECK_OK(hl_predictor_read_words(f.predictor, words, 3, firsts));
    loss = loss_at(1, hl_tokens_find(f.tokens, "s", 1), &right);
    CHECK_OK(hl_predictor_read_words(f.predictor, words + 3, 2, firsts));
    loss += loss_at(0, hl_tokens_find(f.tokens, "q", 1), &right);
    loss += loss_at(1, hl_tokens_find(f.tokens, "p", 1), &right);
    ck_assert_double_eq_tol(f.scores.sum.loss_sum, loss, 1e-5);
    score_refused((hl_text_spec){ .task = HL_TEXT_FILE }, "tokens\ttargets\np q\t_ s\nnew\ts\n",
                  ":3: at byte 0: no piece is new, and there is no unknown token");
}

SUITE("predict_score", .after = end)
