/* An opened folder, for the files that read its parts. */
#pragma once

#include "core/files/json.h"
#include "core/files/safetensors.h"
#include "pretrained/classifier.h"
#include "pretrained/private/kinds.h"

#include <stdbool.h>
#include <stdint.h>

enum { HL_PRETRAINED_JSON_BYTES = 16 << 20, HL_PRETRAINED_MAX_FILES = 256, HL_PRETRAINED_MAX_LABELS = 1 << 16 };

/* A file of weights; owned by the folder. */
typedef struct hl_folder_file {
    char *name;
    hl_safetensors *tensors;
    int first; /* the number of its first tensor, counted through all files */
} hl_folder_file;

struct hl_pretrained {
    char *path;
    const json_t *config; /* the root of config.json, only while it is read */
    const hl_model_kind *kind;
    hl_model_config model;                      /* with the stored head */
    hl_model_config heads[HL_PRETRAINED_HEADS]; /* with each that there may be */
    hl_pretrained_head head;
    hl_pretrained_problem problem;
    bool inverse_scale; /* scores of layer l are divided by l + 1: loaded queries are */
    char **labels;      /* owned, as they are */
    int64_t n_labels;
    hl_tokens *tokens;
    hl_text notices;
    hl_pretrained_sentence sentence;
    hl_folder_file files[HL_PRETRAINED_MAX_FILES]; /* the weights: one file, or the shards */
    int n_files, n_tensors;
};

/* Whether "<path>/<name>" exists. HL_BAD_FILE, HL_NO_MEMORY. */
hl_status hl_pretrained_has(const char *path, const char *name, bool *has);

/* Reads "<path>/<name>", whole numbers as reals. *root is NULL if there is no such file. HL_BAD_FILE, HL_NO_MEMORY;
 * json_decref. */
hl_status hl_pretrained_read_json(const char *path, const char *name, json_t **root);

/* Writes the text as "<path>/<name>", and frees it. HL_BAD_FILE, HL_NO_MEMORY. */
hl_status hl_pretrained_write_text(const char *path, const char *name, hl_text *text);

/* "<folder>/<name>: <what>", formatted as by printf. */
hl_status hl_pretrained_error(const hl_pretrained *folder, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Each reads one part: kind, model, head and labels out of config.json; tokens, for which these must be known; the
 * headers of the weights' files; what sentence-transformers' files say. HL_BAD_FILE, HL_NO_MEMORY. */
hl_status hl_pretrained_read_config(hl_pretrained *folder);
hl_status hl_pretrained_read_tokens(hl_pretrained *folder);
hl_status hl_pretrained_open_weights(hl_pretrained *folder);
hl_status hl_pretrained_read_sentence(hl_pretrained *folder);

/* Writes files that say it to sentence-transformers, of that model, in which no sentence is longer than it reads; the
 * pooling is known. HL_BAD_FILE, HL_NO_MEMORY. */
hl_status hl_pretrained_write_sentence(const hl_pretrained_sentence *sentence, const hl_model_config *model,
                                       const char *folder);

/* Whether the weights have the names and shapes of the folder's own model: before anything as large as config.json says
 * is allocated. HL_BAD_FILE, HL_NO_MEMORY. */
hl_status hl_pretrained_check_weights(hl_pretrained *folder);

/* Whether a name from a file is one of a file in the folder itself. */
bool hl_pretrained_is_file_name(const char *name);
