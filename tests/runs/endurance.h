/* A training of very many updates takes no more memory at its end than at its beginning, and leaves the files that its
 * config asks for. Failures here end the test. */
#pragma once

#include <stdint.h>

typedef struct endurance {
    long kib_at_first, kib_at_last; /* resident: when a tenth of the updates is done, and when eight are */
} endurance;

/* `steps` updates of a model of some hundred weights; a multiple of 100. */
endurance endurance_of(int64_t steps);
