#define _DEFAULT_SOURCE /* flock */
#include "programs/ablate/folder.h"

#include "core/base/memory.h"
#include "core/files/files.h"
#include "core/files/folders.h"
#include "programs/targets.h"
#include "programs/waiting.h"
#include "train/run_folder.h"
#include "train/setup_data.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>

enum { MOST_BYTES = 1 << 28, QUOTED = 80, PAUSE_NANOSECONDS = 20 * 1000 * 1000 };

static const char heading[] = "# Made by: ";

/* ---- locks ---- */

/* Opens the file and locks it as `operation` says, without waiting; *fd is -1 where another call has it locked. */
static hl_status lock(const char *path, int flags, int operation, int *fd)
{
    HL_TRY(hl_file_open(path, flags, fd));
    if (hl_file_calls_get()->flock(*fd, operation | LOCK_NB) == 0) {
        return hl_ok();
    }
    bool taken = errno == EWOULDBLOCK || errno == EINTR;
    hl_status status = taken ? hl_ok() : hl_file_system_error(path, "cannot be locked");
    hl_file_calls_get()->close(*fd);
    *fd = -1;
    return status;
}

/* A signal is answered once the turn has come. */
hl_status hl_ablate_folder_enter(hl_ablate_folder *folder)
{
    hl_waiting waiting = { .out = folder->out };
    HL_TRY(lock(folder->lock_file.text, O_RDWR | O_CREAT, LOCK_EX, &folder->lock));
    while (folder->lock < 0) {
        nanosleep(&(struct timespec){ .tv_nsec = PAUSE_NANOSECONDS }, NULL);
        hl_waiting_tell(&waiting, "waiting for another program at work in the folder", 0, 0);
        HL_TRY(lock(folder->lock_file.text, O_RDWR | O_CREAT, LOCK_EX, &folder->lock));
    }
    hl_waiting_end(&waiting);
    return hl_ok();
}

void hl_ablate_folder_leave(hl_ablate_folder *folder)
{
    if (folder->lock >= 0) {
        hl_file_calls_get()->close(folder->lock);
    }
    folder->lock = -1;
}

hl_status hl_ablate_cell_take(const hl_ablate_plan *plan, int64_t cell, int *log)
{
    hl_ablate_path path = hl_ablate_plan_path(plan, cell);
    *log = -1;
    HL_TRY(hl_folder_make(path.text));
    return lock(hl_ablate_path_in(path.text, "log.txt").text, O_WRONLY | O_CREAT | O_APPEND, LOCK_EX, log);
}

/* ---- cells ---- */

/* The config but for where files are and how many threads work, which may change. NULL: out of memory. */
static char *settings_of(hl_config *config)
{
    config->train.out[0] = '\0';
    config->train.threads = 0;
    config->task.file = config->task.validation_file = config->task.cache = config->tokens.vocabulary = 0;
    config->train.from = config->train.weights = 0;
    return hl_config_text(config);
}

static hl_status compare_config(hl_config config, const char *path)
{
    hl_config stored;
    hl_problems problems = { 0 };
    hl_status status = hl_config_load((hl_config_options){ .path = path }, &stored, &problems);
    hl_problems_free(&problems);
    HL_TRY(status);
    char *text = settings_of(&stored), *own = settings_of(&config);
    if (text == NULL || own == NULL) {
        status = hl_error_memory(path);
    } else if (strcmp(text, own) != 0) {
        status = hl_error(HL_BAD_FILE, "%s: is of a training with other settings; remove its folder", path);
    }
    hl_free(text);
    hl_free(own);
    return status;
}

hl_status hl_ablate_cell_check(const hl_ablate_plan *plan, int64_t cell)
{
    hl_config config;
    HL_TRY(hl_ablate_plan_config(plan, cell, &config));
    return compare_config(config, hl_ablate_path_in(config.train.out, "config.ini").text);
}

/* Whether the folder, which need not exist, has a config.ini, even one just written: then a training takes all its
 * files for its own. Else one must be able to begin or go on in it without taking files for its own that are not. */
static hl_status check_cell_free(const char *folder, bool *begun)
{
    HL_TRY(hl_file_exists(hl_ablate_path_in(folder, "config.ini").text, begun));
    if (*begun) {
        return hl_ok();
    }
    hl_run_folder run;
    hl_status status = hl_run_folder_open(&run, folder, HL_RUN_RESUME);
    hl_run_folder_close(&run);
    HL_TRY(status);
    hl_ablate_path log = hl_ablate_path_in(folder, "log.txt");
    bool has_run;
    struct stat info; /* an empty one is of a sweep that was killed when it began the cell */
    HL_TRY(hl_run_folder_holds_run(folder, &has_run));
    return has_run || stat(log.text, &info) != 0 || info.st_size == 0
               ? hl_ok()
               : hl_error(HL_INVALID,
                          "%s: exists already, and a training of the sweep would add to it; replace all such files "
                          "(--overwrite) or choose another folder (--out DIR)",
                          log.text);
}

