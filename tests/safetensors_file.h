/* What tests do with a safetensors file: look at a whole one that was verified, and at its tensors one by one. */
#pragma once

#include "core/base/memory.h"
#include "core/files/safetensors.h"
#include "tests/scratch.h"

#include <check.h>
#include <string.h>

/* Opens and verifies. As hl_safetensors_open; a file that is damaged is not left open. */
static inline hl_status safetensors_file_open(const char *path, hl_safetensors **file)
{
    HL_TRY(hl_safetensors_open(path, file));
    hl_status status = hl_safetensors_read(*file, NULL);
    if (status.code != HL_OK) {
        hl_safetensors_free(*file);
        *file = NULL;
    }
    return status;
}

/* The numbers of tensor i, to `data`. */
static inline void safetensors_file_copy(hl_safetensors *file, int i, hl_real *data)
{
    hl_safetensors_place *places = hl_calloc((size_t)hl_safetensors_count(file), sizeof *places);
    ck_assert_ptr_nonnull(places);
    places[i].data = data;
    hl_status status = hl_safetensors_read(file, places);
    ck_assert_msg(status.code == HL_OK, "%s", status.text);
    hl_free(places);
}

/* A file as another program might write it: this header, and `payload` bytes that are the numbers 1, 2, 3, ... */
static inline void safetensors_file_foreign(const char *path, const char *header, size_t payload)
{
    char bytes[1024];
    uint64_t length = strlen(header);
    ck_assert_uint_le(8 + length + payload, sizeof bytes);
    memcpy(bytes, &length, 8);
    memcpy(bytes + 8, header, length);
    for (size_t k = 0; 4 * k < payload; k++) {
        float number = (float)(k + 1);
        memcpy(bytes + 8 + length + 4 * k, &number, payload - 4 * k < 4 ? payload - 4 * k : 4);
    }
    scratch_write(path, bytes, 8 + length + payload);
}
