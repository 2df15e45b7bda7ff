/* The files that a command line tells a program to write. */
#ifndef HL_PROGRAMS_TARGETS_H
#define HL_PROGRAMS_TARGETS_H

#include "core/status.h"

#include <stdbool.h>

typedef struct hl_target {
    const char *option; /* without the dashes */
    const char *path;   /* "-": standard output; NULL: not given */
} hl_target;

/* HL_INVALID, naming both options, where two of the n targets are one file, however their paths are spelled, or both
 * standard output. */
hl_status hl_targets_check_distinct(const hl_target *targets, int n);

/* HL_BAD_FILE: the path, which is given and not "-", is a folder, or what hl_file_check_replaceable refuses, or its
 * folder is missing or cannot be written to. */
hl_status hl_target_check_writable(const hl_target *target);

/* The path without its folder. */
const char *hl_target_name(const char *path);

/* Whether the path's folder is this one, which need not exist. */
bool hl_target_lies_in(const char *path, const char *folder);

#endif
