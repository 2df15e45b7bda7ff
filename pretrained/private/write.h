/* The parts of a folder that is written. */
#pragma once

#include "core/files/json.h"
#include "core/files/safetensors.h"
#include "pretrained/private/kinds.h"
#include "pretrained/write.h"

#include <stdbool.h>

/* Tensors of a folder that a model does not use: the names are the folder's, the numbers owned. A zeroed one is
 * empty. */
typedef struct hl_unused_tensors {
    hl_named_tensor *list;
    int n;
} hl_unused_tensors;

/* Reads those that hl_pretrained_load would leave out. HL_BAD_FILE, HL_NO_MEMORY; to be ended by
 * hl_unused_tensors_free, whatever this returns. */
hl_status hl_pretrained_read_unused(hl_pretrained *folder, hl_model *model, hl_unused_tensors *unused);
void hl_unused_tensors_free(hl_unused_tensors *unused);

/* What a folder is made of. */
typedef struct hl_pretrained_writing {
    const hl_pretrained_parts *parts;
    const char *path;
    const hl_model_kind *kind;
    hl_model *model;     /* the parts', or `whole` */
    hl_model whole;      /* where heads were pruned: the same with all of them */
    json_t *config;      /* the source's config.json, or empty */
    char class_name[64]; /* in `architectures` */
    hl_unused_tensors kept;
} hl_pretrained_writing;

/* The kind whose models have the shape, set in w->kind. HL_INVALID. */
hl_status hl_pretrained_find_kind(hl_pretrained_writing *w);

/* w->model, with all heads. HL_NO_MEMORY. */
hl_status hl_pretrained_whole_model(hl_pretrained_writing *w);

/* config.json, out of w->config, which is NULL from then on. Adds to a text: HL_NO_MEMORY is left on it. */
void hl_pretrained_print_config(hl_pretrained_writing *w, hl_text *text);

/* model.safetensors. HL_BAD_FILE, HL_NO_MEMORY. */
hl_status hl_pretrained_write_weights(const hl_pretrained_writing *w, hl_pretrained_written *written);
