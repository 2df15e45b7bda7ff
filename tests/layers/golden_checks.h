/* Modules against PyTorch, in either precision. */
#ifndef HL_TESTS_LAYERS_GOLDEN_CHECKS_H
#define HL_TESTS_LAYERS_GOLDEN_CHECKS_H

#include <check.h>

/* Every number within 1e-11 (double) or 2e-5 (float) of the largest of its kind. */
void golden_add_tests(TCase *tc);

#endif
