/* Where the program heads is told to write. */
#ifndef HL_PROGRAMS_HEADS_TARGETS_H
#define HL_PROGRAMS_HEADS_TARGETS_H

#include "core/status.h"
#include "programs/heads/command.h"

/* Looks at every file that the command names, before what goes there is worked out, which may take long. HL_INVALID:
 * one is a file of the run, or of the run compared with, that would be lost (heads.csv and report.html, which heads
 * itself writes, may be named); HL_BAD_FILE: one is a folder, or what hl_file_check_replaceable refuses, or its folder
 * is missing or cannot be written to. */
hl_status hl_heads_check_targets(const hl_heads_command *command);

#endif
