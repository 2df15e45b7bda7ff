#include "programs/train/resume.h"

#include "core/base/memory.h"
#include "core/files/files.h"
#include "core/files/folders.h"
#include "train/checkpoint.h"
#include "train/setup_data.h"

#include <inttypes.h>
#include <string.h>

/* A resumed run must be the run that was begun: only keys that change no number already computed may differ. */
static hl_status check_same_config(const hl_config *config, const char *path, const char *stored, size_t size,
                                   const char *where)
{
    hl_config before;
    hl_problems problems = { 0 };
    hl_status status = hl_config_parse((hl_config_options){ .path = where }, stored, size, &before, &problems);
    hl_problems_free(&problems);
    if (status.code == HL_INVALID) {
        return hl_error(HL_BAD_FILE, "%s: its config cannot be read: %s", where, status.text);
    }
    HL_TRY(status);
    const char *key = hl_config_difference(&before, config);
    if (key != NULL) {
        return hl_error(HL_INVALID,
                        "%s: %s differs from the run's own in %s; a resumed run keeps it (or start again: --overwrite)",
                        path, key, where);
    }
    return hl_ok();
}

/* Whether the file holds the weights that the checkpoint knows as the best. */
static hl_status is_best(const hl_train_state *state, const char *path, bool *is)
{
    int64_t step;
    hl_status status = hl_checkpoint_read_step(path, &step);
    if (status.code == HL_BAD_FILE) {
        return hl_error(HL_BAD_FILE, "%s; without this file the run goes on, and writes it anew", status.text);
    }
    *is = state->has_best && step == state->best_step;
    return status;
}

hl_status hl_resume_take_best(const hl_run_folder *folder, bool kept)
{
    if (kept && hl_file_calls_get()->rename(folder->model_before, folder->model) != 0) {
        return hl_file_system_error(folder->model, "model-before.safetensors cannot be renamed to this");
    }
    return hl_file_remove(folder->model_before);
}

static hl_status restore(hl_loop *loop, hl_checkpoint *checkpoint, const char *path, bool *kept)
{
    const hl_run_folder *folder = loop->folder;
    const char *stored = checkpoint->config;
    hl_status same = hl_ok();
    if (stored != NULL) {
        same = check_same_config(loop->config, path, stored, strlen(stored), folder->checkpoint);
    }
    HL_TRY(hl_checkpoint_judge(checkpoint, same));
    HL_TRY(hl_checkpoint_restore(checkpoint, &loop->trainer->optimizer, &loop->state));
    loop->checkpoint_step = loop->trainer->optimizer.step;
    HL_TRY(hl_metrics_csv_check_until(folder->metrics, loop->state.metrics));
    /* Better ones, of a step that is dropped now, may have taken their name (train/loop.h). Where they are missing, the
     * next validation writes best weights anew. */
    bool is = false, before = false;
    HL_TRY(is_best(&loop->state, folder->model, &is));
    HL_TRY(is_best(&loop->state, folder->model_before, &before));
    *kept = before && !is;
    loop->state.has_best = before || is;
    return hl_ok();
}

/* Without a checkpoint the run, if there was one, ended before its first. Where only the newest checkpoint was removed,
 * the older ones must not be lost. */
static hl_status check_begins_anew(const hl_config *config, const hl_run_folder *folder, const char *path)
{
    int64_t kept;
    HL_TRY(hl_run_folder_newest_kept(folder, &kept));
    if (kept >= 0) {
        return hl_error(HL_BAD_FILE,
                        "%s: missing, but checkpoint-%" PRId64
                        ".safetensors is there; copy it to this name to go on from "
                        "it, or start again with --overwrite",
                        folder->checkpoint, kept);
    }
    bool begun;
    HL_TRY(hl_file_exists(folder->config, &begun));
    if (!begun) {
        return hl_ok();
    }
    char *stored;
    size_t size;
    HL_TRY(hl_file_read(folder->config, HL_CONFIG_MAX_BYTES, &stored, &size));
    hl_status status = check_same_config(config, path, stored, size, folder->config);
    hl_free(stored);
    return status;
}

hl_status hl_resume(hl_loop *loop, hl_config *config, hl_run_folder *folder, const char *path, bool *kept)
{
    bool exists;
    HL_TRY(hl_run_folder_make(folder)); /* from here on no other run may change what is read */
    HL_TRY(hl_file_exists(folder->checkpoint, &exists));
    if (!exists) {
        HL_TRY(check_begins_anew(config, folder, path));
        return hl_data_take_key(config, offsetof(hl_config, train.weights), folder->config);
    }
    hl_checkpoint *checkpoint;
    HL_TRY(hl_checkpoint_open(folder->checkpoint, &checkpoint));
    hl_status status = restore(loop, checkpoint, path, kept);
    hl_checkpoint_free(checkpoint);
    return status;
}

hl_status hl_resume_steps_left(const hl_config *config, const hl_run_folder *folder, int64_t *steps)
{
    *steps = config->train.steps;
    bool exists = false;
    HL_TRY(folder->mode == HL_RUN_RESUME ? hl_file_exists(folder->checkpoint, &exists) : hl_ok());
    if (!exists) {
        return hl_ok();
    }
    hl_checkpoint *checkpoint;
    hl_train_state state = { 0 };
    HL_TRY(hl_checkpoint_open(folder->checkpoint, &checkpoint));
    hl_status status = hl_checkpoint_judge(checkpoint, hl_checkpoint_state(checkpoint, &state));
    *steps = hl_loop_patience_lost(config, &state) ? 0 : *steps - checkpoint->step;
    hl_checkpoint_free(checkpoint);
    return status;
}
