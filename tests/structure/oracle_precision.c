#include "tests/structure/oracle_precision.h"

#include "core/kernels/random.h"

size_t double_real_size(void)
{
    return sizeof(hl_real);
}

double double_uniform(uint64_t position)
{
    return hl_random_uniform((hl_random){ .seed = 1 }, position);
}
