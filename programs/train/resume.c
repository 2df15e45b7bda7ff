#include "programs/train/resume.h"

#include "core/files.h"
#include "core/memory.h"
#include "programs/train/first_weights.h"
#include "train/checkpoint.h"
#include "train/setup_data.h"

#include <inttypes.h>
#include <string.h>

/* A resumed run must be the run that was begun: only keys that change no number already computed may differ. */
static hl_status check_same_config(const hl_train_call *p, const char *stored, size_t size, const char *where)
{
    hl_config before;
    hl_problems problems = { 0 };
    hl_status status = hl_config_parse((hl_config_options){ .path = where }, stored, size, &before, &problems);
    hl_problems_free(&problems);
    if (status.code == HL_INVALID) {
        return hl_error(HL_BAD_FILE, "%s: its config cannot be read: %s", where, status.text);
    }
    HL_TRY(status);
    const char *key = hl_config_difference(&before, &p->config);
    if (key != NULL) {
        return hl_error(HL_INVALID,
                        "%s: %s differs from the run's own in %s; a resumed run keeps it (or begin anew: --overwrite)",
                        p->command.config.path, key, where);
    }
    return hl_ok();
}

/* Where the best weights are missing, or belong to steps that are dropped now, the next validation writes them anew. */
static hl_status check_best(hl_train_call *p)
{
    int64_t step;
    hl_status status = hl_checkpoint_read_step(p->folder.model, &step);
    if (status.code == HL_BAD_FILE) {
        return hl_error(HL_BAD_FILE, "%s; without this file the run goes on, and writes it anew", status.text);
    }
    p->loop.state.has_best = p->loop.state.has_best && step == p->loop.state.best_step;
    return status;
}

static hl_status restore(hl_train_call *p, hl_checkpoint *checkpoint)
{
    const char *stored = hl_checkpoint_config(checkpoint);
    hl_status same = stored != NULL ? check_same_config(p, stored, strlen(stored), p->folder.checkpoint) : hl_ok();
    HL_TRY(hl_checkpoint_judge(checkpoint, same));
    HL_TRY(hl_checkpoint_restore(checkpoint, &p->trainer.optimizer, &p->loop.state));
    p->loop.checkpoint_step = p->trainer.optimizer.step;
    HL_TRY(hl_metrics_csv_check_until(p->folder.metrics, p->loop.state.metrics));
    return check_best(p);
}

/* Without a checkpoint the run, if there was one, ended before its first. Where only the newest checkpoint was removed,
 * the older ones must not be lost. */
static hl_status check_begins_anew(const hl_train_call *p)
{
    int64_t kept;
    HL_TRY(hl_run_folder_newest_kept(&p->folder, &kept));
    if (kept >= 0) {
        return hl_error(HL_BAD_FILE,
                        "%s: missing, but checkpoint-%" PRId64
                        ".safetensors is there; copy it to this name to go on from "
                        "it, or begin anew with --overwrite",
                        p->folder.checkpoint, kept);
    }
    bool begun;
    HL_TRY(hl_file_exists(p->folder.config, &begun));
    if (!begun) {
        return hl_ok();
    }
    char *stored;
    size_t size;
    HL_TRY(hl_file_read(p->folder.config, HL_CONFIG_MAX_BYTES, &stored, &size));
    hl_status status = check_same_config(p, stored, size, p->folder.config);
    hl_free(stored);
    return status;
}

hl_status hl_train_call_resume(hl_train_call *p)
{
    bool exists;
    HL_TRY(hl_run_folder_make(&p->folder)); /* from here on no other run may change what is read */
    HL_TRY(hl_file_exists(p->folder.checkpoint, &exists));
    if (!exists) {
        HL_TRY(check_begins_anew(p));
        HL_TRY(hl_data_take_key(&p->config, offsetof(hl_config, train.weights), p->folder.config));
        return hl_first_weights_get(p);
    }
    hl_checkpoint *checkpoint;
    HL_TRY(hl_checkpoint_open(p->folder.checkpoint, &checkpoint));
    hl_status status = restore(p, checkpoint);
    hl_checkpoint_free(checkpoint);
    return status;
}

hl_status hl_train_call_steps_left(const hl_train_call *p, int64_t *steps)
{
    *steps = p->config.train.steps;
    bool exists = false;
    HL_TRY(p->command.mode == HL_RUN_RESUME ? hl_file_exists(p->folder.checkpoint, &exists) : hl_ok());
    if (!exists) {
        return hl_ok();
    }
    hl_checkpoint *checkpoint;
    hl_train_state state = { 0 };
    HL_TRY(hl_checkpoint_open(p->folder.checkpoint, &checkpoint));
    hl_status status = hl_checkpoint_judge(checkpoint, hl_checkpoint_state(checkpoint, &state));
    *steps = hl_loop_patience_lost(&p->config, &state) ? 0 : *steps - hl_checkpoint_step(checkpoint);
    hl_checkpoint_free(checkpoint);
    return status;
}
