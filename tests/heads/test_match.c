#include "heads/match.h"

#include "heads/divergence.h"
#include "tests/check_suite.h"
#include "tests/faults.h"
#include "tests/heads/example.h"
#include "tests/heads/made_up_run.h"

#include <math.h>

enum { EXAMPLES = 4, TOKENS = 9, FIRST_HEADS = 3, SECOND_LAYERS = 2, SECOND_HEADS = 2 };

/* Heads that look 1, 2, 3, ... back; in the second model the same ones in other places. */
typedef struct two_models {
    made_up_run first, second;
    hl_patterns first_layers[1], second_layers[SECOND_LAYERS];
} two_models;

static void look_back(made_up_run *run, int64_t map, int64_t offset)
{
    int64_t T = run->n_tokens;
    for (int64_t e = 0; e < run->n_examples; e++) {
        int64_t layer = map / run->n_heads, head = map % run->n_heads;
        hl_real *weights = run->weights + ((layer * run->n_examples + e) * run->n_heads + head) * T * T;
        for (int64_t i = 0; i < run->lengths[e]; i++) {
            for (int64_t j = 0; j < run->lengths[e]; j++) {
                weights[i * T + j] = j == (i >= offset ? i - offset : 0);
            }
        }
    }
}

static two_models make_models(void)
{
    two_models models = { .first = made_up_run_make(1, FIRST_HEADS, EXAMPLES, TOKENS, 1),
                          .second = made_up_run_make(SECOND_LAYERS, SECOND_HEADS, EXAMPLES, TOKENS, 1) };
    for (int64_t h = 0; h < FIRST_HEADS; h++) {
        look_back(&models.first, h, h + 1);
    }
    static const int64_t second[SECOND_LAYERS * SECOND_HEADS] = { 5, 3, 1, 1 };
    for (int64_t h = 0; h < SECOND_LAYERS * SECOND_HEADS; h++) {
        look_back(&models.second, h, second[h]);
    }
    made_up_run_layers(&models.first, models.first_layers);
    made_up_run_layers(&models.second, models.second_layers);
    return models;
}

static void free_models(two_models *models)
{
    made_up_run_free(&models->first);
    made_up_run_free(&models->second);
}

static hl_model_heads first_of(const two_models *models)
{
    return (hl_model_heads){ models->first_layers, 1 };
}

static hl_model_heads second_of(const two_models *models)
{
    return (hl_model_heads){ models->second_layers, SECOND_LAYERS };
}

TEST(heads_that_do_the_same_find_each_other)
{
    two_models models = make_models();
    hl_head_match of_first[FIRST_HEADS], of_second[SECOND_LAYERS * SECOND_HEADS];
    expect_ok(hl_heads_match(first_of(&models), second_of(&models), of_first, of_second));
    ck_assert_int_eq(of_first[0].head, 2); /* the first of the two that look 1 back */
    ck_assert_double_eq(of_first[0].js, 0);
    ck_assert_int_eq(of_first[2].head, 1);
    ck_assert_double_eq(of_first[2].js, 0);
    ck_assert_int_eq(of_second[1].head, 2);
    ck_assert_int_eq(of_second[2].head, 0);
    ck_assert_int_eq(of_second[3].head, 0);
    free_models(&models);
}

/* Against all pairs, one by one, of the scoring examples. */
TEST(a_match_is_the_least_divergence)
{
    two_models models = make_models();
    hl_model_heads a = first_of(&models), b = second_of(&models);
    ck_assert_int_eq(hl_model_heads_count(b), SECOND_LAYERS * SECOND_HEADS);
    hl_head_match of_first[FIRST_HEADS], of_second[SECOND_LAYERS * SECOND_HEADS];
    expect_ok(hl_heads_match(a, b, of_first, of_second));
    for (int64_t i = 0; i < FIRST_HEADS; i++) {
        double least = INFINITY;
        for (int64_t j = 0; j < SECOND_LAYERS * SECOND_HEADS; j++) {
            hl_patterns one = hl_model_heads_at(a, i), other = hl_model_heads_at(b, j);
            hl_patterns scoring = hl_patterns_scoring(&one), other_scoring = hl_patterns_scoring(&other);
            least = fmin(least, hl_divergence_of(&scoring, &other_scoring));
        }
        ck_assert_double_eq(of_first[i].js, least);
    }
    ck_assert_double_gt(of_first[1].js, 0.3); /* none looks 2 back */
    ck_assert_double_le(of_first[1].js, log(2) + 1e-12);
    free_models(&models);
}

TEST(want_of_memory_is_reported)
{
    faults_begin();
    two_models models = make_models();
    hl_head_match of_first[FIRST_HEADS], of_second[SECOND_LAYERS * SECOND_HEADS];
    int blocks = faults_live_blocks();
    faults_in_memory(1, FAULTS_ONCE);
    ck_assert_int_eq(hl_heads_match(first_of(&models), second_of(&models), of_first, of_second).code, HL_NO_MEMORY);
    ck_assert_int_eq(faults_live_blocks(), blocks);
    free_models(&models);
    faults_end();
}

SUITE("match")
