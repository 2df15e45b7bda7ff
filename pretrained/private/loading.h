/* Which tensor of a folder goes into which parameter of a model. */
#pragma once

#include "pretrained/private/folder.h"

/* What is done with every tensor and every parameter. Places of a model that is not allocated stay empty. */
typedef struct hl_loading {
    hl_pretrained *folder;
    hl_model *model;
    hl_safetensors_place *places; /* of each tensor, counted through all files */
    int *from; /* of each parameter, the number of the tensor that goes there, of thirds the last one; -1: none */
    int64_t rows_cut; /* positions beyond the longest that the model takes */
} hl_loading;

/* Allocates the arrays for l->folder and l->model. HL_NO_MEMORY. Whatever this returns: hl_loading_free. */
hl_status hl_loading_allocate(hl_loading *l);
void hl_loading_free(hl_loading *l);

/* Finds a place for every tensor that the model has. HL_BAD_FILE: one is missing or has another shape; HL_INVALID: the
 * model has what the folder's kind has not. */
hl_status hl_loading_place(hl_loading *l);

/* Whether tensor i of the file has no place, and can be read. */
bool hl_loading_is_unused(const hl_loading *l, const hl_folder_file *file, int i);
