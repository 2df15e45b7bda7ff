/* The bytes as an .npz archive. Of one that is taken every array is found by its name and has all its bytes. */
#include "core/files/npz.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/input_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    input_file_set(data, size);
    hl_npz npz;
    if (hl_npz_read("fuzz.npz", 1 << 20, &npz).code != HL_OK) {
        fuzz_require(npz.n == 0 && npz.arrays == NULL);
        return 0;
    }
    for (int i = 0; i < npz.n; i++) {
        const hl_npz_array *array = &npz.arrays[i];
        fuzz_require(hl_npz_find(&npz, array->name) == array);
        const volatile unsigned char *bytes = array->data;
        size_t n = (size_t)hl_shape_count(array->shape) * hl_npy_size(array->type);
        for (size_t at = 0; at < n; at++) {
            (void)bytes[at];
        }
    }
    hl_npz_free(&npz);
    return 0;
}
