#include "optim/schedule.h"

#include <math.h>

static const double pi = 3.14159265358979323846;

/* Roots and quotients only: unlike pow, they have the same bits on every CPU. */
static double noam(double step, double warmup, double d_model)
{
    double falling = 1 / sqrt(step);
    double rising = warmup > 0 ? step / (warmup * sqrt(warmup)) : falling;
    return fmin(falling, rising) / sqrt(d_model);
}

/* p: how much of the way from the end of the warm-up to the end of the run lies before `step`. */
static double progress(const hl_schedule *schedule, int64_t step)
{
    if (step > schedule->steps) {
        return 1;
    }
    double length = (double)(schedule->steps - schedule->warmup_steps);
    return (double)(step - 1 - schedule->warmup_steps) / length;
}

double hl_schedule_rate(const hl_schedule *schedule, int64_t step)
{
    if (step < 1 || schedule->warmup_steps < 0) {
        return NAN;
    }
    double rate = schedule->learning_rate;
    if (schedule->name == HL_SCHEDULE_NOAM && schedule->d_model < 1) {
        return NAN;
    }
    if (schedule->name == HL_SCHEDULE_NOAM) {
        return rate * noam((double)step, (double)schedule->warmup_steps, (double)schedule->d_model);
    }
    if (step <= schedule->warmup_steps) {
        return rate * ((double)step / (double)schedule->warmup_steps);
    }
    switch (schedule->name) {
    case HL_SCHEDULE_LINEAR:
        return rate * (1 - progress(schedule, step));
    case HL_SCHEDULE_COSINE:
        return rate * 0.5 * (1 + cos(pi * progress(schedule, step)));
    case HL_SCHEDULE_CONSTANT:
        return rate;
    default:
        return NAN;
    }
}
