/* Runs and sweeps in which every allocation or every file call fails in turn, of those after the first four
 * every `stride`-th. Failures here end the test. */
#pragma once

#include "tests/runs/faulty_runs.h"

#include <stdbool.h>

/* Twelve steps of a smallest model that validates, records, keeps checkpoints and reports, begun anew or resumed in the
 * middle. After each fault what faulty_run checks, and: whatever file stands is whole, the very bytes that an
 * undisturbed run has there; no checkpoint that stood is lost; and --resume ends with the same bytes in every weight,
 * moment, loss and pattern. */
void fault_cases_run(int stride, bool resumed, faulty_where where);

/* A sweep of two cells, begun anew or with its trainings done; the faults are those of the sweep's own process. After
 * each what faulty_run checks, trainings that were done are as they were, and the same command again ends with the same
 * bytes in every file, but for the seconds that trainings took. */
void fault_cases_sweep(int stride, bool done, faulty_where where);

/* The same of a sweep of one training at a time, of which each file in turn cannot be replaced, once: also where it
 * could have gone on with the next training. */
void fault_cases_sweep_one_by_one(void);
