#include "study/choices.h"

#include "heads/answers.h"

#include <math.h>

/* The sum over all ids of exp((l_c - *largest) / temperature), *largest being the largest logit. */
static double sum_of(const hl_real *logits, int64_t C, double temperature, double *largest)
{
    double sum = 0;
    *largest = (double)logits[hl_answer_of(logits, C)];
    for (int64_t c = 0; c < C; c++) {
        sum += exp(((double)logits[c] - *largest) / temperature);
    }
    return sum;
}

/* Keeps the best ids in order; `probability` of each is its logit as yet. */
static int64_t best_logits(const hl_real *logits, int64_t C, int64_t most, hl_choice *choices)
{
    int64_t n = 0;
    for (int64_t c = 0; c < C; c++) {
        double logit = (double)logits[c];
        if (n == most && !(logit > choices[n - 1].probability)) {
            continue;
        }
        int64_t at = n < most ? n++ : n - 1;
        for (; at > 0 && logit > choices[at - 1].probability; at--) {
            choices[at] = choices[at - 1];
        }
        choices[at] = (hl_choice){ (int32_t)c, logit };
    }
    return n;
}

int64_t hl_choices_best(const hl_real *logits, int64_t C, int64_t most, hl_choice *choices)
{
    double largest, sum = sum_of(logits, C, 1, &largest);
    int64_t n = best_logits(logits, C, most, choices);
    for (int64_t i = 0; i < n; i++) {
        choices[i].probability = exp(choices[i].probability - largest) / sum;
    }
    return n;
}

int32_t hl_choices_draw(const hl_real *logits, int64_t C, double temperature, int64_t top_k, double uniform,
                        hl_choice *room)
{
    int32_t id = hl_answer_of(logits, C); /* rounding may leave a little at the end */
    if (temperature == 0) {
        return id;
    }
    double largest, sum = sum_of(logits, C, temperature, &largest);
    int64_t n = top_k > 0 ? best_logits(logits, C, top_k, room) : C;
    if (top_k > 0) {
        sum = 0;
        for (int64_t i = 0; i < n; i++) {
            sum += exp((room[i].probability - largest) / temperature);
        }
    }
    double left = uniform * sum;
    for (int64_t i = 0; i < n && left >= 0; i++) {
        double weight = exp(((top_k > 0 ? room[i].probability : (double)logits[i]) - largest) / temperature);
        id = weight > 0 ? (top_k > 0 ? room[i].id : (int32_t)i) : id;
        left -= weight;
    }
    return id;
}

void hl_choices_add(const hl_real *logits, int64_t C, double *sum)
{
    double largest, all = sum_of(logits, C, 1, &largest);
    for (int64_t c = 0; c < C; c++) {
        sum[c] += exp((double)logits[c] - largest) / all;
    }
}

double hl_choices_sigmoid(hl_real logit)
{
    return 1 / (1 + exp(-(double)logit));
}

double hl_choices_loss(const hl_real *logits, int64_t C, int32_t id)
{
    double largest, sum = sum_of(logits, C, 1, &largest);
    return log(sum) - ((double)logits[id] - largest);
}

double hl_choices_labels_loss(const hl_real *logits, int64_t C, const int32_t *is)
{
    double sum = 0;
    for (int64_t c = 0; c < C; c++) {
        double logit = (double)logits[c], towards = is[c] != 0 ? logit : -logit;
        sum += fmax(-towards, 0) + log1p(exp(-fabs(logit)));
    }
    return sum / (double)C;
}
