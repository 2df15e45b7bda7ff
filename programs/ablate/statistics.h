/* Statistics of a few runs: means with confidence intervals, and whether two settings differ. All of it assumes values
 * that are about normally distributed. Pure functions of doubles. */
#ifndef HL_PROGRAMS_ABLATE_STATISTICS_H
#define HL_PROGRAMS_ABLATE_STATISTICS_H

#include <stdint.h>

/* mean +- half_width. */
typedef struct hl_interval {
    int64_t n;         /* the number of values */
    double mean;       /* NaN if there are none */
    double half_width; /* NaN if there are fewer than two */
} hl_interval;

/* The confidence interval of the mean of n values, s being their standard deviation (of n - 1 degrees of freedom):
 *   mean +- t s / sqrt(n),   t = hl_student_quantile(confidence, n - 1) */
hl_interval hl_interval_of(const double *values, int64_t n, double confidence);

/* The two-sided paired t test: the probability that n pairs whose true differences have the mean 0 show a mean
 * difference as far from 0 as a[i] - b[i] do. NaN if there are fewer than two pairs, or all differences are 0; 0
 * where all differences are equal. */
double hl_paired_test(const double *a, const double *b, int64_t n);

/* P(|T| > |t|) for Student's T with `freedom` > 0 degrees of freedom. NaN for NaN. */
double hl_student_two_sided(double t, double freedom);

/* The t with P(|T| <= t) = confidence, 0 < confidence < 1. */
double hl_student_quantile(double confidence, double freedom);

#endif
