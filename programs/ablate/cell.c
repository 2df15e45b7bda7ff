#include "programs/ablate/cell.h"

#include "core/files.h"
#include "core/folders.h"
#include "core/memory.h"
#include "train/run_folder.h"

#include <string.h>

static hl_status compare(const hl_config *config, const char *path)
{
    hl_config stored;
    hl_problems problems = { 0 };
    hl_status status = hl_config_load((hl_config_options){ .path = path }, &stored, &problems);
    hl_problems_free(&problems);
    HL_TRY(status);
    memcpy(stored.train.out, config->train.out, sizeof stored.train.out);
    stored.train.threads = config->train.threads;
    char *text = hl_config_text(&stored), *own = hl_config_text(config);
    if (text == NULL || own == NULL) {
        status = hl_error_memory(path);
    } else if (strcmp(text, own) != 0) {
        status = hl_error(HL_BAD_FILE, "%s: is of a training with other settings; remove its folder", path);
    }
    hl_free(text);
    hl_free(own);
    return status;
}

hl_status hl_ablate_cell_check(const hl_ablate_plan *plan, int64_t cell, const char *folder)
{
    hl_config config;
    HL_TRY(hl_ablate_plan_config(plan, cell, &config));
    char *path = hl_path_join(folder, "config.ini");
    hl_status status = path != NULL ? compare(&config, path) : hl_error_memory(folder);
    hl_free(path);
    return status;
}

static hl_status write_config(const hl_ablate_plan *plan, int64_t cell, const char *path)
{
    hl_config config;
    HL_TRY(hl_ablate_plan_config(plan, cell, &config));
    return hl_config_write(&config, path);
}

/* With a config.ini, even one just written, the training would take all files of the folder for its own. */
hl_status hl_ablate_cell_check_free(const char *folder)
{
    char *path = hl_path_join(folder, "config.ini");
    if (path == NULL) {
        return hl_error_memory(folder);
    }
    bool begun;
    hl_status status = hl_file_exists(path, &begun);
    if (status.code == HL_OK && !begun) {
        hl_run_folder run;
        status = hl_run_folder_open(&run, folder, HL_RUN_RESUME);
        hl_run_folder_close(&run);
    }
    hl_free(path);
    return status;
}

hl_status hl_ablate_cell_prepare(const hl_ablate_plan *plan, int64_t cell, const char *folder)
{
    HL_TRY(hl_ablate_cell_check_free(folder));
    HL_TRY(hl_folder_make(folder));
    char *path = hl_path_join(folder, "config.ini");
    if (path == NULL) {
        return hl_error_memory(folder);
    }
    bool begun;
    hl_status status = hl_file_exists(path, &begun);
    HL_THEN(status, begun ? hl_ablate_cell_check(plan, cell, folder) : write_config(plan, cell, path));
    hl_free(path);
    return status;
}
