#include "tests/heads/key_share_check.h"

#include <check.h>

hl_score key_share_naive(made_up *m, key_share_rule *rule, bool all)
{
    hl_score score = { 0 };
    for (int64_t e = 0; e < m->n_examples; e++) {
        for (int64_t i = 0; i < m->lengths[e]; i++) {
            bool keys[MADE_UP_TOKENS] = { false };
            double weight = 0, n_keys = 0, n_named = 0;
            rule(m, e, i, keys);
            for (int64_t j = 0; j < m->n_tokens; j++) {
                if (made_up_permits(m, e, i, j)) {
                    n_keys++;
                    n_named += keys[j];
                    weight += keys[j] ? (double)*made_up_at(m, e, i, j) : 0;
                }
            }
            if (n_named > 0 || all) {
                score.value += weight;
                score.baseline += n_named / n_keys;
                score.n++;
            }
        }
    }
    double n = score.n > 0 ? (double)score.n : 1;
    return (hl_score){ score.value / n, score.baseline / n, score.n };
}

/* Every query attends to the last key of its set alone; queries without one to themselves. */
static void attend_to_keys(made_up *m, key_share_rule *rule)
{
    for (int64_t e = 0; e < m->n_examples; e++) {
        for (int64_t i = 0; i < m->lengths[e]; i++) {
            bool keys[MADE_UP_TOKENS] = { false };
            int64_t key = i;
            rule(m, e, i, keys);
            for (int64_t j = 0; j < m->n_tokens; j++) {
                key = keys[j] && made_up_permits(m, e, i, j) ? j : key;
            }
            made_up_look_at(m, e, i, key);
        }
    }
}

void key_share_check(hl_score (*metric)(const hl_patterns *patterns), key_share_rule *rule, bool all, uint64_t seed)
{
    made_up m = made_up_random(seed, seed % 2 == 1);
    hl_patterns patterns = made_up_patterns(&m);
    hl_score expected = key_share_naive(&m, rule, all), score = metric(&patterns);
    ck_assert_int_eq(score.n, expected.n);
    ck_assert_double_eq_tol(score.value, expected.value, 1e-12);
    ck_assert_double_eq_tol(score.baseline, expected.baseline, 1e-12);

    made_up_spread_evenly(&m);
    score = metric(&patterns);
    ck_assert_double_eq_tol(score.value, score.baseline, 1e-6);
    ck_assert_double_eq_tol(score.baseline, expected.baseline, 1e-12);

    attend_to_keys(&m, rule);
    score = metric(&patterns);
    ck_assert(all || score.n == 0 || score.value == 1);
    ck_assert_double_eq_tol(score.value, key_share_naive(&m, rule, all).value, 1e-12);
}
