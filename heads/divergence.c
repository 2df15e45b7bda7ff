#include "heads/divergence.h"

#include "heads/entropy.h"

#include <assert.h>
#include <math.h>

static double term(double m)
{
    return m != 0 ? -m * log(m) : 0;
}

/* One of the two may be causal: then the other has keys of its own. */
static double row_mixture_entropy(const hl_pattern *a, const hl_pattern *b, int64_t i)
{
    const hl_real *row_a = hl_pattern_row(a, i), *row_b = hl_pattern_row(b, i);
    int64_t keys_a = hl_pattern_keys(a, i), keys_b = hl_pattern_keys(b, i), j = 0;
    double entropy = 0;
    for (; j < keys_a && j < keys_b; j++) {
        entropy += term(((double)row_a[j] + (double)row_b[j]) / 2);
    }
    for (; j < keys_a; j++) {
        entropy += term((double)row_a[j] / 2);
    }
    for (; j < keys_b; j++) {
        entropy += term((double)row_b[j] / 2);
    }
    return entropy;
}

double hl_divergence_given(const hl_patterns *a, const hl_patterns *b, double entropy_a, double entropy_b)
{
    assert(a->n_examples == b->n_examples);
    double sum = 0;
    int64_t queries = 0;
    for (int64_t e = 0; e < a->n_examples; e++) {
        hl_pattern pattern_a = hl_patterns_at(a, e), pattern_b = hl_patterns_at(b, e);
        assert(pattern_a.n == pattern_b.n);
        for (int64_t i = 0; i < pattern_a.n; i++) {
            sum += row_mixture_entropy(&pattern_a, &pattern_b, i);
        }
        queries += pattern_a.n;
    }
    return fmax(sum / (double)queries - (entropy_a + entropy_b) / 2, 0); /* rounding may fall below */
}

double hl_divergence_of(const hl_patterns *a, const hl_patterns *b)
{
    return hl_divergence_given(a, b, hl_entropy_of(a).nats, hl_entropy_of(b).nats);
}
