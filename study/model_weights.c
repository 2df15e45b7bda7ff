/* The weights of an opened model: of a run's files, or of an open model's folder. */
#include "core/base/memory.h"
#include "core/files/files.h"
#include "core/files/folders.h"
#include "study/model_examples.h"
#include "train/checkpoint.h"
#include "train/holds.h"

#include <inttypes.h>
#include <string.h>

enum { WEIGHTS_FILES = 3 };

/* The files that may hold weights, the best ones first. False when out of memory; to be freed all the same. */
static bool weights_files(const char *folder, int64_t step, char *files[WEIGHTS_FILES])
{
    files[0] = hl_path_join(folder, "checkpoint.safetensors");
    files[1] = hl_path_join(folder, "checkpoint-%" PRId64 ".safetensors", step);
    files[2] = hl_path_join(folder, "model.safetensors");
    return files[0] != NULL && files[1] != NULL && files[2] != NULL;
}

static void free_files(char *files[WEIGHTS_FILES])
{
    for (int i = 0; i < WEIGHTS_FILES; i++) {
        hl_free(files[i]);
    }
}

bool hl_opened_model_is_null(const hl_opened_model *run, int64_t step)
{
    return run->file != NULL && run->n_steps > 1 && step == run->steps[0];
}

hl_status hl_model_source_has_weights(const hl_model_source *source, bool *has)
{
    *has = source->open != NULL;
    char *files[WEIGHTS_FILES];
    hl_status status = weights_files(source->path, 0, files) ? hl_ok() : hl_error_memory(source->path);
    for (int i = 0; i < WEIGHTS_FILES && status.code == HL_OK && !*has; i++) {
        status = hl_file_exists(files[i], has);
    }
    free_files(files);
    return status;
}

/* Weights that were trained with another config than config.ini would be shown on examples of another task. */
static hl_status check_config(const hl_config *own, const char *weights, const char *text)
{
    hl_config *theirs = hl_malloc(sizeof *theirs);
    HL_NEED(theirs != NULL, weights);
    hl_problems problems = { 0 };
    hl_status status = hl_config_parse((hl_config_options){ .path = weights }, text, strlen(text), theirs, &problems);
    hl_problems_free(&problems);
    const char *key = status.code == HL_OK ? hl_config_difference(theirs, own) : NULL;
    hl_free(theirs);
    if (status.code == HL_INVALID) {
        return hl_error(HL_BAD_FILE, "%s: its config cannot be read: %s", weights, status.text);
    }
    HL_TRY(status);
    return key == NULL ? hl_ok()
                       : hl_error(HL_BAD_FILE,
                                  "%s: was trained with another %s than config.ini beside it says; restore config.ini",
                                  weights, key);
}

static hl_status open_if_there(const char *path, hl_checkpoint **weights)
{
    *weights = NULL;
    bool exists;
    HL_TRY(hl_file_exists(path, &exists));
    return exists ? hl_checkpoint_open(path, weights) : hl_ok();
}

/* Opens the first file that holds weights of that step (any where that is below 0), else the first that is there;
 * *weights is NULL if there is none. */
static hl_status open_weights(char *files[WEIGHTS_FILES], int64_t step, const char **path, hl_checkpoint **weights)
{
    *weights = NULL;
    for (int i = 0; i < WEIGHTS_FILES; i++) {
        hl_checkpoint *its;
        hl_status status = open_if_there(files[i], &its);
        bool found = its != NULL && (step < 0 || its->step == step);
        if (status.code != HL_OK || found || *weights == NULL) {
            hl_checkpoint_free(*weights);
            *weights = its;
            *path = files[i];
        } else {
            hl_checkpoint_free(its);
        }
        if (status.code != HL_OK || found) {
            return status;
        }
    }
    return hl_ok();
}

/* Memory is allocated by config.ini, so the weights must have the shapes that it says. */
static hl_status read_weights(hl_opened_model *run, const char *path, bool last, hl_checkpoint *weights)
{
    const char *config = weights->config;
    HL_TRY(hl_checkpoint_judge(weights, config != NULL ? check_config(&run->source.config, path, config) : hl_ok()));
    HL_TRY(hl_checkpoint_fits(weights, &run->model.parameters));
    HL_TRY(hl_model_reserve(&run->model, HL_MODEL_EVALUATED));
    HL_TRY(hl_checkpoint_load(weights, &run->model.parameters));
    run->weights_step = weights->step;
    hl_holds_mute(&run->source.config, run->weights_step, &run->model);
    if (last && !run->knows_rows) {
        hl_train_state state;
        run->knows_rows = hl_checkpoint_state(weights, &state).code == HL_OK;
        run->rows = run->knows_rows ? state.metrics : run->rows;
    }
    return hl_ok();
}

/* A bias that the folder lacks is zero, but a matrix of its head is needed. */
static hl_status load_pretrained(hl_opened_model *run)
{
    HL_TRY(hl_model_reserve(&run->model, HL_MODEL_EVALUATED));
    hl_pretrained_loaded loaded = { 0 };
    hl_status status = hl_pretrained_load(run->source.open, &run->model, &loaded);
    if (status.code == HL_OK && loaded.n_drawn > 0 && strstr(loaded.drawn.bytes, "weight") != NULL) {
        status = hl_error(HL_BAD_FILE, "%s: its weights lack %s, which config.json says there are (architectures)",
                          run->source.path, loaded.drawn.bytes);
    }
    hl_pretrained_loaded_free(&loaded);
    return status;
}

static hl_status load_one_of(hl_opened_model *run, char *files[WEIGHTS_FILES], int64_t step)
{
    const char *path;
    hl_checkpoint *weights;
    HL_TRY(open_weights(files, step, &path, &weights));
    if (weights == NULL) {
        return hl_error(HL_BAD_FILE, "%s: no weights in it yet; the run writes model.safetensors at step 0",
                        run->source.path);
    }
    hl_status status = read_weights(run, path, path == files[0], weights);
    hl_checkpoint_free(weights);
    return status;
}

hl_status hl_opened_model_draw_null(const hl_model_source *source, hl_model *null)
{
    HL_TRY(hl_model_init(null, &source->shape));
    HL_TRY(hl_model_reserve(null, HL_MODEL_EVALUATED));
    hl_parameters_initialise_on(&null->parameters, (uint64_t)source->config.train.seed, source->threads);
    hl_holds_mute(&source->config, 0, null);
    return hl_ok();
}

static hl_status load_own(hl_opened_model *run, int64_t step)
{
    if (run->source.open != NULL) {
        return load_pretrained(run);
    }
    char *files[WEIGHTS_FILES];
    hl_status status = weights_files(run->source.path, step, files) ? load_one_of(run, files, step)
                                                                    : hl_error_memory(run->source.path);
    free_files(files);
    return status;
}

hl_status hl_opened_model_load(hl_opened_model *run, int64_t step)
{
    if (run->loaded && (step == run->asked_step || (step >= 0 && step == run->weights_step))) {
        return hl_ok();
    }
    hl_model_free(&run->model);
    run->loaded = false;
    run->weights_step = -1;
    run->asked_step = step;
    if (hl_opened_model_is_null(run, step)) {
        HL_TRY(hl_opened_model_draw_null(&run->source, &run->model));
        run->weights_step = 0;
    } else {
        HL_TRY(hl_model_init(&run->model, &run->source.shape));
        HL_TRY(load_own(run, run->file != NULL ? -1 : step));
        run->weights_step = run->file != NULL ? run->steps[run->n_steps - 1] : run->weights_step;
    }
    run->loaded = true;
    return hl_ok();
}