hl_status hl_ablate_cell_prepare(const hl_ablate_plan *plan, int64_t cell)
{
    hl_config config;
    bool begun;
    HL_TRY(hl_ablate_plan_config(plan, cell, &config));
    HL_TRY(check_cell_free(config.train.out, &begun));
    hl_ablate_path path = hl_ablate_path_in(config.train.out, "config.ini");
    return begun ? compare_config(config, path.text) : hl_config_write(&config, path.text);
}

/* ---- the plan ---- */

static int line_length(const char *line)
{
    size_t length = strcspn(line, "\n");
    return (int)(length < QUOTED ? length : QUOTED);
}

/* Whether the line says where a text or its cache is. */
static bool is_place(const char *line)
{
    static const char *const keys[] = { "file = ", "validation_file = ", "vocabulary = ", "cache = " };
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        if (strncmp(line, keys[i], strlen(keys[i])) == 0) {
            return true;
        }
    }
    return false;
}

/* Refuses the folder where two plans differ in more than where texts are, which may have been moved; what these hold,
 * content says. Quotes the first line that differs, and by what the stored plan was `made`. */
static hl_status compare_lines(const char *folder, const char *made, const char *a, const char *b)
{
    bool watched = false; /* [patterns] has a file, too, of which nothing else tells */
    while (*a != '\0' || *b != '\0') {
        watched = *a == '[' ? strncmp(a, "[patterns]", strlen("[patterns]")) == 0 : watched;
        size_t n = strcspn(a, "\n"), m = strcspn(b, "\n");
        bool ends = *a == '\0' || *b == '\0';
        bool same = n == m && strncmp(a, b, n) == 0, places = !watched && is_place(a) && is_place(b);
        if (ends || !(same || (places && strcspn(a, "=") == strcspn(b, "=")))) {
            return hl_error(HL_INVALID,
                            "%s: this folder holds another sweep, by: %.*s (it says \"%.*s\", not \"%.*s\"); continue "
                            "that one, replace it (--overwrite) or choose another folder (--out DIR)",
                            folder, (int)strcspn(made, "\n"), made, line_length(a), a, line_length(b), b);
        }
        a += n + (a[n] == '\n');
        b += m + (b[m] == '\n');
    }
    return hl_ok();
}

/* Compares what follows the comments, which say what command was given. */
static hl_status compare(const hl_ablate_folder *folder, const hl_ablate_plan *plan, const char *content)
{
    char *stored;
    size_t size;
    HL_TRY(hl_file_read(folder->plan.text, MOST_BYTES, &stored, &size));
    hl_status status = hl_text_check_format(folder->plan.text, stored, HL_ABLATE_PLAN_FORMAT);
    const char *rest = strstr(stored, "\n\n"), *own = strstr(content, "\n\n");
    bool ours = rest != NULL && strlen(stored) == size && strncmp(stored, heading, sizeof heading - 1) == 0;
    if (status.code == HL_OK && !ours) {
        status = hl_error(HL_BAD_FILE,
                          "%s:1: not the plan of a sweep; choose another folder (--out DIR) or replace it "
                          "(--overwrite)",
                          folder->plan.text);
    }
    HL_THEN(status, compare_lines(plan->folder, stored + sizeof heading - 1, rest, own));
    hl_free(stored);
    return status;
}

/* ---- beginning anew ---- */

static hl_status clear_cell(const char *path)
{
    bool exists;
    HL_TRY(hl_file_exists(path, &exists));
    if (!exists) {
        return hl_ok();
    }
    hl_run_folder run;
    hl_status status = hl_run_folder_open(&run, path, HL_RUN_OVERWRITE);
    HL_THEN(status, hl_run_folder_make(&run)); /* locks it */
    HL_THEN(status, hl_run_folder_clear(&run));
    HL_THEN(status, hl_file_remove(hl_ablate_path_in(path, "log.txt").text));
    HL_THEN(status, hl_file_remove(run.config));
    hl_run_folder_close(&run);
    return status;
}

/* Data that a sweep before was trained on, and this one is not. */
static hl_status clear_data(const hl_ablate_plan *plan)
{
    const hl_config **configs = hl_calloc((size_t)plan->n_variants, sizeof(const hl_config *));
    HL_NEED(configs != NULL, plan->folder);
    for (int64_t i = 0; i < plan->n_variants; i++) {
        configs[i] = &plan->variants[i].config;
    }
    hl_status status = hl_data_remove_others(configs, plan->n_variants, plan->folder);
    hl_free(configs);
    return status;
}

