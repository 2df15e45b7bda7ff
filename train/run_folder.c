#include "train/run_folder.h"

#include "core/base/memory.h"
#include "core/files/files.h"
#include "core/files/folders.h"
#include "train/private/step_list.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>

/* ---- the files of a run ---- */

/* The number in a name such as "checkpoint-500.safetensors" or "step_000500.npz"; -1 for another name, and for another
 * spelling of the same number, which no run writes and no reader looks for. */
static int64_t step_in_name(const char *name, const char *before, int digits, const char *after)
{
    size_t n = strlen(before);
    if (strncmp(name, before, n) != 0 || name[n] < '0' || name[n] > '9') {
        return -1;
    }
    char spelled[64];
    long long step = strtoll(name + n, NULL, 10);
    snprintf(spelled, sizeof spelled, "%s%0*lld%s", before, digits, step, after);
    return strcmp(name, spelled) == 0 ? step : -1;
}

static int64_t step_of_checkpoint(const char *name)
{
    return step_in_name(name, "checkpoint-", 1, ".safetensors");
}

int64_t hl_run_folder_snapshot_step(const char *name)
{
    return step_in_name(name, "step_", 6, ".npz");
}

static bool is_unfinished_snapshot(const char *name)
{
    return step_in_name(name, "step_", 6, ".npz.tmp") >= 0;
}

/* What stands at the top of a run's folder, besides kept checkpoints. */
typedef enum part_kind {
    KEPT,
    MADE_ANEW,         /* by the program heads */
    NO_FILE_OF_THE_RUN /* these come last */
} part_kind;
#define AT(path) offsetof(hl_run_folder, path)
#define NO_PATH SIZE_MAX
static const struct {
    const char *name;
    size_t path; /* offset in hl_run_folder, or NO_PATH */
    part_kind kind;
} parts[] = {
    { "config.ini", AT(config), KEPT },
    { "metrics.csv", AT(metrics), KEPT },
    { "scores.csv", AT(scores), KEPT },
    { "confusion.csv", AT(confusion), KEPT },
    { "model.safetensors", AT(model), KEPT },
    { "checkpoint.safetensors", AT(checkpoint), KEPT },
    { "vocab.txt", AT(vocabulary), KEPT },
    { "tokens.json", NO_PATH, KEPT },
    { "labels.json", NO_PATH, KEPT },
    { "syntax.csv", AT(syntax), KEPT },
    { "treebank.conllu", NO_PATH, KEPT },
    { "heads.csv", NO_PATH, MADE_ANEW },
    { "report.html", NO_PATH, MADE_ANEW },
    { "sentence.json", NO_PATH, KEPT },
    { "model-before.safetensors", AT(model_before), KEPT },
    { "events.out.tfevents.headlight", AT(events), KEPT }, /* TensorBoard reads files with "tfevents" in their names */
    { "patterns", AT(patterns), NO_FILE_OF_THE_RUN },
    { ".lock", AT(lock_file), NO_FILE_OF_THE_RUN },
};
enum { PARTS = sizeof parts / sizeof *parts };

/* "against-<another run>.html", which depends on the run's weights. */
static bool is_comparison(const char *name)
{
    const char *end = strrchr(name, '.');
    return strncmp(name, "against-", 8) == 0 && end != NULL && strcmp(end, ".html") == 0;
}

/* The index of the file whose name is the first `length` bytes, or -1. */
static int find_run_file(const char *name, size_t length)
{
    for (int i = 0; i < PARTS && parts[i].kind != NO_FILE_OF_THE_RUN; i++) {
        if (strlen(parts[i].name) == length && strncmp(name, parts[i].name, length) == 0) {
            return i;
        }
    }
    return -1;
}

/* Whether a run treats a file with this name at the top of its folder as its own. */
static bool is_run_file(const char *name)
{
    return step_of_checkpoint(name) >= 0 || is_comparison(name) || find_run_file(name, strlen(name)) >= 0;
}

