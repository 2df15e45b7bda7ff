#include "heads/label.h"
#include "heads/offset.h"
#include "heads/word_join.h"
#include "tests/check_suite.h"
#include "tests/heads/made_up.h"

/* Cuts the tokens of a random example into words of one to three pieces, some hidden, some punctuation, and some
 * special tokens. */
static made_up random_text(uint64_t seed, bool causal)
{
    hl_random random = { .seed = seed, .stream = 77 };
    uint64_t position = 0;
    made_up m = made_up_random(seed, causal);
    for (int64_t e = 0; e < m.n_examples; e++) {
        char pieces[3 * MADE_UP_TOKENS] = "";
        int64_t n = m.lengths[e], at = 0;
        for (int64_t i = 0; i < n; i++) {
            uint32_t drawn = hl_random_below(random, position++, 8);
            if (drawn > 3 && i > 0) {
                pieces[at++] = ' ';
            }
            pieces[at++] = drawn == 7 ? '-' : "?.abcd"[hl_random_below(random, position++, 6)];
        }
        made_up_words(&m, e, pieces);
        ck_assert_int_eq(m.lengths[e], n);
        m.rarest[e] = (int32_t)hl_random_below(random, position++, 4) - 1;
    }
    return m;
}

/* ---- the definitions, with another walk through pieces and words ---- */

typedef struct joined {
    int n; /* words */
    double weight[MADE_UP_TOKENS][MADE_UP_TOKENS];
    bool permitted[MADE_UP_TOKENS][MADE_UP_TOKENS];
    int32_t form[MADE_UP_TOKENS];
} joined;

static joined join_naively(made_up *m, int64_t e)
{
    joined all = { .n = 0 };
    int pieces[MADE_UP_TOKENS] = { 0 }, first[MADE_UP_TOKENS] = { 0 };
    for (int i = 0; i < m->lengths[e]; i++) {
        int32_t word = m->words[e * m->n_tokens + i];
        if (word >= 0 && pieces[word]++ == 0) {
            first[word] = i;
            all.form[word] = m->forms[e * m->n_tokens + i];
            all.n = word + 1;
        }
    }
    for (int i = 0; i < m->lengths[e]; i++) {
        for (int j = 0; j < m->lengths[e]; j++) {
            int32_t a = m->words[e * m->n_tokens + i], b = m->words[e * m->n_tokens + j];
            if (a >= 0 && b >= 0 && made_up_permits(m, e, i, j)) {
                all.weight[a][b] += (double)*made_up_at(m, e, i, j) / pieces[a];
            }
        }
    }
    for (int a = 0; a < all.n; a++) {
        for (int b = 0; b < all.n; b++) {
            all.permitted[a][b] = made_up_permits(m, e, first[a], first[b]);
        }
    }
    return all;
}

/* Whether word b is of the kind for word a. */
typedef bool rule(const made_up *m, const joined *words, int64_t e, int a, int b);

static bool is_before(const made_up *m, const joined *words, int64_t e, int a, int b)
{
    (void)m, (void)words, (void)e;
    return b == a - 1;
}

static bool is_after(const made_up *m, const joined *words, int64_t e, int a, int b)
{
    (void)m, (void)words, (void)e;
    return b == a + 1;
}

static bool is_same(const made_up *m, const joined *words, int64_t e, int a, int b)
{
    (void)m, (void)e;
    return a != b && words->form[a] == words->form[b] && words->form[a] != 0;
}

static bool is_punctuation(const made_up *m, const joined *words, int64_t e, int a, int b)
{
    (void)m, (void)e, (void)a;
    return words->form[b] == 1;
}

static bool is_rarest(const made_up *m, const joined *words, int64_t e, int a, int b)
{
    (void)words, (void)a;
    return m->rarest[e] == b;
}

static hl_score naive(made_up *m, rule *is_kind, bool all)
{
    hl_score score = { 0 };
    for (int64_t e = 0; e < m->n_examples; e++) {
        joined words = join_naively(m, e);
        for (int a = 0; a < words.n; a++) {
            double weight = 0, named = 0, keys = 0;
            for (int b = 0; b < words.n; b++) {
                bool is = words.permitted[a][b] && is_kind(m, &words, e, a, b);
                keys += words.permitted[a][b];
                named += is;
                weight += is ? words.weight[a][b] : 0;
            }
            if (all || named > 0) {
                score.value += weight;
                score.baseline += named / keys;
                score.n++;
            }
        }
    }
    return hl_score_mean(score);
}

