#include "core/base/memory.h"
#include "pretrained/private/folder.h"

bool hl_pretrained_is_folder(const char *path)
{
    bool has_json, has_ini;
    return hl_pretrained_has(path, "config.json", &has_json).code == HL_OK && has_json &&
           hl_pretrained_has(path, "config.ini", &has_ini).code == HL_OK && !has_ini;
}

static hl_status read_parts(hl_pretrained *folder, const char *path)
{
    folder->path = hl_strdup(path);
    HL_NEED(folder->path != NULL, path);
    HL_TRY(hl_pretrained_read_config(folder));
    HL_TRY(hl_pretrained_read_tokens(folder));
    HL_TRY(hl_pretrained_read_sentence(folder));
    HL_TRY(hl_pretrained_open_weights(folder));
    return hl_pretrained_check_weights(folder);
}

hl_status hl_pretrained_open(const char *path, hl_pretrained **out)
{
    *out = NULL;
    hl_pretrained *folder = hl_calloc(1, sizeof *folder);
    HL_NEED(folder != NULL, path);
    hl_status status = read_parts(folder, path);
    if (status.code != HL_OK) {
        hl_pretrained_close(folder);
        return status;
    }
    *out = folder;
    return status;
}

void hl_pretrained_close(hl_pretrained *folder)
{
    if (folder == NULL) {
        return;
    }
    for (int64_t i = 0; i < folder->n_labels; i++) {
        hl_free(folder->labels[i]);
    }
    for (int i = 0; i < folder->n_files; i++) {
        hl_safetensors_free(folder->files[i].tensors);
        hl_free(folder->files[i].name);
    }
    hl_free(folder->labels);
    hl_tokens_free(folder->tokens);
    hl_text_free(&folder->notices);
    hl_free(folder->path);
    hl_free(folder);
}

const char *hl_pretrained_kind(const hl_pretrained *folder)
{
    return folder->kind->name;
}

const hl_model_config *hl_pretrained_model(const hl_pretrained *folder)
{
    return &folder->model;
}

const hl_model_config *hl_pretrained_model_with(const hl_pretrained *folder, hl_pretrained_head head)
{
    return &folder->heads[head];
}

hl_pretrained_head hl_pretrained_stored_head(const hl_pretrained *folder)
{
    return folder->head;
}

const hl_tokens *hl_pretrained_tokens(const hl_pretrained *folder)
{
    return folder->tokens;
}

hl_pretrained_problem hl_pretrained_stored_problem(const hl_pretrained *folder)
{
    return folder->problem;
}

void hl_pretrained_take_classifier(hl_pretrained *folder)
{
    if (folder->problem != HL_PROBLEM_CHOICE) {
        folder->head = HL_PRETRAINED_CLASSES;
        folder->model = folder->heads[HL_PRETRAINED_CLASSES];
    }
}

void hl_pretrained_drop_head(hl_pretrained *folder)
{
    folder->head = HL_PRETRAINED_NONE;
    folder->model = folder->heads[HL_PRETRAINED_NONE];
}

hl_tokens *hl_pretrained_take_tokens(hl_pretrained *folder)
{
    hl_tokens *tokens = folder->tokens;
    folder->tokens = NULL;
    return tokens;
}

const hl_text *hl_pretrained_notices(const hl_pretrained *folder)
{
    return &folder->notices;
}

int64_t hl_pretrained_labels(const hl_pretrained *folder, const char *const **labels)
{
    bool has = folder->head == HL_PRETRAINED_TAGS || folder->head == HL_PRETRAINED_CLASSES;
    *labels = (const char *const *)folder->labels;
    return has ? folder->n_labels : 0;
}

hl_pretrained_sentence hl_pretrained_sentence_of(const hl_pretrained *folder)
{
    return folder->sentence;
}
