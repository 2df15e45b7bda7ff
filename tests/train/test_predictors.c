/* A model of chains beside the predictors: their losses and divergences on the validation set, and in metrics.csv. */
#include "core/examples.h"
#include "tests/check_suite.h"
#include "tests/scratch.h"
#include "tests/train/trainer_example.h"
#include "train/metrics_csv.h"

#include <math.h>
#include <string.h>

enum { S = 3, C = S + HL_SPECIAL_TOKENS, N = 7 };

/* Two chains, of 4 and 3 symbols. */
static const int32_t tokens[N] = { 3, 5, 5, 3, 4, 4, 4 }, positions[N] = { 0, 1, 2, 3, 0, 1, 2 };
static const int32_t targets[N] = { 5, 5, 3, 4, 4, 4, 5 };

/* (n_b + 1) / (n + S) of the symbols at positions i for which `counts`, counted here anew. */
static double share(int64_t row, int symbol, bool after_last)
{
    double n = S, n_b = 1;
    for (int64_t i = row - positions[row]; i <= row; i++) {
        bool counts = after_last ? i > row - positions[row] && tokens[i - 1] == tokens[row] : true;
        n += counts;
        n_b += counts && tokens[i] == symbol + HL_SPECIAL_TOKENS;
    }
    return n_b / n;
}

static double predicted(int predictor, int64_t row, int symbol)
{
    return predictor == HL_PREDICT_UNIFORM ? 1.0 / S : share(row, symbol, predictor == HL_PREDICT_BIGRAM);
}

LOOP_TEST(a_model_that_is_a_predictor_is_at_no_distance_from_it, 0, HL_PREDICTORS)
{
    hl_real logits[N * C];
    for (int i = 0; i < N * C; i++) { /* other tokens get nothing; a factor changes no share */
        int symbol = i % C - HL_SPECIAL_TOKENS;
        logits[i] = symbol < 0 ? -1000 : (hl_real)log(7 * predicted(_i, i / C, symbol));
    }
    hl_batch batch = { .n_rows = N, .tokens = tokens, .positions = positions, .target_ids = targets };
    hl_predictor_scores sums = { .loss = { 0 } };
    hl_predictor_scores_add(&sums, &batch, logits, C);
    for (int other = 0; other < HL_PREDICTORS; other++) {
        double loss = 0, kl = 0;
        for (int64_t n = 0; n < N; n++) {
            loss -= log(predicted(other, n, targets[n] - HL_SPECIAL_TOKENS));
            for (int b = 0; b < S; b++) {
                kl += predicted(other, n, b) * log(predicted(other, n, b) / predicted(_i, n, b));
            }
        }
        ck_assert_double_eq_tol(sums.loss[other], loss, 1e-12);
        ck_assert_double_eq_tol(sums.kl[other], kl, 1e-5);
        ck_assert(other == _i || kl > 0.1);
    }
}

static hl_config chain_config(const char *more)
{
    const char *text = scratch_format("[task]\nname = markov\nlength = 12\nmin_length = 5\nsymbols = 4\n"
                                      "[model]\nd_model = 16\nheads = 2\nd_ff = 32\n"
                                      "[train]\nsteps = 20\nbatch_size = 8\neval_examples = 64\nthreads = 1\n%s",
                                      more);
    hl_config config;
    config_parse(text, &config);
    ck_assert(config.model.causal);
    return config;
}

/* Leaves cut the validation set into slices; sums differ by rounding alone. */
TEST(a_validation_compares_with_all_predictors)
{
    hl_predictor_scores a = trainer_evaluated(trainer_of(chain_config(""))).scores.predictors;
    hl_predictor_scores b = trainer_evaluated(trainer_of(chain_config("leaves = 4\n"))).scores.predictors;
    ck_assert_double_eq_tol(a.loss[HL_PREDICT_UNIFORM], log(4), 1e-12);
    ck_assert(a.loss[HL_PREDICT_BIGRAM] < a.loss[HL_PREDICT_UNIFORM]);
    for (int i = 0; i < HL_PREDICTORS; i++) {
        ck_assert(a.kl[i] > 0);
        ck_assert_double_eq_tol(a.loss[i], b.loss[i], 1e-12);
        ck_assert_double_eq_tol(a.kl[i], b.kl[i], 1e-5);
    }
    a = trainer_evaluated(trainer_of(trainer_config(""))).scores.predictors;
    ck_assert(a.loss[0] < 0); /* does not apply */
}

TEST(a_row_of_metrics_has_a_column_for_each)
{
    static const char line[] = "20,validation,1,0.5,,,9,1.25,1.125,0.75,0.5,0.25,0.125";
    hl_metrics_row row;
    ck_assert(hl_metrics_row_read(line, sizeof line - 1, &row));
    ck_assert_int_eq(row.kind, HL_METRICS_CHAINS);
    static const double loss[] = { 1.25, 1.125, 0.75 }, kl[] = { 0.5, 0.25, 0.125 };
    for (int i = 0; i < HL_PREDICTORS; i++) {
        ck_assert(row.scores.predictors.loss[i] == loss[i] && row.scores.predictors.kl[i] == kl[i]);
    }
    hl_metrics_figure figures[HL_METRICS_FIGURES];
    int n = hl_metrics_row_figures(&row, figures);
    ck_assert_str_eq(figures[n - 1].name, "kl_bigram");
    ck_assert(figures[n - 1].value == 0.125);
}

SUITE("predictors of chains")