/* ---- tests ---- */

LOOP_TEST(random_patterns_agree_with_the_definition, 0, 60)
{
    static const struct {
        hl_score (*measure)(const hl_patterns *patterns);
        rule *is_kind;
        bool all;
    } metrics[] = { { hl_previous_word_of, is_before, false },
                    { hl_next_word_of, is_after, false },
                    { hl_same_word_of, is_same, false },
                    { hl_punctuation_of, is_punctuation, true },
                    { hl_rare_of, is_rarest, false } };
    made_up m = random_text((uint64_t)_i, _i % 2 == 1);
    hl_patterns patterns = made_up_patterns(&m);
    for (int k = 0; k < 5; k++) {
        hl_score expected = naive(&m, metrics[k].is_kind, metrics[k].all);
        expect_score(metrics[k].measure(&patterns), expected.value, expected.baseline, expected.n, 1e-9);
    }
}

static double naive_hits(made_up *m, int k)
{
    int n = 0, hits = 0;
    for (int64_t e = 0; e < m->n_examples; e++) {
        joined words = join_naively(m, e);
        for (int a = 0; a < words.n; a++) {
            int best = 0, key = a + k;
            for (int b = 1; b < words.n; b++) {
                best = words.permitted[a][b] && words.weight[a][b] > words.weight[a][best] ? b : best;
            }
            if (key >= 0 && key < words.n && words.permitted[a][key]) {
                n++;
                hits += best == key;
            }
        }
    }
    return n > 0 ? (double)hits / n : 0;
}

LOOP_TEST(hits_are_of_whole_words, 0, 60)
{
    made_up m = random_text((uint64_t)_i, _i % 2 == 1);
    hl_patterns patterns = made_up_patterns(&m);
    for (int k = -2; k <= 2; k++) {
        ck_assert_double_eq_tol(hl_word_offset_hit_rate(&patterns, k), naive_hits(&m, k), 1e-12);
    }
}

TEST(without_words_there_is_nothing_to_score)
{
    made_up m = made_up_empty(2, 5, false);
    made_up_spread_evenly(&m);
    hl_patterns patterns = made_up_patterns(&m);
    ck_assert_int_eq(hl_previous_word_of(&patterns).n, 0);
    ck_assert_int_eq(hl_punctuation_of(&patterns).n, 0);
    made_up_words(&m, 0, "ab a");
    made_up_words(&m, 1, "-a -");
    m.n_examples = 2;
    patterns = made_up_patterns(&m);
    patterns.text.forms = NULL;
    patterns.text.rarest = NULL;
    ck_assert_int_eq(hl_next_word_of(&patterns).n, 1); /* words alone are enough for these */
    ck_assert_int_eq(hl_same_word_of(&patterns).n, 0);
    ck_assert_int_eq(hl_punctuation_of(&patterns).n, 0);
    ck_assert_int_eq(hl_rare_of(&patterns).n, 0);
}

/* ---- joined maps ---- */

LOOP_TEST(joined_maps_are_those_of_the_definition, 0, 40)
{
    made_up m = random_text((uint64_t)_i, _i % 2 == 1);
    hl_patterns patterns = made_up_patterns(&m);
    patterns.head = 0;
    hl_patterns layers[2] = { patterns, patterns };
    hl_word_join join;
    CHECK_OK(hl_word_join_make(&join, layers, 2));
    int64_t W = join.examples.n_tokens;
    ck_assert(W <= m.n_tokens && join.layers[1].weights == join.weights + m.n_examples * m.n_heads * W * W);
    for (int64_t e = 0; e < m.n_examples; e++) {
        joined words = join_naively(&m, e);
        ck_assert_int_eq(join.examples.lengths[e], words.n);
        for (int l = 0; l < 2; l++) {
            hl_patterns head = join.layers[l];
            head.head = m.head;
            hl_pattern map = hl_patterns_at(&head, e);
            for (int a = 0; a < words.n; a++) {
                ck_assert_int_eq(join.examples.tokens[e * W + a], words.form[a]);
                ck_assert_int_eq(m.words[e * m.n_tokens + join.first[e * W + a]], a);
                ck_assert_int_eq(hl_pattern_keys(&map, a), m.causal ? a + 1 : words.n);
                for (int b = 0; b < words.n; b++) {
                    ck_assert_double_eq_tol((double)hl_pattern_row(&map, a)[b], words.weight[a][b], 1e-6);
                }
            }
        }
    }
    hl_word_join_free(&join);
}

