#include "programs/heads/targets.h"

#include "core/files.h"
#include "core/memory.h"
#include "core/text.h"
#include "study/output.h"
#include "train/run_folder.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct target {
    const char *option, *path;
    char *folder;     /* the path's */
    const char *name; /* the rest of it */
} target;

static bool same_folder(const char *a, const char *b)
{
    struct stat x, y;
    return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

static hl_status check_not_of(const target *t, const char *run)
{
    if (run == NULL) {
        return hl_ok();
    }
    char *patterns = hl_path_join(run, "patterns");
    if (patterns == NULL) {
        return hl_error_memory(t->path);
    }
    bool owned = (hl_run_folder_keeps(t->name) && same_folder(t->folder, run)) ||
                 (hl_run_folder_snapshot_step(t->name) >= 0 && same_folder(t->folder, patterns));
    hl_free(patterns);
    return owned ? hl_error(HL_INVALID,
                            "command line: --%s: %s is a file of the run itself, which would lose it; choose another "
                            "name",
                            t->option, t->path)
                 : hl_ok();
}

static hl_status check_writable(const target *t)
{
    struct stat info;
    if (stat(t->path, &info) == 0 && S_ISDIR(info.st_mode)) {
        return hl_error(HL_BAD_FILE, "%s: is a folder; name a file in it (--%s)", t->path, t->option);
    }
    HL_TRY(hl_file_check_replaceable(t->path));
    return access(t->folder, W_OK) == 0 ? hl_ok() : hl_file_system_error(t->path, "its folder cannot be written to");
}

static hl_status check(const hl_heads_command *command, const char *option, const char *path)
{
    const char *slash = strrchr(path, '/');
    target t = { .option = option, .path = path, .name = slash != NULL ? slash + 1 : path };
    size_t length = (size_t)(t.name - path);
    hl_text folder = { 0 };
    hl_text_print(&folder, "%.*s", length > 0 ? (int)length : 1, length > 0 ? path : ".");
    hl_status status = hl_text_status(&folder);
    t.folder = folder.bytes;
    if (status.code == HL_OK) {
        status = check_not_of(&t, command->run);
    }
    if (status.code == HL_OK) {
        status = check_not_of(&t, command->against);
    }
    if (status.code == HL_OK) {
        status = check_writable(&t);
    }
    hl_text_free(&folder);
    return status;
}

hl_status hl_heads_check_targets(const hl_heads_command *command)
{
    const struct {
        const char *option, *path;
    } targets[] = { { "json", command->json }, { "csv", command->csv }, { "report", command->report },
                    { "png", command->png },   { "svg", command->svg }, { "pdf", command->pdf },
                    { "npz", command->npz },   { "out", command->out }, { "bertviz", command->bertviz } };
    for (size_t i = 0; i < sizeof targets / sizeof *targets; i++) {
        if (targets[i].path != NULL && !hl_heads_is_standard_output(targets[i].path)) {
            HL_TRY(check(command, targets[i].option, targets[i].path));
        }
    }
    return hl_ok();
}
