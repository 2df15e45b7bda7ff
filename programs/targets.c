#include "programs/targets.h"

#include "core/files/files.h"
#include "study/output.h"
#include "train/run_folder.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const char *const hl_sweep_files[HL_SWEEP_FILES] = { "plan.txt",     "ablation.csv", "ablation.md",
                                                     "ablation.svg", "ablation.png", "ablation.html" };

/* The path without its folder. */
static const char *name_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

/* A path longer than the system takes is cut. */
static void folder_of(const char *path, char folder[PATH_MAX])
{
    int length = (int)(name_of(path) - path);
    snprintf(folder, PATH_MAX, "%.*s", length > 0 ? length : 1, length > 0 ? path : ".");
}

/* Of two files or folders, either of which may be missing. */
static bool are_same(const char *a, const char *b)
{
    struct stat of_a, of_b;
    return stat(a, &of_a) == 0 && stat(b, &of_b) == 0 && of_a.st_dev == of_b.st_dev && of_a.st_ino == of_b.st_ino;
}

/* ---- two targets ---- */

static bool will_be_same(const char *a, const char *b)
{
    char folder_a[PATH_MAX], folder_b[PATH_MAX];
    folder_of(a, folder_a);
    folder_of(b, folder_b);
    return strcmp(a, b) == 0 || (strcmp(name_of(a), name_of(b)) == 0 && are_same(folder_a, folder_b));
}

hl_status hl_targets_check_distinct(const hl_target *targets, int n)
{
    for (int i = 0; i < n; i++) {
        for (int j = i + 1; j < n; j++) {
            const hl_target *a = &targets[i], *b = &targets[j];
            if (a->path == NULL || b->path == NULL) {
                continue;
            }
            bool standard = hl_output_is_standard(a->path), other = hl_output_is_standard(b->path);
            if (standard && other) {
                return hl_error(HL_INVALID,
                                "command line: --%s and --%s cannot both go to standard output; name a file for one",
                                a->option, b->option);
            }
            if (!standard && !other && will_be_same(a->path, b->path)) {
                return hl_error(HL_INVALID, "command line: --%s and --%s: both to %s; name a file for each", a->option,
                                b->option, b->path);
            }
        }
    }
    return hl_ok();
}

/* ---- what is there ---- */

/* heads.csv and report.html, which are made anew, are not. */
static hl_status is_of_run(const char *path, bool *found)
{
    const char *name = name_of(path);
    bool snapshot = hl_run_folder_snapshot_step(name) >= 0;
    char folder[PATH_MAX], run[PATH_MAX + 8], patterns[PATH_MAX + 24];
    folder_of(path, folder);
    snprintf(run, sizeof run, "%s%s", folder, snapshot ? "/.." : "");
    snprintf(patterns, sizeof patterns, "%s/patterns", run);
    bool kept = snapshot ? are_same(folder, patterns) : hl_run_folder_keeps(name);
    *found = false;
    return kept ? hl_run_folder_holds_run(run, found) : hl_ok();
}

/* Each of its trainings has a log.txt besides. `sweep`: a folder that will be one; NULL: none. */
static bool is_of_sweep(const char *path, const char *sweep)
{
    const char *name = name_of(path);
    bool log = strcmp(name, "log.txt") == 0, of_sweep = log;
    for (int i = 0; i < HL_SWEEP_FILES; i++) {
        of_sweep = of_sweep || strcmp(name, hl_sweep_files[i]) == 0;
    }
    char folder[PATH_MAX], top[PATH_MAX + 8], plan[PATH_MAX + 24];
    folder_of(path, folder);
    snprintf(top, sizeof top, "%s%s", folder, log ? "/.." : "");
    snprintf(plan, sizeof plan, "%s/plan.txt", top);
    return of_sweep && (access(plan, F_OK) == 0 || (sweep != NULL && are_same(top, sweep)));
}

static hl_status check_loses_nothing(const hl_target *target, hl_targets_beside beside)
{
    const char *what = NULL;
    bool of_run;
    HL_TRY(is_of_run(target->path, &of_run));
    if (of_run) {
        what = "a file of a run, which would lose it";
    } else if (is_of_sweep(target->path, beside.sweep)) {
        what = "a file of a sweep, which would lose it";
    } else if (beside.text != NULL && are_same(target->path, beside.text)) {
        what = "the text that is read, which would be lost";
    }
    for (int i = 0; i < beside.n_configs; i++) {
        what = are_same(target->path, beside.configs[i]) ? "the config, which would be lost" : what;
    }
    return what == NULL ? hl_ok()
                        : hl_error(HL_INVALID, "command line: --%s: %s is %s; choose another name", target->option,
                                   target->path, what);
}

hl_status hl_targets_check(const hl_target *targets, int n, hl_targets_beside beside)
{
    for (int i = 0; i < n; i++) {
        if (targets[i].path != NULL && !hl_output_is_standard(targets[i].path)) {
            HL_TRY(check_loses_nothing(&targets[i], beside));
            const hl_target *target = &targets[i];
            struct stat info;
            if (stat(target->path, &info) == 0 && S_ISDIR(info.st_mode)) {
                return hl_error(HL_BAD_FILE, "%s: is a folder; name a file in it (--%s)", target->path, target->option);
            }
            HL_TRY(hl_file_check_replaceable(target->path));
            char folder[PATH_MAX];
            folder_of(target->path, folder);
            HL_TRY(access(folder, W_OK) == 0 ? hl_ok()
                                             : hl_file_system_error(target->path, "its folder cannot be written to"));
        }
    }
    return hl_ok();
}