/* ---- opening ---- */

/* Refuses what others left in the folder, and what writing would refuse only after all trainings. */
static hl_status check_free(const hl_ablate_folder *folder, const hl_ablate_plan *plan, bool overwrite)
{
    bool has_plan;
    HL_TRY(hl_file_exists(folder->plan.text, &has_plan));
    for (int i = 0; i < HL_SWEEP_FILES; i++) {
        hl_ablate_path path = hl_ablate_path_in(plan->folder, hl_sweep_files[i]);
        bool exists = false;
        struct stat info;
        HL_TRY(hl_file_check_replaceable(path.text));
        if (stat(path.text, &info) == 0 && S_ISDIR(info.st_mode)) {
            return hl_error(HL_BAD_FILE, "%s: is a folder, but the sweep needs a file of this name; move it away",
                            path.text);
        }
        HL_TRY(has_plan || overwrite ? hl_ok() : hl_file_exists(path.text, &exists));
        if (exists) {
            return hl_error(HL_INVALID,
                            "%s: exists already, and no plan.txt shows that a sweep wrote it; replace all such files "
                            "(--overwrite) or choose another folder (--out DIR)",
                            path.text);
        }
    }
    bool begun;
    for (int64_t i = 0; i < hl_ablate_plan_cells(plan) && !overwrite; i++) {
        HL_TRY(check_cell_free(hl_ablate_plan_path(plan, i).text, &begun));
    }
    return hl_ok();
}

static hl_status settle(const hl_ablate_folder *folder, const hl_ablate_plan *plan, const hl_text *content,
                        bool overwrite)
{
    bool has_plan;
    HL_TRY(hl_file_exists(folder->plan.text, &has_plan));
    if (!overwrite && has_plan) {
        return compare(folder, plan, content->bytes);
    }
    /* What another call works on is not overwritten; none begins before this one leaves. */
    if (has_plan) {
        int fd;
        HL_TRY(lock(folder->plan.text, O_RDWR, LOCK_EX, &fd));
        if (fd < 0) {
            return hl_error(HL_BAD_FILE,
                            "%s: another sweep is at work in this folder; end it first or choose another (--out DIR)",
                            plan->folder);
        }
        hl_file_calls_get()->close(fd);
    }
    for (int64_t i = 0; i < hl_ablate_plan_cells(plan) && overwrite; i++) {
        HL_TRY(clear_cell(hl_ablate_plan_path(plan, i).text));
    }
    HL_TRY(overwrite ? clear_data(plan) : hl_ok());
    HL_TRY(overwrite ? hl_file_remove(folder->csv.text) : hl_ok());
    return hl_file_replace(folder->plan.text, content->bytes, content->size, HL_DURABLE);
}

/* Enters the folder. Nothing is made in one that is refused, unless another sweep began there meanwhile. */
static hl_status enter_first(hl_ablate_folder *folder, const hl_ablate_plan *plan, bool overwrite)
{
    bool there;
    HL_TRY(hl_file_exists(folder->lock_file.text, &there));
    if (!there) {
        hl_status status = check_free(folder, plan, overwrite);
        HL_TRY(hl_file_exists(folder->lock_file.text, &there));
        HL_TRY(there ? hl_ok() : status);
        HL_TRY(hl_folder_make(plan->folder));
    }
    HL_TRY(hl_ablate_folder_enter(folder));
    return check_free(folder, plan, overwrite);
}

hl_status hl_ablate_folder_open(hl_ablate_folder *folder, const hl_ablate_plan *plan, const char *command,
                                bool overwrite, FILE *out)
{
    *folder = (hl_ablate_folder){ .plan = hl_ablate_path_in(plan->folder, "plan.txt"),
                                  .csv = hl_ablate_path_in(plan->folder, "ablation.csv"),
                                  .lock_file = hl_ablate_path_in(plan->folder, ".lock"),
                                  .out = out,
                                  .lock = -1,
                                  .at_work = -1,
                                  .opened = true };
    HL_TRY(enter_first(folder, plan, overwrite));
    hl_text content = { 0 };
    hl_text_print(&content, "%s%s\n# Format: %d\n\n", heading, command, (int)HL_ABLATE_PLAN_FORMAT);
    hl_status status = hl_ablate_plan_text(plan, &content);
    HL_THEN(status, settle(folder, plan, &content, overwrite));
    hl_text_free(&content);
    HL_THEN(status, lock(folder->plan.text, O_RDWR, LOCK_SH, &folder->at_work));
    return status;
}

void hl_ablate_folder_close(hl_ablate_folder *folder)
{
    if (folder->opened) {
        hl_ablate_folder_leave(folder);
        if (folder->at_work >= 0) {
            hl_file_calls_get()->close(folder->at_work);
        }
    }
    folder->opened = false;
}
