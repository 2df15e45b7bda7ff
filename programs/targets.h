/* The files that a command line tells a program to write. */
#pragma once

#include "core/base/status.h"

typedef struct hl_target {
    const char *option; /* without the dashes */
    const char *path;   /* "-": standard output; NULL: not given */
} hl_target;

/* HL_INVALID, naming both options, where two of the n targets are one file, however their paths are spelled, or both
 * standard output. */
hl_status hl_targets_check_distinct(const hl_target *targets, int n);

/* The files of a sweep, at the top of its folder: its plan and what it leaves. */
enum { HL_SWEEP_FILES = 6 };
extern const char *const hl_sweep_files[HL_SWEEP_FILES];

/* What stands beside the targets and may be missing: the configs and the text that are read, and the folder of the
 * sweep that is about to begin. */
typedef struct hl_targets_beside {
    const char *const *configs;
    int n_configs;
    const char *text;
    const char *sweep;
} hl_targets_beside;

/* Looks at the n targets before what goes there is worked out, which may take long. HL_INVALID: one is a config, the
 * text, a file that a run's folder keeps (train/run_folder.h), one of its snapshots, or a file of a sweep, and would be
 * lost; HL_BAD_FILE: one is a folder, or what hl_file_check_replaceable refuses, or its folder is missing or cannot be
 * written to; HL_NO_MEMORY. */
hl_status hl_targets_check(const hl_target *targets, int n, hl_targets_beside beside);
