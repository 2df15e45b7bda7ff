/* The command line of `train`. */
#pragma once

#include "core/base/status.h"
#include "programs/named_config.h"
#include "train/run_folder.h"

#include <stdbool.h>
#include <stdio.h>

typedef struct hl_train_command {
    hl_named_config config; /* none with --help, --reference, --version */
    const char *out;        /* --out, or NULL; all strings belong to argv */
    const char *from;       /* --from, or NULL */
    bool from_file;         /* --from does not name the folder of an open model */
    const char *json;       /* --json, a path or "-", or NULL */
    bool resume, overwrite; /* at most one of them; nor resume together with from_file */
    hl_run_mode mode;       /* follows from these two */
    int watch;              /* --watch, the number of a layer; -1: none */
    double pace;            /* --pace, seconds; 0: none */
    bool yes;               /* --yes: allow a run that would take years */
    bool mixed;             /* --mixed: allow processes that compute other bits */
    bool summary, check, quiet, help, reference, version;
} hl_train_command;

/* Where a run prints. With several processes, only the output of rank 0 is shown. */
typedef struct hl_train_shown {
    FILE *out; /* NULL: --quiet */
    FILE *err; /* errors and notices */
} hl_train_shown;

/* HL_INVALID, saying what is wrong, with a hint at --help. */
hl_status hl_train_command_parse(int argc, char **argv, hl_train_command *command);

/* The text of --help, from the folder help/. "{heads}" and the like stand for the names of programs. */
extern const char hl_train_help_usage[];
