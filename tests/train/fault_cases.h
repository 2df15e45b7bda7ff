/* Training runs in which every file call and every allocation fails in turn. Failures here end the test. */
#ifndef HL_TESTS_TRAIN_FAULT_CASES_H
#define HL_TESTS_TRAIN_FAULT_CASES_H

#include <stdbool.h>

/* Twelve steps of a smallest model that validates, records, keeps checkpoints and reports, begun anew or resumed in the
 * middle. After each fault (every `stride`-th of the later ones) what faulty_run checks, and: whatever file stands is
 * whole, the very bytes that an undisturbed run has there; no checkpoint that stood is lost; and --resume ends with the
 * same bytes in every weight, moment, loss and pattern. */
void fault_cases_run(int stride, bool resumed, bool memory);

#endif
