/* The command line of `train`. */
#ifndef HL_PROGRAMS_TRAIN_COMMAND_H
#define HL_PROGRAMS_TRAIN_COMMAND_H

#include "core/status.h"
#include "train/run_folder.h"

#include <stdbool.h>

enum { HL_MAX_OVERRIDES = 64 };

typedef struct hl_command {
    const char *config;                      /* the path; NULL with --help, --reference, --version */
    const char *overrides[HL_MAX_OVERRIDES]; /* "section.key=value"; all strings belong to argv */
    int n_overrides;
    const char *out;  /* --out, or NULL */
    const char *from; /* --from, or NULL */
    const char *json; /* --json, a path or "-", or NULL */
    hl_run_mode mode;
    int watch;   /* --watch, the layer's number; -1: none */
    double pace; /* --pace, seconds; 0: none */
    bool yes;    /* --yes: also what would take years */
    bool summary, check, quiet, help, reference, version;
} hl_command;

/* HL_INVALID with what is wrong and a hint to --help. */
hl_status hl_command_parse(int argc, char **argv, hl_command *command);

/* The text of --help, without the config's keys. */
extern const char hl_command_usage[];

#endif
