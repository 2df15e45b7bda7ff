#include "heads/shapley.h"

static int size_of(uint32_t set)
{
    return __builtin_popcount(set);
}

void hl_shapley_values(int n, const double *losses, double *values)
{
    double weights[32]; /* |S|! (n - |S| - 1)! / n! by |S|: 1 / n, and from each to the next |S| / (n - |S|) of it */
    weights[0] = 1.0 / n;
    for (int size = 1; size < n; size++) {
        weights[size] = weights[size - 1] * size / (n - size);
    }
    for (int i = 0; i < n; i++) {
        uint32_t head = (uint32_t)1 << i;
        values[i] = 0;
        for (uint32_t set = 0; set >> n == 0; set++) {
            if ((set & head) == 0) {
                values[i] += weights[size_of(set)] * (losses[set] - losses[set | head]);
            }
        }
    }
}

uint32_t hl_smallest_set(int n, const double *losses, const double *accuracies, double share)
{
    uint32_t best = ((uint32_t)1 << n) - 1;
    double enough = share * accuracies[best];
    for (uint32_t set = 0; set >> n == 0; set++) {
        int size = size_of(set), least = size_of(best);
        if (accuracies[set] >= enough && (size < least || (size == least && losses[set] < losses[best]))) {
            best = set;
        }
    }
    return best;
}
