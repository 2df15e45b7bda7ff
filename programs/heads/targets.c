#include "programs/heads/targets.h"

#include "study/output.h"
#include "train/run_folder.h"

#include <limits.h>
#include <stdio.h>

/* heads.csv and report.html, which heads itself writes, are not. */
static bool is_of_run(const char *path, const char *run)
{
    const char *name = hl_target_name(path);
    char patterns[PATH_MAX];
    if (run == NULL) {
        return false;
    }
    snprintf(patterns, sizeof patterns, "%s/patterns", run);
    return (hl_run_folder_keeps(name) && hl_target_lies_in(path, run)) ||
           (hl_run_folder_snapshot_step(name) >= 0 && hl_target_lies_in(path, patterns));
}

hl_status hl_heads_check_targets(const hl_heads_command *command)
{
    hl_target targets[HL_HEADS_TARGETS];
    hl_heads_command_targets(command, targets);
    for (int i = 0; i < HL_HEADS_TARGETS; i++) {
        const hl_target *t = &targets[i];
        if (t->path == NULL || hl_output_is_standard(t->path)) {
            continue;
        }
        if (is_of_run(t->path, command->run) || is_of_run(t->path, command->against)) {
            return hl_error(HL_INVALID,
                            "command line: --%s: %s is a file of the run itself, which would lose it; choose another "
                            "name",
                            t->option, t->path);
        }
        HL_TRY(hl_target_check_writable(t));
    }
    return hl_ok();
}
