#include "heads/tree.h"

#include "core/kernels/random.h"
#include "tests/check_suite.h"
#include "tests/fault_checks.h"
#include "tests/faults.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 6 };

/* Whether all words lead to the root. */
static bool is_tree(const int32_t *heads, int64_t n, int64_t root)
{
    for (int64_t i = 0; i < n; i++) {
        int64_t at = i;
        for (int64_t steps = 0; at != root; steps++) {
            if (steps == n || heads[at] < 0 || heads[at] >= n || heads[at] == at) {
                return false;
            }
            at = heads[at];
        }
    }
    return heads[root] == -1;
}

static double sum_of(const double *scores, const int32_t *heads, int64_t n)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++) {
        sum += heads[i] >= 0 ? scores[i * n + heads[i]] : 0;
    }
    return sum;
}

/* The largest sum over all n^(n - 1) ways to give each word but the root a head. */
static double best_of_all(const double *scores, int64_t n, int64_t root)
{
    double best = -INFINITY;
    int64_t ways = 1;
    for (int64_t i = 1; i < n; i++) {
        ways *= n;
    }
    for (int64_t way = 0; way < ways; way++) {
        int32_t heads[MOST];
        int64_t rest = way;
        for (int64_t i = 0; i < n; i++) {
            heads[i] = i == root ? -1 : (int32_t)(rest % n);
            rest = i == root ? rest : rest / n;
        }
        best = is_tree(heads, n, root) ? fmax(best, sum_of(scores, heads, n)) : best;
    }
    return best;
}

LOOP_TEST(no_tree_has_a_larger_sum, 0, 40)
{
    hl_random random = { .seed = (uint64_t)_i, .stream = hl_random_stream("trees") };
    for (int64_t n = 1; n <= MOST; n++) {
        double scores[MOST * MOST];
        for (int64_t i = 0; i < n * n; i++) { /* few values, so that there are equals; on the diagonal bait */
            scores[i] = i % (n + 1) == 0 ? 100 : hl_random_below(random, (uint64_t)(n * 64 + i), _i % 2 ? 1000 : 4);
        }
        int64_t root = _i % n;
        int32_t heads[MOST];
        CHECK_OK(hl_tree_maximum(scores, n, root, heads));
        ck_assert(is_tree(heads, n, root));
        ck_assert_double_eq(sum_of(scores, heads, n), best_of_all(scores, n, root));
    }
}

/* Each word wants the next one but one as its head, the last ones the first: circles within circles. */
TEST(circles_within_circles_are_opened)
{
    enum { N = 60 };
    double scores[N * N];
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < N; j++) {
            scores[i * N + j] = 1.0 / (1 + abs(j - (i ^ 1))) + 0.001 * (j == 0) + 1e-4 * ((i / 4) == (j / 4));
        }
    }
    int32_t heads[N];
    CHECK_OK(hl_tree_maximum(scores, N, 7, heads));
    ck_assert(is_tree(heads, N, 7));
    for (int i = 0; i < N; i++) { /* no arc alone can be exchanged for a better one */
        for (int j = 0; i != 7 && j < N; j++) {
            int32_t other[N];
            memcpy(other, heads, sizeof heads);
            other[i] = (int32_t)j;
            ck_assert(j == i || !is_tree(other, N, 7) || sum_of(scores, other, N) <= sum_of(scores, heads, N));
        }
    }
}

TEST(a_root_outside_the_sentence_is_refused)
{
    double scores[4] = { 0 };
    int32_t heads[2] = { 5, 5 };
    ck_assert_int_eq(hl_tree_maximum(scores, 2, 2, heads).code, HL_INVALID);
    ck_assert_int_eq(hl_tree_maximum(scores, 2, -1, heads).code, HL_INVALID);
    ck_assert_int_eq(hl_tree_maximum(scores, 0, 0, heads).code, HL_INVALID);
    ck_assert_int_eq(heads[0], 5);
}

TEST(a_tree_fails_whole_without_memory)
{
    static const double scores[9] = { 0, 3, 1, 3, 0, 1, 1, 1, 0 };
    int32_t heads[3] = { 0 };
    faults_begin();
    for (int n = 0; fault_checks_next(&n, FAULTS_ONCE);) {
        fault_checks_turn(hl_tree_maximum(scores, 3, 2, heads));
    }
    faults_end();
    ck_assert_int_eq(heads[0] + heads[1], 2 + (heads[0] == 1 ? 1 : 0));
}

TEST(chains_are_the_baselines)
{
    int32_t heads[4];
    hl_tree_right_branching(4, heads);
    for (int i = 0; i < 4; i++) {
        ck_assert_int_eq(heads[i], i - 1);
    }
    hl_tree_left_branching(4, heads);
    ck_assert_int_eq(heads[0], 1);
    ck_assert_int_eq(heads[2], 3);
    ck_assert_int_eq(heads[3], -1);
}

TEST(arcs_are_counted_once_from_either_end)
{
    const int32_t gold[5] = { 1, -1, 1, 4, 1 };
    const int32_t guessed[5] = { 1, 2, -1, 4, 3 }; /* right; (1, 2) from the other end; right; of 4 none */
    hl_tree_score score = { 0 };
    hl_tree_score_add(&score, guessed, gold, 5);
    ck_assert_int_eq(score.arcs, 4);
    ck_assert_int_eq(score.directed, 2);
    ck_assert_int_eq(score.undirected, 3);
    hl_tree_score_add(&score, gold, gold, 5);
    ck_assert_int_eq(score.arcs, 8);
    ck_assert_int_eq(score.directed, 6);
    ck_assert_int_eq(score.undirected, 7);
}

SUITE("tree")
