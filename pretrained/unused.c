#include "core/base/memory.h"
#include "pretrained/private/loading.h"
#include "pretrained/private/write.h"

/* Adds those of one file, with their numbers. */
static hl_status read_unused(const hl_loading *l, const hl_folder_file *file, hl_unused_tensors *unused)
{
    hl_safetensors_place *places = l->places + file->first;
    for (int i = 0; i < hl_safetensors_count(file->tensors); i++) {
        bool is = hl_loading_is_unused(l, file, i);
        places[i] = (hl_safetensors_place){ 0 };
        if (is) {
            hl_shape shape = hl_safetensors_shape(file->tensors, i);
            hl_real *data = hl_calloc((size_t)hl_shape_count(shape), sizeof *data);
            unused->list[unused->n++] = (hl_named_tensor){ hl_safetensors_name(file->tensors, i), shape, data };
            places[i].data = data;
            HL_NEED(data != NULL, "tensors");
        }
    }
    return hl_safetensors_read(file->tensors, places);
}

hl_status hl_pretrained_read_unused(hl_pretrained *folder, hl_model *model, hl_unused_tensors *unused)
{
    hl_loading l = { .folder = folder, .model = model };
    hl_status status = hl_loading_allocate(&l);
    HL_THEN(status, hl_loading_place(&l));
    *unused = (hl_unused_tensors){ .list = hl_calloc((size_t)folder->n_tensors, sizeof *unused->list) };
    HL_THEN(status, unused->list != NULL ? hl_ok() : hl_error_memory("tensors"));
    for (int f = 0; f < folder->n_files; f++) {
        HL_THEN(status, read_unused(&l, &folder->files[f], unused));
    }
    hl_loading_free(&l);
    return status;
}

void hl_unused_tensors_free(hl_unused_tensors *unused)
{
    for (int i = 0; i < unused->n; i++) {
        hl_free((void *)unused->list[i].data);
    }
    hl_free(unused->list);
    *unused = (hl_unused_tensors){ 0 };
}
