/* The task markov: chains that are drawn as they should be, and the predictors against counts of their own. */
#include "data/predictors.h"
#include "tests/data/dataset_examples.h"

#include <math.h>
#include <string.h>

enum { T = 60 };

static hl_examples chains(int64_t symbols, int64_t n)
{
    hl_task_spec spec = { .name = "markov", .symbols = symbols, .length = T, .min_length = T };
    return read_batch(open_dataset(spec, 3), HL_TRAIN, 0, n, T);
}

static int symbol(const hl_examples *examples, int64_t e, int64_t t)
{
    return examples->tokens[e * T + t] - HL_SPECIAL_TOKENS;
}

TEST(every_answer_is_the_next_symbol)
{
    hl_examples examples = chains(5, 40);
    for (int64_t e = 0; e < 40; e++) {
        ck_assert_int_eq(examples.lengths[e], T);
        for (int64_t t = 0; t < T; t++) {
            ck_assert(symbol(&examples, e, t) >= 0 && symbol(&examples, e, t) < 5);
            ck_assert_int_eq(examples.sources[e * T + t], HL_IGNORE);
            if (t + 1 < T) {
                ck_assert_int_eq(examples.targets[e * T + t], examples.tokens[e * T + t + 1]);
            }
        }
        ck_assert_int_ge(examples.targets[e * T + T - 1], HL_SPECIAL_TOKENS);
    }
}

/* What follows two occurrences of one symbol is the same with the probability of the sum of p_b^2. If the row p is
 * uniform on the simplex, the mean of this is 2 / (S + 1); for fixed equal p it would be 1 / S. */
LOOP_TEST(rows_are_uniform_on_the_simplex, 2, 6)
{
    enum { N = 6000 };
    hl_examples examples = chains(_i, N);
    double same = 0, cases = 0;
    for (int64_t e = 0; e < N; e++) {
        int seen = 0, after[2] = { 0 };
        for (int64_t t = 0; t + 1 < T && seen < 2; t++) { /* the first two zeros of the example */
            if (symbol(&examples, e, t) == 0) {
                after[seen++] = symbol(&examples, e, t + 1);
            }
        }
        cases += seen == 2;
        same += seen == 2 && after[0] == after[1];
    }
    double expected = 2.0 / (_i + 1);
    ck_assert(2 * cases > N);
    ck_assert_double_eq_tol(same / cases, expected, 4 * sqrt(expected * (1 - expected) / cases));
}

/* From a stationary start, a symbol is as frequent at the first position as at the last, in each single chain: so the
 * first symbol agrees with a later one, far away, as often as two later ones do. */
TEST(chains_begin_as_they_go_on)
{
    enum { N = 6000 };
    hl_examples examples = chains(3, N);
    double first = 0, later = 0;
    for (int64_t e = 0; e < N; e++) {
        first += symbol(&examples, e, 0) == symbol(&examples, e, T / 2);
        later += symbol(&examples, e, T / 2 - 1) == symbol(&examples, e, T - 1);
    }
    ck_assert_double_eq_tol(first / N, later / N, 4 * sqrt(0.5 / N));
    ck_assert(first / N > 0.4); /* rows differ: 1 / 3 would be chance */
}

TEST(predictors_count_what_was_read)
{
    static const int read[] = { 1, 1, 0, 1, 1, 2, 1 };
    static const double expected[HL_PREDICTORS][3] = { { 1 / 3.0, 1 / 3.0, 1 / 3.0 },
                                                       { 2 / 10.0, 6 / 10.0, 2 / 10.0 }, /* 1, 5 and 1 of 7 */
                                                       { 2 / 7.0, 3 / 7.0, 2 / 7.0 } };  /* after 1: 0, 1, 1, 2 */
    hl_chain chain;
    hl_chain_begin(&chain, 3);
    for (int i = 0; i < ROWS(read); i++) {
        hl_chain_read(&chain, read[i]);
    }
    for (int i = 0; i < HL_PREDICTORS; i++) {
        double p[3];
        hl_chain_predict(&chain, i, p);
        for (int b = 0; b < 3; b++) {
            ck_assert_double_eq_tol(p[b], expected[i][b], 1e-15);
        }
    }
    hl_chain_begin(&chain, 2); /* nothing is left of the last chain */
    hl_chain_read(&chain, 0);
    double p[2];
    hl_chain_predict(&chain, HL_PREDICT_UNIGRAM, p);
    ck_assert(p[0] == 2 / 3.0 && p[1] == 1 / 3.0);
    hl_chain_predict(&chain, HL_PREDICT_BIGRAM, p);
    ck_assert(p[0] == 0.5 && p[1] == 0.5);
}

/* Bayes' rule is the best: on average each predictor loses to the next. */
TEST(each_predictor_is_better_than_the_one_before)
{
    enum { N = 300 };
    hl_examples examples = chains(4, N);
    double loss[HL_PREDICTORS] = { 0 };
    for (int64_t e = 0; e < N; e++) {
        hl_chain chain;
        hl_chain_begin(&chain, 4);
        for (int64_t t = 0; t < T; t++) {
            hl_chain_read(&chain, symbol(&examples, e, t));
            for (int i = 0; i < HL_PREDICTORS; i++) {
                double p[4];
                hl_chain_predict(&chain, i, p);
                loss[i] -= log(p[examples.targets[e * T + t] - HL_SPECIAL_TOKENS]) / (N * T);
            }
        }
    }
    ck_assert_double_eq_tol(loss[HL_PREDICT_UNIFORM], log(4), 1e-12);
    ck_assert(loss[HL_PREDICT_UNIGRAM] < loss[HL_PREDICT_UNIFORM] - 0.05);
    ck_assert(loss[HL_PREDICT_BIGRAM] < loss[HL_PREDICT_UNIGRAM] - 0.05);
}

SUITE("task markov")
