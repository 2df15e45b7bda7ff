/* The bytes as a safetensors file. Of one whose header is taken every tensor can be found, and read to its place unless
 * the checksum is wrong; once more it is the same. */
#include "core/base/memory.h"
#include "core/files/safetensors.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/input_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    input_file_set(data, size);
    hl_safetensors *file;
    if (hl_safetensors_open("fuzz.safetensors", &file).code != HL_OK) {
        return 0;
    }
    int n = hl_safetensors_count(file);
    hl_safetensors_place *places = hl_calloc((size_t)n, sizeof *places);
    fuzz_require(places != NULL);
    for (int i = 0; i < n; i++) {
        fuzz_require(hl_safetensors_find(file, hl_safetensors_name(file, i)) == i);
        if (hl_safetensors_can_read(file, i)) {
            hl_shape shape = hl_safetensors_shape(file, i);
            places[i].transposed = shape.n_dims == 2;
            places[i].data = hl_calloc((size_t)hl_shape_count(shape), sizeof *places[i].data);
            fuzz_require(places[i].data != NULL);
        }
    }
    bool good = hl_safetensors_read(file, places).code == HL_OK;
    fuzz_require(good || hl_safetensors_has_checksum(file));
    for (int i = 0; i < n; i++) {
        places[i].compares = true;
    }
    fuzz_require((hl_safetensors_read(file, places).code == HL_OK) == good);
    for (int i = 0; i < n; i++) {
        fuzz_require(!places[i].differs);
        hl_free(places[i].data);
    }
    hl_free(places);
    hl_safetensors_metadata(file, "config");
    hl_safetensors_free(file);
    return 0;
}
