/* The tiny models of tests/pretrained/tiny, which make_tiny.py wrote, and what transformers computes with them. */
#pragma once

#include "core/files/safetensors.h"
#include "data/batch_storage.h"
#include "pretrained/pretrained.h"

/* The path of a model's folder; stands until the next call. */
const char *tiny_folder(const char *name);

/* Opens it, and ends the test where that fails. */
hl_pretrained *tiny_open(const char *name);

/* A model of that config with the folder's weights, evaluated; ends the test where that fails. */
void tiny_load(hl_pretrained *folder, const hl_model_config *config, hl_model *model, hl_pretrained_loaded *loaded);

/* Numbers of expected.safetensors. */
typedef struct tiny_numbers {
    hl_shape shape;
    hl_real *at; /* NULL: there are none of that name */
} tiny_numbers;

tiny_numbers tiny_expected(const char *model, const char *name);

/* The texts of expected.safetensors in the tokens of the folder: a batch of one example each. */
void tiny_encode(const hl_pretrained *folder, const char *model, hl_batch_storage *storage);

/* Copies the model's folder to scratch and replaces the first `old` in its file by `new`, where `old` is not NULL. The
 * path of the copy, as scratch_path's. */
const char *tiny_changed(const char *name, const char *file, const char *old, const char *new);

/* Asserts that the folder is refused with HL_BAD_FILE and a text that begins with "<path>/<file>:" and holds `reason`;
 * where it opens, that its weights are refused so. */
void tiny_refused(const char *path, const char *file, const char *reason);
