/* Names of modules and parameters in PyTorch's spelling, such as "encoder.layers.0.self_attn". */
#pragma once

#include "core/base/declarations.h"

HL_BEGIN_DECLS

enum { HL_NAME_TEXT = 96 };

typedef struct hl_name {
    char text[HL_NAME_TEXT];
} hl_name;

/* A name formatted as by printf, cut at HL_NAME_TEXT - 1 bytes. Cannot fail. */
hl_name hl_name_of(const char *format, ...) __attribute__((format(printf, 1, 2)));

HL_END_DECLS
