#include "heads/private/snapshot_array.h"

#include <stdarg.h>
#include <stdio.h>

hl_status hl_snapshot_wrong(const char *path, const char *name, const char *format, ...)
{
    char text[128];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return hl_error(HL_BAD_FILE, "%s: %s: %s", path, name, text);
}

hl_status hl_snapshot_array(const hl_npz *npz, const char *path, const char *name, hl_npy_type type, hl_shape shape,
                            void **data)
{
    const hl_npz_array *array = hl_npz_find(npz, name);
    if (array == NULL) {
        return hl_snapshot_wrong(path, name, "is missing");
    }
    if (array->type != type) {
        return hl_snapshot_wrong(path, name, "is of another type");
    }
    if (!hl_shape_equal(array->shape, shape)) {
        char found[HL_SHAPE_TEXT], wanted[HL_SHAPE_TEXT];
        return hl_snapshot_wrong(path, name, "is %s, not %s", hl_shape_text(array->shape, found),
                                 hl_shape_text(shape, wanted));
    }
    *data = array->data;
    return hl_ok();
}
