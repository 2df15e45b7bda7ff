#include "programs/ablate/folder.h"

#include "core/files.h"
#include "core/folders.h"
#include "core/memory.h"
#include "programs/ablate/cell.h"
#include "programs/targets.h"

#include <errno.h>
#include <string.h>

enum { MOST_BYTES = 1 << 28, QUOTED = 80 };

static const char heading[] = "# Made by: ";

/* The caller ends it by hl_run_folder_close, whatever this returns. */
static hl_status lock(hl_run_folder *folder, const char *path)
{
    HL_TRY(hl_run_folder_open(folder, path, HL_RUN_OVERWRITE));
    return hl_run_folder_make(folder);
}

/* ---- the plan ---- */

static int line_length(const char *line)
{
    size_t length = strcspn(line, "\n");
    return (int)(length < QUOTED ? length : QUOTED);
}

/* Refuses the folder and quotes the first line in which the stored plan differs. */
static hl_status refuse(const hl_ablate_folder *folder, const char *stored, const char *stored_rest, const char *rest)
{
    while (*stored_rest != '\0' && *stored_rest == *rest) {
        stored_rest++;
        rest++;
    }
    size_t made_by = sizeof heading - 1;
    while (stored_rest > stored && stored_rest[-1] != '\n') { /* back to the beginning of that line in both */
        stored_rest--;
        rest--;
    }
    return hl_error(HL_INVALID,
                    "%s: this folder holds another sweep, by: %.*s (it says \"%.*s\", not \"%.*s\"); go on with that "
                    "one, replace it (--overwrite) or choose another folder (--out DIR)",
                    folder->locked.path, (int)strcspn(stored + made_by, "\n"), stored + made_by,
                    line_length(stored_rest), stored_rest, line_length(rest), rest);
}

/* Compares what follows the comments, which say what command was given. */
static hl_status compare(const hl_ablate_folder *folder, const char *content)
{
    char *stored;
    size_t size;
    HL_TRY(hl_file_read(folder->plan, MOST_BYTES, &stored, &size));
    hl_status status = hl_text_check_format(folder->plan, stored, HL_ABLATE_PLAN_FORMAT);
    const char *rest = strstr(stored, "\n\n"), *own = strstr(content, "\n\n");
    bool ours = rest != NULL && strlen(stored) == size && strncmp(stored, heading, sizeof heading - 1) == 0;
    if (status.code == HL_OK && !ours) {
        status = hl_error(HL_BAD_FILE,
                          "%s:1: not the plan of a sweep; choose another folder (--out DIR) or replace it "
                          "(--overwrite)",
                          folder->plan);
    } else if (status.code == HL_OK && strcmp(rest, own) != 0) {
        status = refuse(folder, stored, rest, own);
    }
    hl_free(stored);
    return status;
}

/* ---- beginning anew ---- */

static hl_status clear_cell(const hl_ablate_plan *plan, int64_t cell)
{
    char *path = hl_ablate_plan_path(plan, cell);
    if (path == NULL) {
        return hl_error_memory(plan->folder);
    }
    bool exists;
    hl_status status = hl_file_exists(path, &exists);
    if (status.code == HL_OK && exists) {
        hl_run_folder run;
        status = lock(&run, path);
        HL_THEN(status, hl_run_folder_clear(&run));
        if (status.code == HL_OK && hl_file_calls_get()->unlink(run.config) != 0 && errno != ENOENT) {
            status = hl_file_system_error(run.config, "cannot be removed");
        }
        hl_run_folder_close(&run);
    }
    hl_free(path);
    return status;
}

static hl_status clear(const hl_ablate_folder *folder, const hl_ablate_plan *plan)
{
    for (int64_t i = 0; i < hl_ablate_plan_cells(plan); i++) {
        HL_TRY(clear_cell(plan, i));
    }
    return hl_file_calls_get()->unlink(folder->csv) == 0 || errno == ENOENT
               ? hl_ok()
               : hl_file_system_error(folder->csv, "cannot be removed");
}

/* ---- opening ---- */

/* `told`: whose file it is. */
static hl_status check_file(const char *folder, const char *name, bool told)
{
    char *path = hl_path_join(folder, "%s", name);
    if (path == NULL) {
        return hl_error_memory(folder);
    }
    bool exists = false;
    hl_status status = hl_file_check_replaceable(path);
    if (status.code == HL_OK && !told) {
        status = hl_file_exists(path, &exists);
    }
    if (status.code == HL_OK && exists) {
        status = hl_error(HL_INVALID,
                          "%s: is there already, and no plan.txt tells that a sweep wrote it; replace all such files "
                          "(--overwrite) or choose another folder (--out DIR)",
                          path);
    }
    hl_free(path);
    return status;
}

/* Refuses what others left in the folder, and what writing would refuse only after all trainings. */
static hl_status check_free(const hl_ablate_folder *folder, const hl_ablate_plan *plan, bool overwrite)
{
    bool has_plan;
    HL_TRY(hl_file_exists(folder->plan, &has_plan));
    for (int i = 0; i < HL_SWEEP_FILES; i++) {
        HL_TRY(check_file(plan->folder, hl_sweep_files[i], has_plan || overwrite));
    }
    hl_status status = hl_ok();
    for (int64_t i = 0; i < hl_ablate_plan_cells(plan) && !overwrite && status.code == HL_OK; i++) {
        char *path = hl_ablate_plan_path(plan, i);
        status = path != NULL ? hl_ablate_cell_check_free(path) : hl_error_memory(plan->folder);
        hl_free(path);
    }
    return status;
}

static hl_status settle(const hl_ablate_folder *folder, const hl_ablate_plan *plan, const hl_text *content,
                        bool overwrite)
{
    bool exists;
    HL_TRY(hl_file_exists(folder->plan, &exists));
    if (!overwrite && exists) {
        return compare(folder, content->bytes);
    }
    if (overwrite) {
        HL_TRY(clear(folder, plan));
    }
    return hl_file_replace(folder->plan, content->bytes, content->size, HL_DURABLE);
}

hl_status hl_ablate_folder_open(hl_ablate_folder *folder, const hl_ablate_plan *plan, const char *command,
                                bool overwrite)
{
    *folder = (hl_ablate_folder){ .locked = { .lock = -1 },
                                  .plan = hl_path_join(plan->folder, "plan.txt"),
                                  .csv = hl_path_join(plan->folder, "ablation.csv") };
    if (folder->plan == NULL || folder->csv == NULL) {
        return hl_error_memory(plan->folder);
    }
    HL_TRY(hl_run_folder_open(&folder->locked, plan->folder, HL_RUN_OVERWRITE));
    HL_TRY(check_free(folder, plan, overwrite));
    HL_TRY(hl_run_folder_make(&folder->locked));
    hl_text content = { 0 };
    hl_text_print(&content, "%s%s\n# Format: %d\n\n", heading, command, (int)HL_ABLATE_PLAN_FORMAT);
    hl_status status = hl_ablate_plan_text(plan, &content);
    HL_THEN(status, settle(folder, plan, &content, overwrite));
    hl_text_free(&content);
    return status;
}

void hl_ablate_folder_close(hl_ablate_folder *folder)
{
    if (folder->plan != NULL) { /* else it was never opened */
        hl_run_folder_close(&folder->locked);
    }
    hl_free(folder->plan);
    hl_free(folder->csv);
    *folder = (hl_ablate_folder){ .locked = { .lock = -1 } };
}
