/* What every fuzzer is: libFuzzer calls this with one input after another. Whatever the bytes are, the library must
 * refuse them or take them; an abort, a fault of the sanitizers or a leak is a finding. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What must hold for every input. A macro, so that clang-tidy sees what holds after it. */
#define fuzz_require(condition) ((condition) ? (void)0 : abort())
