/* The files of the weights: model.safetensors, or the shards that model.safetensors.index.json names. */
#include "core/base/memory.h"
#include "core/files/folders.h"
#include "pretrained/private/folder.h"

#include <string.h>

static const char single[] = "model.safetensors", index_name[] = "model.safetensors.index.json";

static hl_status open_file(hl_pretrained *folder, const char *name)
{
    hl_folder_file *file = &folder->files[folder->n_files++];
    *file = (hl_folder_file){ .name = hl_strdup(name), .first = folder->n_tensors };
    char *path = hl_path_join(folder->path, "%s", name);
    hl_status status =
        file->name != NULL && path != NULL ? hl_safetensors_open(path, &file->tensors) : hl_error_memory(name);
    hl_free(path);
    HL_TRY(status);
    folder->n_tensors += hl_safetensors_count(file->tensors);
    return hl_ok();
}

/* The shard of that name, opened where it is not yet. */
static hl_status open_shard(hl_pretrained *folder, const char *name, const hl_safetensors **shard)
{
    int i = 0;
    while (i < folder->n_files && strcmp(folder->files[i].name, name) != 0) {
        i++;
    }
    *shard = NULL;
    if (i == HL_PRETRAINED_MAX_FILES) {
        return hl_pretrained_error(folder, index_name, "names more than %d files", (int)HL_PRETRAINED_MAX_FILES);
    }
    if (i == folder->n_files) {
        HL_TRY(open_file(folder, name));
    }
    *shard = folder->files[i].tensors;
    return hl_ok();
}

/* Every tensor of every shard stands in the map, with that shard, and nothing else does. */
static hl_status open_shards(hl_pretrained *folder, json_t *map)
{
    const char *tensor;
    json_t *value;
    json_object_foreach(map, tensor, value)
    {
        const char *name = json_string_value(value);
        const hl_safetensors *shard;
        if (name == NULL || !hl_pretrained_is_file_name(name)) {
            return hl_pretrained_error(folder, index_name,
                                       "tensor \"%s\" lies in \"%s\", which is no file of the folder", tensor,
                                       name != NULL ? name : "");
        }
        HL_TRY(open_shard(folder, name, &shard));
        if (hl_safetensors_find(shard, tensor) < 0) {
            return hl_pretrained_error(folder, name, "has no tensor \"%s\", which %s says to be there", tensor,
                                       index_name);
        }
    }
    size_t n = (size_t)folder->n_tensors;
    return n == json_object_size(map)
               ? hl_ok()
               : hl_pretrained_error(folder, index_name, "names %zu tensors, and its files hold %zu",
                                     json_object_size(map), n);
}

static hl_status read_index(hl_pretrained *folder)
{
    json_t *root;
    HL_TRY(hl_pretrained_read_json(folder->path, index_name, &root));
    if (root == NULL) {
        return hl_pretrained_error(folder, single,
                                   "is missing, and so is %s; weights in other files, as pytorch_model.bin, are saved "
                                   "anew by transformers' save_pretrained",
                                   index_name);
    }
    json_t *map = json_object_get(root, "weight_map");
    hl_status status = json_object_size(map) > 0 ? open_shards(folder, map)
                                                 : hl_pretrained_error(folder, index_name, "has no weight_map");
    json_decref(root);
    return status;
}

hl_status hl_pretrained_open_weights(hl_pretrained *folder)
{
    bool exists;
    HL_TRY(hl_pretrained_has(folder->path, single, &exists));
    return exists ? open_file(folder, single) : read_index(folder);
}
