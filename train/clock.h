/* Time that only runs forward: for rates and durations. */
#ifndef HL_TRAIN_CLOCK_H
#define HL_TRAIN_CLOCK_H

/* Seconds since some fixed moment; a clock set back does not disturb it. Cannot fail. */
double hl_clock_seconds(void);

#endif