/* What the scores of words read from pieces, the scores of tokens read from joined maps. */
LOOP_TEST(scores_of_words_are_scores_of_tokens_in_joined_maps, 0, 40)
{
    made_up m = random_text((uint64_t)_i, _i % 2 == 1);
    hl_patterns patterns = made_up_patterns(&m);
    hl_word_join join;
    CHECK_OK(hl_word_join_make(&join, &patterns, 1));
    hl_patterns words = join.layers[0];
    words.head = m.head;
    const hl_score pairs[3][2] = { { hl_previous_word_of(&patterns), hl_offset_score(&words, -1) },
                                   { hl_next_word_of(&patterns), hl_offset_score(&words, 1) },
                                   { hl_same_word_of(&patterns), hl_duplicate_of(&words) } };
    for (int k = 0; k < 3; k++) {
        hl_score expected = pairs[k][1];
        expect_score(pairs[k][0], expected.value, expected.baseline, expected.n, 1e-6);
    }
    hl_word_join_free(&join);
}

/* ---- special tokens of text ---- */

TEST(specials_of_text_are_separators_alone)
{
    /* [CLS] a b [MASK] <|endoftext|> [SEP] */
    static const unsigned char kinds[] = { HL_TOKEN_SPECIAL | HL_TOKEN_FIRST,
                                           0,
                                           HL_TOKEN_SPECIAL | HL_TOKEN_MASK,
                                           HL_TOKEN_SPECIAL | HL_TOKEN_SEPARATOR,
                                           HL_TOKEN_UNKNOWN,
                                           HL_TOKEN_SPECIAL | HL_TOKEN_SEPARATOR | HL_TOKEN_FIRST };
    made_up m = made_up_empty(1, 6, false);
    made_up_words(&m, 0, "-ab ?--");
    for (int i = 0; i < 6; i++) {
        *made_up_token(&m, 0, i) = (const int32_t[]){ 5, 1, 1, 2, 5, 3 }[i];
        made_up_prefer(&m, 0, i, 4, (hl_real)0.5); /* and 0.1 on each other */
    }
    hl_patterns patterns = made_up_patterns(&m);
    patterns.text.kinds = kinds;
    ck_assert_double_eq_tol(hl_special_of(&patterns).value, 0.6, 1e-6); /* the one that stands first is no such */
    ck_assert_double_eq_tol(hl_special_of(&patterns).baseline, 2.0 / 6, 1e-12);
    ck_assert_double_eq_tol(hl_first_of(&patterns).value, 0.1, 1e-6);
    patterns.text.words = NULL; /* of a toy task all of them, but not the unknown token */
    ck_assert_double_eq_tol(hl_special_of(&patterns).value, 0.8, 1e-6);
    hl_pattern example = hl_patterns_at(&patterns, 0);
    ck_assert(hl_pattern_is_ordinary(&example, 1));
    ck_assert(!hl_pattern_is_ordinary(&example, 3));
    *made_up_token(&m, 0, 1) = 4;
    ck_assert(!hl_pattern_is_ordinary(&example, 1));
}

/* ---- labels ---- */

static made_up sentences(void)
{
    static const char *const texts[4] = { "-aba c. bd da b .a-", "-c. ab daa b a .c d-", "-daa .b d cab c .b-",
                                          "-b dda .c b a .cbd-" };
    made_up m = made_up_empty(4, MADE_UP_TOKENS, false);
    for (int64_t e = 0; e < 4; e++) {
        made_up_words(&m, e, texts[e]);
        m.rarest[e] = (int32_t[]){ 3, 1, 2, 4 }[e];
    }
    return m;
}

