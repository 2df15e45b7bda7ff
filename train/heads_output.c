#include "train/heads_output.h"

#include "core/files.h"

#include <stddef.h>
#include <string.h>

bool hl_heads_is_standard_output(const char *path)
{
    return path != NULL && strcmp(path, "-") == 0;
}

hl_status hl_heads_put(const char *path, const hl_text *text, FILE *out)
{
    HL_TRY(hl_text_status(text));
    if (!hl_heads_is_standard_output(path)) {
        return hl_file_replace(path, text->bytes, text->size, HL_VOLATILE);
    }
    fwrite(text->bytes, 1, text->size, out); /* hl_standard_output_end tells at the end */
    return hl_ok();
}
