/* The bytes as a safetensors file. Of one that is taken every tensor can be found and copied. */
#include "core/memory.h"
#include "core/safetensors.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/input_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    input_file_set(data, size);
    hl_safetensors *file;
    if (hl_safetensors_read("fuzz.safetensors", 1 << 20, &file).code != HL_OK) {
        return 0;
    }
    for (int i = 0; i < hl_safetensors_count(file); i++) {
        fuzz_require(hl_safetensors_find(file, hl_safetensors_name(file, i)) == i);
        hl_real *numbers = hl_calloc((size_t)hl_shape_count(hl_safetensors_shape(file, i)), sizeof *numbers);
        fuzz_require(numbers != NULL);
        hl_safetensors_copy(file, i, numbers);
        hl_free(numbers);
    }
    hl_safetensors_metadata(file, "config");
    hl_safetensors_free(file);
    return 0;
}
