/* What a table changes in a model's config: { CHANGE(norm, HL_NORM_PRE), CHANGE_REAL(dropout_ffn, 0.5) }. */
#pragma once

#include "layers/model_config.h"

#include <stddef.h>

typedef struct config_change {
    size_t offset, size; /* of the field; 0 bytes: no change */
    bool real;           /* a double; else a bool, an enum or an integer */
    double value;
} config_change;

#define CHANGE(field, value)                                                      \
    {                                                                             \
        offsetof(hl_model_config, field), CONFIG_CHANGE_SIZE(field), false, value \
    }
#define CHANGE_REAL(field, value)                                                \
    {                                                                            \
        offsetof(hl_model_config, field), CONFIG_CHANGE_SIZE(field), true, value \
    }
#define CONFIG_CHANGE_SIZE(field) sizeof((hl_model_config *)NULL)->field

static inline void config_change_make(hl_model_config *config, config_change change)
{
    char *field = (char *)config + change.offset;
    if (change.real) {
        *(double *)field = change.value;
    } else if (change.size == sizeof(bool)) {
        *(bool *)field = change.value != 0;
    } else if (change.size == sizeof(int32_t)) {
        *(int32_t *)field = (int32_t)change.value;
    } else if (change.size == sizeof(int64_t)) {
        *(int64_t *)field = (int64_t)change.value;
    }
}
