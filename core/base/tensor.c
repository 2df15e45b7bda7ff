#include "core/base/tensor.h"

#include <inttypes.h>
#include <stdio.h>

static bool has_dims(hl_shape shape)
{
    return shape.n_dims >= 0 && shape.n_dims <= HL_MAX_DIMS;
}

int64_t hl_shape_count(hl_shape shape)
{
    int64_t count = has_dims(shape) ? 1 : -1;
    for (int i = 0; i < shape.n_dims && count >= 0; i++) {
        if (shape.size[i] < 0 || __builtin_mul_overflow(count, shape.size[i], &count)) {
            return -1;
        }
    }
    return count;
}

int64_t hl_shape_last(hl_shape shape)
{
    return shape.n_dims > 0 ? shape.size[shape.n_dims - 1] : 1;
}

int64_t hl_shape_rows(hl_shape shape)
{
    int64_t rows = 1;
    for (int i = 0; i + 1 < shape.n_dims; i++) {
        rows *= shape.size[i];
    }
    return rows;
}

bool hl_shape_equal(hl_shape a, hl_shape b)
{
    if (a.n_dims != b.n_dims || !has_dims(a)) {
        return false;
    }
    for (int i = 0; i < a.n_dims; i++) {
        if (a.size[i] != b.size[i]) {
            return false;
        }
    }
    return true;
}

const char *hl_shape_text(hl_shape shape, char text[HL_SHAPE_TEXT])
{
    if (!has_dims(shape)) {
        snprintf(text, HL_SHAPE_TEXT, "(%d dimensions, not 0 .. %d)", shape.n_dims, HL_MAX_DIMS);
        return text;
    }
    int at = snprintf(text, HL_SHAPE_TEXT, "(");
    for (int i = 0; i < shape.n_dims; i++) {
        at += snprintf(text + at, (size_t)(HL_SHAPE_TEXT - at), "%s%" PRId64, i > 0 ? ", " : "", shape.size[i]);
    }
    snprintf(text + at, (size_t)(HL_SHAPE_TEXT - at), ")");
    return text;
}
