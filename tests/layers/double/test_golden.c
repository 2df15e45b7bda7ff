#include "tests/check_suite.h"
#include "tests/layers/golden_checks.h"

SUITE("layers against PyTorch", golden_add_tests)
