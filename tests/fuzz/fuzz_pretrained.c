/* A folder of an open model in which one file is made of the input: its first byte tells which, the rest is the file.
 * What opens, a model of its config is filled with: it is no larger than the weights on the disk. */
#include "pretrained/pretrained.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/input_file.h"

#include <stdio.h>

static const struct {
    const char *folder, *file;
} places[] = {
    { "bert_masked", "/config.json" },         { "gpt2_next", "/config.json" },
    { "roberta_classes", "/config.json" },     { "electra_generator", "/model.safetensors.index.json" },
    { "bert_bare", "/modules.json" },          { "bert_bare", "/1_Pooling/config.json" },
    { "bert_bare", "/tokenizer_config.json" }, { "distilbert_masked", "/vocab.txt" },
};
enum { PLACES = sizeof places / sizeof places[0] };

static void fill(hl_pretrained *folder)
{
    hl_model model;
    hl_pretrained_loaded loaded = { 0 };
    fuzz_require(hl_model_init(&model, hl_pretrained_model(folder)).code == HL_OK);
    fuzz_require(hl_model_reserve(&model, HL_MODEL_EVALUATED).code == HL_OK);
    hl_status status = hl_pretrained_load(folder, &model, &loaded);
    fuzz_require(status.code == HL_OK || status.code == HL_BAD_FILE);
    fuzz_require(status.code != HL_OK || loaded.n_loaded + loaded.n_drawn == model.parameters.n);
    hl_pretrained_loaded_free(&loaded);
    hl_model_free(&model);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t which = size > 0 ? (size_t)(data[0] - 'a') : PLACES;
    if (which >= PLACES) {
        return 0;
    }
    char path[4096];
    hl_pretrained *folder;
    snprintf(path, sizeof path, "%s/%s", HL_TINY, places[which].folder);
    input_file_set_one(places[which].file, data + 1, size - 1);
    hl_status status = hl_pretrained_open(path, &folder);
    fuzz_require((status.code == HL_OK) == (folder != NULL));
    fuzz_require(status.code == HL_OK || status.code == HL_BAD_FILE);
    if (folder != NULL) {
        fill(folder);
    }
    hl_pretrained_close(folder);
    return 0;
}
