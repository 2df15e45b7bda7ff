#include "tests/pretrained/tiny.h"

#include "core/base/memory.h"
#include "core/base/text.h"
#include "tests/scratch.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATH = 4096, LENGTH = 60, TEXTS = 4 };

const char *tiny_folder(const char *name)
{
    static char path[PATH];
    snprintf(path, sizeof path, "%s/%s", HL_TINY, name);
    return path;
}

hl_pretrained *tiny_open(const char *name)
{
    hl_pretrained *folder;
    hl_status status = hl_pretrained_open(tiny_folder(name), &folder);
    ck_assert_msg(status.code == HL_OK, "%s", status.text);
    return folder;
}

void tiny_load(hl_pretrained *folder, const hl_model_config *config, hl_model *model, hl_pretrained_loaded *loaded)
{
    hl_status status = hl_model_init(model, config);
    HL_THEN(status, hl_model_reserve(model, HL_MODEL_EVALUATED));
    HL_THEN(status, hl_pretrained_load(folder, model, loaded));
    ck_assert_msg(status.code == HL_OK, "%s", status.text);
}

static hl_safetensors *open_expected(const char *model)
{
    char path[PATH];
    hl_safetensors *file;
    snprintf(path, sizeof path, "%s/%s/expected.safetensors", HL_TINY, model);
    hl_status status = hl_safetensors_open(path, &file);
    ck_assert_msg(status.code == HL_OK, "%s", status.text);
    return file;
}

tiny_numbers tiny_expected(const char *model, const char *name)
{
    hl_safetensors *file = open_expected(model);
    tiny_numbers numbers = { 0 };
    int i = hl_safetensors_find(file, name);
    if (i >= 0) {
        numbers.shape = hl_safetensors_shape(file, i);
        numbers.at = hl_calloc((size_t)hl_shape_count(numbers.shape), sizeof *numbers.at);
        hl_safetensors_place *places = hl_calloc((size_t)hl_safetensors_count(file), sizeof *places);
        places[i].data = numbers.at;
        ck_assert_int_eq(hl_safetensors_read(file, places).code, HL_OK);
        hl_free(places);
    }
    hl_safetensors_free(file);
    return numbers;
}

/* The text of a line, or the two that a tab separates, between the model's own tokens. */
static void encode_line(const hl_tokens *tokens, const char *line, size_t size, hl_pieces *pieces)
{
    const char *tab = memchr(line, '\t', size);
    size_t first = tab != NULL ? (size_t)(tab - line) : size;
    pieces->n = 0;
    hl_status status = hl_tokens_encode(tokens, line, first, true, pieces);
    size_t n_first = pieces->n;
    if (tab != NULL) {
        HL_THEN(status, hl_tokens_encode(tokens, tab + 1, size - first - 1, true, pieces));
    }
    HL_THEN(status, hl_tokens_wrap(tokens, n_first, pieces));
    ck_assert_msg(status.code == HL_OK, "%s", status.text);
    ck_assert_uint_le(pieces->n, LENGTH);
}

void tiny_encode(const hl_pretrained *folder, const char *model, hl_batch_storage *storage)
{
    hl_safetensors *file = open_expected(model);
    const char *line = hl_safetensors_metadata(file, "texts");
    bool has_types = hl_pretrained_model(folder)->token_types > 1;
    ck_assert_int_eq(hl_batch_storage_init(storage, TEXTS, TEXTS * LENGTH, LENGTH).code, HL_OK);
    if (has_types) {
        ck_assert_int_eq(hl_batch_storage_take_types(storage).code, HL_OK);
    }
    hl_pieces pieces = { 0 };
    while (line != NULL) {
        const char *end = strchr(line, '\n');
        encode_line(hl_pretrained_tokens(folder), line, end != NULL ? (size_t)(end - line) : strlen(line), &pieces);
        int32_t ids[LENGTH];
        int64_t row = storage->batch.n_rows;
        for (size_t i = 0; i < pieces.n; i++) {
            ids[i] = pieces.at[i].id;
        }
        ck_assert_int_eq(hl_batch_storage_add(storage, ids, NULL, (int64_t)pieces.n).code, HL_OK);
        for (size_t i = 0; has_types && i < pieces.n; i++) {
            storage->types[row + (int64_t)i] = pieces.at[i].type;
        }
        line = end != NULL ? end + 1 : NULL;
    }
    hl_pieces_free(&pieces);
    hl_safetensors_free(file);
}

const char *tiny_changed(const char *name, const char *file, const char *old, const char *new)
{
    const char *copy = scratch_path("model");
    if (scratch_exists(copy)) {
        scratch_remove(copy);
    }
    scratch_copy(tiny_folder(name), copy);
    if (old == NULL) {
        return copy;
    }
    char path[PATH];
    size_t size;
    snprintf(path, sizeof path, "%s/%s", copy, file);
    char *content = scratch_read(path, &size);
    ck_assert_msg(content != NULL, "%s is missing", path);
    char *at = content, *end = content + size - strlen(old); /* it may hold zero bytes */
    while (at < end && memcmp(at, old, strlen(old)) != 0) {
        at++;
    }
    ck_assert_msg(at < end, "%s does not hold: %s", path, old);
    hl_text text = { 0 };
    hl_text_add(&text, content, (size_t)(at - content));
    hl_text_print(&text, "%s", new);
    hl_text_add(&text, at + strlen(old), size - (size_t)(at - content) - strlen(old));
    scratch_write(path, text.bytes, text.size);
    hl_text_free(&text);
    free(content);
    return copy;
}

void tiny_refused(const char *path, const char *file, const char *reason)
{
    hl_pretrained *folder;
    hl_model model = { 0 };
    hl_pretrained_loaded loaded = { 0 };
    hl_status status = hl_pretrained_open(path, &folder);
    ck_assert_int_eq(status.code == HL_OK, folder != NULL);
    if (folder != NULL) {
        ck_assert_int_eq(hl_model_init(&model, hl_pretrained_model(folder)).code, HL_OK);
        ck_assert_int_eq(hl_model_reserve(&model, HL_MODEL_EVALUATED).code, HL_OK);
        status = hl_pretrained_load(folder, &model, &loaded);
    }
    hl_pretrained_loaded_free(&loaded);
    hl_model_free(&model);
    hl_pretrained_close(folder);
    char begin[PATH];
    snprintf(begin, sizeof begin, "%s/%s:", path, file);
    ck_assert_msg(status.code == HL_BAD_FILE, "accepted, where this was expected: %s", reason);
    ck_assert_msg(strncmp(status.text, begin, strlen(begin)) == 0, "%s", status.text);
    ck_assert_msg(strstr(status.text, reason) != NULL, "%s\nnot: %s", status.text, reason);
}
