/* A batch worked in parts, in either precision. */
#ifndef HL_TESTS_LAYERS_ACCUMULATE_CHECKS_H
#define HL_TESTS_LAYERS_ACCUMULATE_CHECKS_H

#include <check.h>

void accumulate_add_tests(TCase *tc);

#endif
