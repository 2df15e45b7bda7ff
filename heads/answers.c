#include "heads/answers.h"

#include "core/base/memory.h"
#include "core/kernels/private/exp.h"

#include <math.h>

bool hl_answers_are_sparse(int64_t n_examples, int64_t n_tokens, int64_t n_targets)
{
    size_t places = hl_size_product((size_t)n_examples, (size_t)n_tokens);
    return hl_size_product(places, (size_t)n_targets) > HL_ANSWERS_LOGITS;
}

int64_t hl_answers_targets(const hl_model_config *config)
{
    return config->targets > 0 ? config->targets : config->vocabulary;
}

int64_t hl_answers_top(int64_t n_targets)
{
    return n_targets < HL_ANSWERS_TOP ? n_targets : HL_ANSWERS_TOP;
}

int32_t hl_answer_of(const hl_real *logits, int64_t n)
{
    int32_t best;
    hl_top_ids(logits, n, 1, &best);
    return best;
}

void hl_top_ids(const hl_real *logits, int64_t n, int k, int32_t *ids)
{
    int found = 0;
    for (int64_t i = 0; i < n; i++) {
        if (found == k && !(logits[i] > logits[ids[k - 1]])) {
            continue; /* the way of nearly all */
        }
        int place = found < k ? found++ : k - 1;
        while (place > 0 && logits[i] > logits[ids[place - 1]]) {
            ids[place] = ids[place - 1];
            place--;
        }
        ids[place] = (int32_t)i;
    }
}

double hl_log_sum_exp(const hl_real *logits, int64_t n, hl_real largest)
{
    double sum = 0;
#pragma omp simd reduction(+ : sum)
    for (int64_t i = 0; i < n; i++) {
        sum += (double)hl_exp(logits[i] - largest);
    }
    return (double)largest + log(sum);
}

/* The ids of the n largest logits at a place, perhaps in `found`; NULL if nothing is kept. */
static const int32_t *top_at(const hl_answers *answers, int64_t place, int n, int32_t *found)
{
    int64_t C = answers->n_targets;
    if (answers->logits != NULL) {
        hl_top_ids(answers->logits + place * C, C, n, found);
        return found;
    }
    const int32_t *ids = answers->top_ids + place * hl_answers_top(C);
    return ids[0] != HL_IGNORE ? ids : NULL;
}

int hl_answers_best(const hl_answers *answers, int64_t e, int64_t t, int most, hl_answer *best)
{
    int64_t C = answers->n_targets, K = hl_answers_top(C), place = e * answers->n_tokens + t;
    int32_t found[HL_ANSWERS_TOP];
    int n = most < K ? most : (int)K;
    const int32_t *ids = top_at(answers, place, n, found);
    if (ids == NULL) {
        return 0;
    }
    const hl_real *all = answers->logits != NULL ? answers->logits + place * C : NULL;
    double log_sum = all != NULL ? hl_log_sum_exp(all, C, all[ids[0]]) : (double)answers->log_sums[place];
    for (int i = 0; i < n; i++) {
        hl_real logit = all != NULL ? all[ids[i]] : answers->top_logits[place * K + i];
        best[i] = (hl_answer){ ids[i], exp((double)logit - log_sum) };
    }
    return n;
}

void hl_answers_predict(const hl_answers *answers, int64_t e, int64_t length, int64_t T, int32_t *predictions)
{
    for (int64_t t = 0; t < T; t++) {
        int64_t place = e * answers->n_tokens + t;
        int32_t found[HL_ANSWERS_TOP];
        const int32_t *ids =
            t < length && answers->targets[place] != HL_IGNORE ? top_at(answers, place, 1, found) : NULL;
        predictions[t] = ids != NULL ? ids[0] : HL_IGNORE;
    }
}
