/* What tests do with a safetensors file: look at a whole one that was verified, and at its tensors one by one. */
#pragma once

#include "core/base/memory.h"
#include "core/files/files.h"
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

static inline void safetensors_file_release(void *file)
{
    hl_safetensors_free(file);
}

/* The same for a file that must be whole; it is closed when the test ends. */
static inline hl_safetensors *safetensors_file_whole(const char *path)
{
    hl_safetensors *file;
    hl_status status = safetensors_file_open(path, &file);
    ck_assert_msg(status.code == HL_OK, "%s", status.text);
    return scratch_own(file, safetensors_file_release);
}

/* Writes a file of ours. */
static inline hl_status safetensors_file_write(const char *path, const hl_named_tensor *tensors, int n_tensors,
                                               const hl_metadata_item *items, int n_items)
{
    hl_file file;
    hl_file_create(&file, path);
    hl_safetensors_write(&file, tensors, n_tensors, items, n_items);
    return hl_file_commit(&file, HL_VOLATILE);
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

/* A file as another program might write it: this header, and so many bytes of numbers. */
static inline void safetensors_file_foreign(const char *path, const char *header, const void *payload, size_t size)
{
    uint64_t length = strlen(header);
    char *bytes = hl_malloc(8 + length + size);
    ck_assert_ptr_nonnull(bytes);
    memcpy(bytes, &length, 8);
    memcpy(bytes + 8, header, length);
    if (size > 0) {
        memcpy(bytes + 8 + length, payload, size);
    }
    scratch_write(path, bytes, 8 + length + size);
    hl_free(bytes);
}
