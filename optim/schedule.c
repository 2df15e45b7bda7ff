#include "optim/schedule.h"

#include <math.h>

static const double pi = 3.14159265358979323846;

/* p of the formulas: the fraction of the updates between the warm-up and the end of the run that precede `step`. */
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
    double rate = schedule->learning_rate, least = schedule->min_rate;
    if (schedule->name ==
        HL_SCHEDULE_NOAM) { /* computed with roots and quotients, because, unlike pow, they have the same bits on every
                               CPU */
        double warmup = (double)schedule->warmup_steps, falling = 1 / sqrt((double)step);
        double rising = warmup > 0 ? (double)step / (warmup * sqrt(warmup)) : falling;
        return schedule->d_model < 1 ? NAN : rate * (fmin(falling, rising) / sqrt((double)schedule->d_model));
    }
    if (step <= schedule->warmup_steps) {
        return rate * ((double)step / (double)schedule->warmup_steps);
    }
    switch (schedule->name) {
    case HL_SCHEDULE_LINEAR:
        return least + (rate - least) * (1 - progress(schedule, step));
    case HL_SCHEDULE_COSINE:
        return least + (rate - least) * 0.5 * (1 + cos(pi * progress(schedule, step)));
    case HL_SCHEDULE_CONSTANT:
        return rate;
    default:
        return NAN;
    }
}