/* A temporary file that a killed run left behind. */
static bool is_unfinished_file(const char *name)
{
    const char *end = strrchr(name, '.');
    return end != NULL && strcmp(end, ".tmp") == 0 && find_run_file(name, (size_t)(end - name)) >= 0;
}

bool hl_run_folder_keeps(const char *name)
{
    int i = find_run_file(name, strlen(name));
    return strcmp(name, ".lock") == 0 || strncmp(name, "checkpoint", strlen("checkpoint")) == 0 ||
           (i >= 0 && parts[i].kind == KEPT);
}

/* ---- removing ---- */

static hl_status check_removable(const char *path)
{
    struct stat info;
    return lstat(path, &info) != 0 || !S_ISDIR(info.st_mode)
               ? hl_ok()
               : hl_error(HL_BAD_FILE, "%s: is a folder in the place of a run's file; move it away", path);
}

static hl_status act_on(const char *folder, const char *name, hl_status (*act)(const char *path))
{
    char *path = hl_path_join(folder, "%s", name);
    hl_status status = path != NULL ? act(path) : hl_error_memory(folder);
    hl_free(path);
    return status;
}

/* Which files are removed, and what is done with each: check_removable or hl_file_remove. */
typedef struct removal {
    const char *folder;
    bool (*chosen)(const char *name, int64_t limit);
    int64_t limit;
    hl_status (*act)(const char *path);
} removal;

static hl_status act_if_chosen(void *context, const char *name)
{
    const removal *r = context;
    return r->chosen(name, r->limit) ? act_on(r->folder, name, r->act) : hl_ok();
}

static hl_status act_on_chosen(const char *folder, bool (*chosen)(const char *name, int64_t limit), int64_t limit,
                               hl_status (*act)(const char *path))
{
    removal r = { .folder = folder, .chosen = chosen, .limit = limit, .act = act };
    return hl_folder_list(folder, act_if_chosen, &r);
}

/* config.ini stays, because it shows whose files these are until the next run replaces it. */
static bool goes_with_the_run(const char *name, int64_t limit)
{
    (void)limit;
    return (is_run_file(name) && strcmp(name, "config.ini") != 0) || is_unfinished_file(name);
}

static bool checkpoint_after(const char *name, int64_t step)
{
    return step_of_checkpoint(name) > step;
}

static bool snapshot_after(const char *name, int64_t step)
{
    return hl_run_folder_snapshot_step(name) > step || is_unfinished_snapshot(name);
}

/* Calls `act` on all files that belong to the run. */
static hl_status act_on_run(const hl_run_folder *folder, hl_status (*act)(const char *path))
{
    HL_TRY(act_on_chosen(folder->path, goes_with_the_run, 0, act));
    return act_on_chosen(folder->patterns, snapshot_after, -1, act);
}

hl_status hl_run_folder_clear(const hl_run_folder *folder)
{
    HL_TRY(act_on_run(folder, check_removable));
    return act_on_run(folder, hl_file_remove);
}

hl_status hl_run_folder_drop_after(const hl_run_folder *folder, int64_t step)
{
    HL_TRY(act_on_chosen(folder->patterns, snapshot_after, step, hl_file_remove));
    return act_on_chosen(folder->path, checkpoint_after, step, hl_file_remove);
}

hl_status hl_run_folder_prune(const hl_run_folder *folder, int64_t keep)
{
    hl_step_list kept;
    HL_TRY(hl_step_list_read(folder->path, step_of_checkpoint, &kept));
    hl_status status = hl_ok();
    for (size_t i = 0; i + (size_t)keep < kept.n && status.code == HL_OK; i++) {
        char *path = hl_run_folder_kept_checkpoint(folder, kept.steps[i]);
        status = path != NULL ? hl_file_remove(path) : hl_error_memory(folder->path);
        hl_free(path);
    }
    hl_free(kept.steps);
    return status;
}

