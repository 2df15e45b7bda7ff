/* The trainings of tests/golden/accuracy_golden.h, in the precision it is compiled for: hl_real is not mentioned here,
 * so that a float program can call both the float version and the double one. */
#pragma once

#include <stdbool.h>

enum { ACCURACY_NUMBERS = 256, ACCURACY_UPDATES = 100 };

/* All numbers after each update of accuracy_alone[index]. False where the memory failed. */
bool accuracy_alone_run(int index, double values[ACCURACY_UPDATES][ACCURACY_NUMBERS]);
bool double_accuracy_alone_run(int index, double values[ACCURACY_UPDATES][ACCURACY_NUMBERS]);

/* The losses of accuracy_trainings[index] for seed 1, 2, ... False where an op or the memory failed. */
bool accuracy_training_run(int index, int seed, double losses[ACCURACY_UPDATES]);
bool double_accuracy_training_run(int index, int seed, double losses[ACCURACY_UPDATES]);
