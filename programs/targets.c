#include "programs/targets.h"

#include "core/files.h"
#include "study/output.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const char *hl_target_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

/* A path longer than the system takes is cut. */
static void folder_of(const char *path, char folder[PATH_MAX])
{
    int length = (int)(hl_target_name(path) - path);
    snprintf(folder, PATH_MAX, "%.*s", length > 0 ? length : 1, length > 0 ? path : ".");
}

bool hl_target_lies_in(const char *path, const char *folder)
{
    char own[PATH_MAX];
    struct stat a, b;
    folder_of(path, own);
    return stat(own, &a) == 0 && stat(folder, &b) == 0 && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

static bool is_one_file(const char *a, const char *b)
{
    char folder[PATH_MAX];
    folder_of(b, folder);
    return strcmp(a, b) == 0 || (strcmp(hl_target_name(a), hl_target_name(b)) == 0 && hl_target_lies_in(a, folder));
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
            if (!standard && !other && is_one_file(a->path, b->path)) {
                return hl_error(HL_INVALID, "command line: --%s and --%s: both to %s; name a file for each", a->option,
                                b->option, b->path);
            }
        }
    }
    return hl_ok();
}

hl_status hl_target_check_writable(const hl_target *target)
{
    struct stat info;
    if (stat(target->path, &info) == 0 && S_ISDIR(info.st_mode)) {
        return hl_error(HL_BAD_FILE, "%s: is a folder; name a file in it (--%s)", target->path, target->option);
    }
    HL_TRY(hl_file_check_replaceable(target->path));
    char folder[PATH_MAX];
    folder_of(target->path, folder);
    return access(folder, W_OK) == 0 ? hl_ok() : hl_file_system_error(target->path, "its folder cannot be written to");
}
