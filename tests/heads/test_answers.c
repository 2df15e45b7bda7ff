#include "heads/answers.h"

#include "tests/check_suite.h"

#include <math.h>

enum { C = 10, T = 2 };

TEST(the_largest_come_first_and_of_equals_the_lowest_id)
{
    const hl_real logits[C] = { 1, 5, 3, 5, -2, 3, 0, 5, 1, 3 };
    const int32_t expected[C] = { 1, 3, 7, 2, 5, 9, 0, 8, 6, 4 };
    int32_t ids[C];
    for (int k = 1; k <= C; k++) {
        hl_top_ids(logits, C, k, ids);
        ck_assert_mem_eq(ids, expected, (size_t)k * sizeof *ids);
    }
}

TEST(the_log_of_the_sum_does_not_overflow)
{
    ck_assert_double_eq_tol(hl_log_sum_exp((const hl_real[]){ 0, 0, 0, 0 }, 4, 0), log(4), 1e-6);
    ck_assert_double_eq_tol(hl_log_sum_exp((const hl_real[]){ 1000, 999, -1000 }, 3, 1000), 1000 + log1p(exp(-1)),
                            1e-5);
}

TEST(full_and_sparse_logits_answer_the_same)
{
    const hl_real logits[T * C] = { 1, 5, 3, 5, -2, 3, 0, 5, 1, 3, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9 };
    const int32_t targets[T] = { HL_IGNORE, 4 };
    hl_answers full = { .n_tokens = T, .n_targets = C, .targets = targets, .logits = logits };
    hl_answer from_full[HL_ANSWERS_TOP], from_sparse[HL_ANSWERS_TOP];
    int32_t top_ids[T * HL_ANSWERS_TOP];
    hl_real top_logits[T * HL_ANSWERS_TOP], log_sums[T];
    for (int t = 0; t < T; t++) {
        int32_t *ids = top_ids + t * HL_ANSWERS_TOP;
        hl_top_ids(logits + t * C, C, HL_ANSWERS_TOP, ids);
        for (int i = 0; i < HL_ANSWERS_TOP; i++) {
            top_logits[t * HL_ANSWERS_TOP + i] = logits[t * C + ids[i]];
        }
        log_sums[t] = (hl_real)hl_log_sum_exp(logits + t * C, C, logits[t * C + ids[0]]);
    }
    hl_answers sparse = { .n_tokens = T,
                          .n_targets = C,
                          .targets = targets,
                          .top_ids = top_ids,
                          .top_logits = top_logits,
                          .log_sums = log_sums };
    for (int t = 0; t < T; t++) {
        double sum = 0;
        for (int i = 0; i < C; i++) {
            sum += exp((double)logits[t * C + i]);
        }
        ck_assert_int_eq(hl_answers_best(&full, 0, t, 20, from_full), HL_ANSWERS_TOP);
        ck_assert_int_eq(hl_answers_best(&sparse, 0, t, 3, from_sparse), 3);
        for (int i = 0; i < 3; i++) {
            ck_assert_int_eq(from_full[i].id, from_sparse[i].id);
            ck_assert_double_eq_tol(from_full[i].probability, exp((double)logits[t * C + from_full[i].id]) / sum, 1e-6);
            ck_assert_double_eq_tol(from_sparse[i].probability, from_full[i].probability, 1e-6);
        }
    }
    int32_t predictions[2][T];
    hl_answers_predict(&full, 0, T, T, predictions[0]);
    hl_answers_predict(&sparse, 0, T, T, predictions[1]);
    ck_assert_mem_eq(predictions[0], predictions[1], sizeof predictions[0]);
    ck_assert_int_eq(predictions[0][0], HL_IGNORE);
    ck_assert_int_eq(predictions[0][1], 9);
    hl_answers_predict(&full, 0, 1, T, predictions[0]);
    ck_assert_int_eq(predictions[0][1], HL_IGNORE);
    int32_t few[2] = { 0, 7 }; /* room for fewer positions than the answers have */
    hl_answers_predict(&full, 0, 1, 1, few);
    ck_assert_int_eq(few[1], 7);
}

TEST(where_nothing_is_kept_there_is_no_answer)
{
    const int32_t none[HL_ANSWERS_TOP] = { -1, -1, -1, -1, -1, -1, -1, -1 };
    hl_answer best[1];
    hl_answers sparse = { .n_tokens = 1, .n_targets = C, .targets = (const int32_t[]){ 2 }, .top_ids = none };
    ck_assert_int_eq(hl_answers_best(&sparse, 0, 0, 1, best), 0);
    int32_t prediction;
    hl_answers_predict(&sparse, 0, 1, 1, &prediction);
    ck_assert_int_eq(prediction, HL_IGNORE);
}

TEST(four_million_logits_are_kept_and_no_more)
{
    ck_assert(!hl_answers_are_sparse(4, 100, 10000));
    ck_assert(hl_answers_are_sparse(1, 1, HL_ANSWERS_LOGITS + 1));
    ck_assert(hl_answers_are_sparse((int64_t)1 << 40, (int64_t)1 << 40, 2));
    ck_assert_int_eq(hl_answers_top(3), 3);
    ck_assert_int_eq(hl_answers_top(30522), 8);
}

SUITE("answers")
