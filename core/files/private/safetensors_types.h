/* The types of numbers in a safetensors file. For the reader and its parser alone. */
#pragma once

#include "core/base/real.h"

#include <stddef.h>

typedef struct hl_safetensors_type {
    const char *name;                    /* such as "F32" */
    size_t bits;                         /* per number */
    hl_real (*number)(const void *from); /* reads the number at any address; NULL for a type that is only skipped */
} hl_safetensors_type;

/* The type with that name, or NULL if the format has none. */
const hl_safetensors_type *hl_safetensors_type_find(const char *name);
