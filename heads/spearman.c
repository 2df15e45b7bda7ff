#include "heads/private/spearman.h"

#include <math.h>

/* How far number i ranks above the middle, times two: the numbers below it less those above. */
static double centred_rank(const double *numbers, int64_t n, int64_t i)
{
    double rank = 0;
    for (int64_t j = 0; j < n; j++) {
        rank += (numbers[j] < numbers[i]) - (numbers[j] > numbers[i]);
    }
    return isnan(numbers[i]) ? NAN : rank;
}

double hl_spearman(const double *a, const double *b, int64_t n)
{
    double aa = 0, bb = 0, ab = 0;
    for (int64_t i = 0; i < n; i++) {
        double x = centred_rank(a, n, i), y = centred_rank(b, n, i);
        aa += x * x;
        bb += y * y;
        ab += x * y;
    }
    return ab / sqrt(aa * bb);
}
