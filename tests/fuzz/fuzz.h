/* What every fuzzer is: libFuzzer calls this with one input after another. Whatever the bytes are, the library must
 * refuse them or take them; an abort, a fault of the sanitizers or a leak is a finding. */
#ifndef HL_TESTS_FUZZ_FUZZ_H
#define HL_TESTS_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What must hold for every input. */
static inline void fuzz_require(int condition)
{
    if (!condition) {
        abort();
    }
}

#endif
