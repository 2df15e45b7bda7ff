#include "study/output.h"

#include "core/base/memory.h"
#include "core/files/files.h"
#include "core/files/folders.h"

#include <stddef.h>
#include <string.h>

bool hl_output_is_standard(const char *path)
{
    return path != NULL && strcmp(path, "-") == 0;
}

hl_status hl_output_put(const char *path, hl_text *text, FILE *out)
{
    hl_status status = hl_text_status(text);
    if (status.code == HL_OK && hl_output_is_standard(path)) {
        fwrite(text->bytes, 1, text->size, out); /* hl_standard_output_end reports failures */
    } else if (status.code == HL_OK) {
        status = hl_file_replace(path, text->bytes, text->size, HL_VOLATILE);
    }
    hl_text_free(text);
    return status;
}

static hl_status drain_to_file(void *file, const char *bytes, size_t size)
{
    hl_file_write(file, bytes, size);
    return ((const hl_file *)file)->error;
}

static hl_status drain_to_stream(void *out, const char *bytes, size_t size)
{
    fwrite(bytes, 1, size, out); /* hl_standard_output_end reports failures */
    return hl_ok();
}

static hl_status make_all(hl_text *text, hl_output_maker *make, void *context)
{
    hl_status status = make(context, text);
    hl_text_flush(text);
    HL_THEN(status, hl_text_status(text));
    hl_text_free(text);
    return status;
}

/* Fills the file and commits it, or abandons it on failure; also of a file that could not be created. */
static hl_status fill(hl_file *file, hl_output_maker *make, void *context)
{
    hl_text text = { .drain = drain_to_file, .context = file };
    hl_status status = file->error.code == HL_OK ? make_all(&text, make, context) : file->error;
    if (status.code != HL_OK) {
        hl_file_abandon(file);
        return status;
    }
    return hl_file_commit(file, HL_VOLATILE);
}

hl_status hl_output_write(const char *path, FILE *out, hl_output_maker *make, void *context)
{
    if (hl_output_is_standard(path)) {
        return make_all(&(hl_text){ .drain = drain_to_stream, .context = out }, make, context);
    }
    hl_file file;
    hl_file_create(&file, path);
    return fill(&file, make, context);
}

hl_status hl_output_write_in_turn(const char *folder, const char *name, hl_output_maker *make, void *context)
{
    char *path = hl_path_join(folder, "%s", name);
    HL_NEED(path != NULL, folder);
    hl_file file;
    hl_file_create_locked(&file, path);
    hl_free(path);
    return fill(&file, make, context);
}
