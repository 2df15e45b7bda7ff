#include "heads/divergence.h"

#include "heads/entropy.h"
#include "heads/private/row_entropy.h"

#include <assert.h>
#include <math.h>

double hl_divergence_end(double sum, int64_t queries, double entropy_a, double entropy_b)
{
    return fmax(sum / (double)queries - (entropy_a + entropy_b) / 2, 0); /* rounding may fall below */
}

double hl_divergence_given(const hl_patterns *a, const hl_patterns *b, double entropy_a, double entropy_b)
{
    assert(a->n_examples == b->n_examples);
    double sum = 0;
    for (int64_t e = 0; e < a->n_examples; e++) {
        hl_pattern pattern_a = hl_patterns_at(a, e), pattern_b = hl_patterns_at(b, e);
        assert(pattern_a.n == pattern_b.n);
        for (int64_t i = 0; i < pattern_a.n; i++) {
            sum += hl_row_entropy_mixed(hl_pattern_row(&pattern_a, i), hl_pattern_keys(&pattern_a, i),
                                        hl_pattern_row(&pattern_b, i), hl_pattern_keys(&pattern_b, i));
        }
    }
    return hl_divergence_end(sum, hl_patterns_queries(a), entropy_a, entropy_b);
}

double hl_divergence_of(const hl_patterns *a, const hl_patterns *b)
{
    return hl_divergence_given(a, b, hl_entropy_of(a).nats, hl_entropy_of(b).nats);
}