LOOP_TEST(an_ideal_of_words_has_a_lift_of_1_and_earns_its_label, 0, 5)
{
    static const struct {
        hl_label_kind kind;
        hl_score (*measure)(const hl_patterns *patterns);
    } labels[] = { { HL_LABEL_PREVIOUS_WORD, hl_previous_word_of },
                   { HL_LABEL_NEXT_WORD, hl_next_word_of },
                   { HL_LABEL_SAME_WORD, hl_same_word_of },
                   { HL_LABEL_PUNCTUATION, hl_punctuation_of },
                   { HL_LABEL_RARE, hl_rare_of } };
    made_up m = sentences();
    made_up_idealise(&m, (hl_label){ .kind = labels[_i].kind });
    hl_patterns patterns = made_up_patterns(&m);
    ck_assert_double_eq_tol(labels[_i].measure(&patterns).value, 1, 1e-6);
    hl_label label = hl_label_of(&patterns);
    ck_assert_int_eq(label.kind, labels[_i].kind);
    patterns.text = (hl_pattern_text){ 0 }; /* which toy tasks do not have */
    ck_assert_int_ge(hl_label_of(&patterns).kind, HL_LABEL_UNIFORM);
}

LOOP_TEST(an_ideal_is_spread_over_a_words_pieces, 0, 2)
{
    made_up m = made_up_empty(1, 9, _i);
    made_up_words(&m, 0, "-ab aa cb-");
    hl_patterns patterns = made_up_patterns(&m);
    hl_pattern example = hl_patterns_at(&patterns, 0);
    hl_real ideal[MADE_UP_TOKENS * MADE_UP_TOKENS];
    hl_label_ideal((hl_label){ .kind = HL_LABEL_NEXT_WORD }, &example, ideal);
    if (_i == 0) { /* from the first word's second piece to the second word's two */
        ck_assert(ideal[2 * 9 + 3] == (hl_real)0.5 && ideal[2 * 9 + 4] == (hl_real)0.5 && ideal[2 * 9 + 5] == 0);
    } else {
        ck_assert(ideal[2 * 9] == -1);
    }
    ck_assert(ideal[0] == -1 && ideal[5 * 9] == -1 && ideal[7 * 9] == -1);
    made_up_words(&m, 0, "-b ba ba-"); /* two words share, whatever their pieces */
    hl_label_ideal((hl_label){ .kind = HL_LABEL_SAME_WORD }, &example, ideal);
    ck_assert(_i == 1 || (ideal[1 * 9 + 2] == (hl_real)0.25 && ideal[1 * 9 + 5] == (hl_real)0.25));
    ck_assert(ideal[4 * 9 + 1] == (hl_real)0.5 && ideal[4 * 9 + 2] == (hl_real)0.25);
}

TEST(a_word_that_gets_least_of_10_percent_earns_no_label)
{
    made_up m = sentences();
    made_up_idealise(&m, (hl_label){ .kind = HL_LABEL_PREVIOUS_WORD });
    for (int64_t e = 1; e < 4; e += 2) { /* two words of each look at themselves a little more than back */
        for (int64_t i = 3; i < 8; i++) {
            for (int64_t j = 0; j < m.lengths[e]; j++) {
                *made_up_at(&m, e, i, j) = *made_up_at(&m, e, i, j) * (hl_real)0.45 + (j == i ? (hl_real)0.55 : 0);
            }
        }
    }
    hl_patterns patterns = made_up_patterns(&m), scoring = hl_patterns_scoring(&patterns);
    ck_assert_double_ge(hl_score_lift(hl_previous_word_of(&scoring)), 0.5);
    ck_assert_double_lt(hl_word_offset_hit_rate(&scoring, -1), 0.9);
    ck_assert_int_ne(hl_label_of(&patterns).kind, HL_LABEL_PREVIOUS_WORD);
}

TEST(on_text_words_come_first)
{
    made_up m = made_up_empty(4, 8, false);
    for (int64_t e = 0; e < 4; e++) {
        made_up_words(&m, e, "a b c d a b c d");
        made_up_look_at_offset(&m, e, -1); /* one piece a word: previous and previous_word are the same */
    }
    hl_patterns patterns = made_up_patterns(&m);
    ck_assert_int_eq(hl_label_of(&patterns).kind, HL_LABEL_PREVIOUS_WORD);
    for (int64_t e = 0; e < 4; e++) {
        made_up_words(&m, e, "abcdabcd");
    }
    patterns = made_up_patterns(&m); /* a single word: the piece before is an offset */
    ck_assert_int_eq(hl_label_of(&patterns).kind, HL_LABEL_OFFSET);
    ck_assert_int_eq(hl_label_of(&patterns).parameter, -1);
    ck_assert_str_eq(hl_label_meaning_of(hl_label_of(&patterns), NULL).text, "looks at the previous token");
}

SUITE("word scores and joined maps")
