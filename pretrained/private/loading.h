/* Which tensor of a folder goes into which parameter of a model. */
#pragma once

#include "pretrained/private/folder.h"

/* A tensor of one of the files. */
typedef struct hl_folder_tensor {
    int file, i;
} hl_folder_tensor;

/* What is done with every tensor and every parameter. Places of a model that is not allocated stay empty. */
typedef struct hl_loading {
    hl_pretrained *folder;
    hl_model *model;
    hl_safetensors_place **places; /* of each file, one for each of its tensors */
    bool *used;                    /* of each parameter, whether a tensor goes there */
    hl_folder_tensor *from;        /* of each parameter, the tensor that does; of thirds the last one */
    int64_t rows_cut;              /* positions beyond the longest that the model takes */
} hl_loading;

/* Allocates the arrays for l->folder and l->model. HL_NO_MEMORY. Whatever this returns: hl_loading_free. */
hl_status hl_loading_allocate(hl_loading *l);
void hl_loading_free(hl_loading *l);

/* Finds a place for every tensor that the model has. HL_BAD_FILE: one is missing or has another shape; HL_INVALID: the
 * model has what the folder's kind has not. */
hl_status hl_loading_place(hl_loading *l);

/* Whether tensor i of file f has no place, and can be read. */
bool hl_loading_is_unused(const hl_loading *l, int f, int i);