hl_status hl_run_folder_newest_kept(const hl_run_folder *folder, int64_t *step)
{
    hl_step_list kept;
    *step = -1;
    HL_TRY(hl_step_list_read(folder->path, step_of_checkpoint, &kept));
    *step = kept.n > 0 ? kept.steps[kept.n - 1] : -1;
    hl_free(kept.steps);
    return hl_ok();
}

/* ---- opening ---- */

static char **path_at(hl_run_folder *folder, int i)
{
    return (char **)(void *)((char *)folder + parts[i].path);
}

static hl_status name_paths(hl_run_folder *folder, const char *path)
{
    bool complete = (folder->path = hl_strdup(path)) != NULL;
    for (int i = 0; i < PARTS; i++) {
        if (parts[i].path != NO_PATH) {
            *path_at(folder, i) = hl_path_join(path, "%s", parts[i].name);
            complete = complete && *path_at(folder, i) != NULL;
        }
    }
    return complete ? hl_ok() : hl_error_memory(path);
}

/* A run that was just killed holds its lock until the system has taken its memory back. */
enum { LOCK_TRIALS = 101, LOCK_PAUSE_NANOSECONDS = 20 * 1000 * 1000 };

/* The process releases the lock in any case when it ends; the empty file stays. */
static hl_status take_lock(hl_run_folder *folder)
{
    struct stat info;
    if (lstat(folder->lock_file, &info) == 0 && !S_ISREG(info.st_mode)) {
        return hl_error(HL_BAD_FILE, "%s: is no regular file, which a run would lock; move it away", folder->lock_file);
    }
    HL_TRY(hl_file_open(folder->lock_file, O_RDWR | O_CREAT, &folder->lock));
    const hl_file_calls *calls = hl_file_calls_get();
    int result = calls->flock(folder->lock, LOCK_EX | LOCK_NB);
    for (int i = 1; result != 0 && (errno == EWOULDBLOCK || errno == EINTR) && i < LOCK_TRIALS; i++) {
        nanosleep(&(struct timespec){ .tv_nsec = LOCK_PAUSE_NANOSECONDS }, NULL);
        result = calls->flock(folder->lock, LOCK_EX | LOCK_NB);
    }
    if (result != 0 && errno == EWOULDBLOCK) {
        return hl_error(HL_BAD_FILE, "%s: another run is at work in this folder; choose another with --out",
                        folder->path);
    }
    return result == 0 ? hl_ok() : hl_file_system_error(folder->lock_file, "cannot be locked");
}

/* Whether a config.ini or a checkpoint shows which run the folder's files belong to. */
static hl_status tells_its_run(const hl_run_folder *folder, bool *tells)
{
    int64_t kept;
    HL_TRY(hl_file_exists(folder->config, tells));
    HL_TRY(*tells ? hl_ok() : hl_file_exists(folder->checkpoint, tells));
    HL_TRY(hl_run_folder_newest_kept(folder, &kept));
    *tells = *tells || kept >= 0;
    return hl_ok();
}

hl_status hl_run_folder_holds_run(const char *path, bool *holds)
{
    hl_run_folder folder = { .lock = -1 };
    hl_status status = name_paths(&folder, path);
    HL_THEN(status, tells_its_run(&folder, holds));
    hl_run_folder_close(&folder);
    return status;
}

/* The first file, by name, that a run would treat as its own; "" if there is none. */
typedef struct first_file {
    bool (*is_own)(const char *name);
    char name[NAME_MAX + 1];
} first_file;

static hl_status take_first(void *context, const char *name)
{
    first_file *first = context;
    if (first->is_own(name) && (first->name[0] == '\0' || strcmp(name, first->name) < 0)) {
        snprintf(first->name, sizeof first->name, "%s", name);
    }
    return hl_ok();
}

static bool is_snapshot(const char *name)
{
    return hl_run_folder_snapshot_step(name) >= 0;
}

