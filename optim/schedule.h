/* Learning-rate schedules: the rate of update number s, counted from 1. W = warmup_steps, S = steps, m = min_rate.
 *
 *   noam      learning_rate * d_model^-0.5 * min(s^-0.5, s * W^-1.5)    (learning_rate is a factor; 1 is the paper's)
 *   others    learning_rate * s / W                   for s <= W: up to the full rate at s = W
 *             m + (learning_rate - m) * shape(p)      for s > W, where p = (s - 1 - W) / (S - W) runs from 0 to just
 *                                                     below 1, so that the last update also has a rate above m
 *   constant  shape = 1
 *   linear    shape = 1 - p
 *   cosine    shape = (1 + cos(pi p)) / 2
 *
 * W = 0 means no warm-up; noam is then learning_rate * d_model^-0.5 * s^-0.5. From s = S + 1 on, and after the warm-up,
 * linear and cosine equal m. After the warm-up, cosine equals nanoGPT's get_lr at iteration s - 1 with lr_decay_iters =
 * S. During the warm-up, nanoGPT uses s / (W + 1), or in older versions (s - 1) / W. */
#pragma once

#include "core/base/declarations.h"

#include <stdint.h>

HL_BEGIN_DECLS

typedef enum hl_schedule_name {
    HL_SCHEDULE_NOAM,
    HL_SCHEDULE_LINEAR,
    HL_SCHEDULE_COSINE,
    HL_SCHEDULE_CONSTANT,
} hl_schedule_name;

typedef struct hl_schedule {
    hl_schedule_name name;
    double learning_rate;
    double min_rate;      /* the rate at which linear and cosine end */
    int64_t warmup_steps; /* at least 0; may exceed `steps` */
    int64_t steps;        /* in the whole run; used by linear and cosine */
    int64_t d_model;      /* at least 1; used by noam */
} hl_schedule;

/* The rate of update number `step` >= 1, by the formulas above. NaN if they give no rate: an unknown name, a step below
 * 1, a negative warm-up, noam with a d_model below 1. */
double hl_schedule_rate(const hl_schedule *schedule, int64_t step);

HL_END_DECLS
