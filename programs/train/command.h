/* The command line of `train`. */
#ifndef HL_PROGRAMS_TRAIN_COMMAND_H
#define HL_PROGRAMS_TRAIN_COMMAND_H

#include "core/base/status.h"
#include "programs/named_config.h"
#include "train/run_folder.h"

#include <stdbool.h>
#include <stdio.h>

typedef struct hl_train_command {
    hl_named_config config; /* none with --help, --reference, --version */
    const char *out;        /* --out, or NULL; all strings belong to argv */
    const char *from;       /* --from, or NULL */
    bool from_file;         /* which names no folder of an open model */
    const char *json;       /* --json, a path or "-", or NULL */
    bool resume, overwrite; /* at most one of them; resume and from_file neither */
    hl_run_mode mode;       /* which they make */
    int watch;              /* --watch, the layer's number; -1: none */
    double pace;            /* --pace, seconds; 0: none */
    bool yes;               /* --yes: also what would take years */
    bool mixed;             /* --mixed: also processes that compute other bits */
    bool summary, check, quiet, help, reference, version;
} hl_train_command;

/* Where a run prints; of several processes those of rank 0 go somewhere. */
typedef struct hl_train_shown {
    FILE *out; /* NULL: --quiet */
    FILE *err; /* errors and notices */
} hl_train_shown;

/* HL_INVALID with what is wrong and a hint to --help. */
hl_status hl_train_command_parse(int argc, char **argv, hl_train_command *command);

#endif