static hl_status check_holds_none(const char *folder, bool (*is_own)(const char *name))
{
    first_file first = { .is_own = is_own };
    HL_TRY(hl_folder_list(folder, take_first, &first));
    return first.name[0] == '\0'
               ? hl_ok()
               : hl_error(HL_INVALID,
                          "%s/%s: exists already, and a run would mistake it for its own; replace all such files "
                          "(--overwrite) or choose another folder (--out DIR)",
                          folder, first.name);
}

static hl_status check_mode(const hl_run_folder *folder)
{
    bool is_a_run = false;
    HL_TRY(folder->mode != HL_RUN_OVERWRITE ? tells_its_run(folder, &is_a_run) : hl_ok());
    if (folder->mode == HL_RUN_OVERWRITE || (folder->mode == HL_RUN_RESUME && is_a_run)) {
        return hl_ok();
    }
    if (is_a_run) {
        return hl_error(HL_INVALID,
                        "%s: this folder holds a run; continue it (--resume), replace it (--overwrite) or "
                        "choose another folder (--out DIR)",
                        folder->path);
    }
    HL_TRY(check_holds_none(folder->path, is_run_file));
    return check_holds_none(folder->patterns, is_snapshot);
}

/* A link would lead to the files of another folder. */
static hl_status check_patterns(const hl_run_folder *folder)
{
    struct stat info;
    if (lstat(folder->patterns, &info) != 0 || S_ISDIR(info.st_mode)) {
        return hl_ok(); /* making the folder will fail and say why */
    }
    return hl_error(HL_BAD_FILE,
                    "%s: is %s, and a run keeps its snapshots in a folder of this name; move it away or choose another "
                    "folder (--out DIR)",
                    folder->patterns, S_ISLNK(info.st_mode) ? "a link" : "no folder");
}

/* Refuses early what writing would refuse late, such as report.html after the whole training. Appending to metrics.csv
 * would even follow a link. */
static hl_status check(const hl_run_folder *folder)
{
    hl_status status = check_patterns(folder);
    for (int i = 0; i < PARTS && parts[i].kind != NO_FILE_OF_THE_RUN; i++) {
        HL_THEN(status, act_on(folder->path, parts[i].name, hl_file_check_replaceable));
    }
    if (folder->mode == HL_RUN_OVERWRITE) {
        HL_THEN(status, act_on_run(folder, check_removable));
    }
    return status.code == HL_OK ? check_mode(folder) : status;
}

hl_status hl_run_folder_make(hl_run_folder *folder)
{
    if (folder->lock >= 0) {
        return hl_ok();
    }
    HL_TRY(hl_folder_make(folder->path));
    HL_TRY(take_lock(folder));
    return check(folder);
}

/* The lock is taken first if that makes no file, because another run may be working. */
hl_status hl_run_folder_open(hl_run_folder *folder, const char *path, hl_run_mode mode)
{
    *folder = (hl_run_folder){ .mode = mode, .lock = -1 };
    HL_TRY(name_paths(folder, path));
    bool has_been_run_in;
    HL_TRY(hl_file_exists(folder->lock_file, &has_been_run_in));
    return has_been_run_in ? hl_run_folder_make(folder) : check(folder);
}

void hl_run_folder_close(hl_run_folder *folder)
{
    if (folder->lock_file != NULL && folder->lock >= 0) {
        hl_file_calls_get()->close(folder->lock);
    }
    hl_free(folder->path);
    for (int i = 0; i < PARTS; i++) {
        hl_free(parts[i].path != NO_PATH ? *path_at(folder, i) : NULL);
    }
    *folder = (hl_run_folder){ .lock = -1 };
}

char *hl_run_folder_kept_checkpoint(const hl_run_folder *folder, int64_t step)
{
    return hl_path_join(folder->path, "checkpoint-%" PRId64 ".safetensors", step);
}
