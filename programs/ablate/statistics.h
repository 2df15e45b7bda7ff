/* Statistics of a few runs: means with confidence intervals, and whether two settings differ. They assume values that
 * are about normally distributed. All are pure functions of doubles. */
#pragma once

#include <stdint.h>

/* mean +- half_width. */
typedef struct hl_interval {
    int64_t n;         /* the number of values */
    double mean;       /* NaN if there are none */
    double half_width; /* NaN if there are fewer than two */
} hl_interval;

/* The confidence interval of the mean of n values. s is their standard deviation, with n - 1 degrees of freedom:
 *   mean +- t s / sqrt(n),   t = hl_student_quantile(confidence, n - 1) */
hl_interval hl_interval_of(const double *values, int64_t n, double confidence);

/* The two-sided paired t test: the probability that the mean of n differences is at least as far from 0 as that of
 * a[i] - b[i], if the true mean is 0. NaN if there are fewer than two pairs, or if all differences are 0; 0 if all
 * differences are equal but not 0. */
double hl_paired_test(const double *a, const double *b, int64_t n);

/* P(|T| > |t|) for Student's T with `freedom` > 0 degrees of freedom. NaN for NaN. */
double hl_student_two_sided(double t, double freedom);

/* The t with P(|T| <= t) = confidence, 0 < confidence < 1. */
double hl_student_quantile(double confidence, double freedom);
