#include "heads/syntax_rate.h"

#include <math.h>

double hl_syntax_share(hl_syntax_rate rate)
{
    return rate.cases > 0 ? (double)rate.hits / (double)rate.cases : NAN;
}

hl_syntax_interval hl_syntax_interval_of(hl_syntax_rate rate)
{
    if (rate.cases == 0) {
        return (hl_syntax_interval){ 0, 1 };
    }
    const double z = 1.959963984540054; /* the 97.5% quantile of the normal distribution */
    double n = (double)rate.cases, p = hl_syntax_share(rate), wide = 1 + z * z / n;
    double middle = (p + z * z / (2 * n)) / wide;
    double half = z * sqrt(p * (1 - p) / n + z * z / (4 * n * n)) / wide;
    return (hl_syntax_interval){ fmax(middle - half, 0), fmin(middle + half, 1) };
}
