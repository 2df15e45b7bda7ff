#include "tests/check_suite.h"
#include "tests/layers/accumulate_checks.h"

SUITE("a batch in parts", accumulate_add_tests)
