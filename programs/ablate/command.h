/* The command line of `ablate`. */
#pragma once

#include "core/base/status.h"
#include "programs/named_config.h"
#include "programs/targets.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    HL_ABLATE_MAX_AXES = 8,
    HL_ABLATE_MAX_SEEDS = 1000,
    HL_ABLATE_KEY_TEXT = 64,
};

/* A key that varies. */
typedef struct hl_ablate_axis {
    char key[HL_ABLATE_KEY_TEXT]; /* as given, such as "model.heads" */
    const char *values;           /* "1,2,4,8" */
} hl_ablate_axis;

/* All strings except keys belong to argv; NULL: not given. */
typedef struct hl_ablate_command {
    hl_named_config config; /* with the overrides for all cells */
    hl_ablate_axis axes[HL_ABLATE_MAX_AXES];
    int n_axes;
    bool row_a;  /* --heads: the widths of heads follow from their number */
    bool table3; /* the rows of table 3, instead of axes */
    int64_t seeds;
    int jobs; /* 0: as many as the machine allows */
    double target;
    const char *from; /* the folder of an open model, with which every training begins */
    const char *out;
    const char *json, *csv; /* a path, or "-" for standard output; at most one of these */
    bool overwrite, yes, help, version;
} hl_ablate_command;

/* HL_INVALID, saying what is wrong and how to mend it. */
hl_status hl_ablate_command_parse(int argc, char **argv, hl_ablate_command *command);

enum { HL_ABLATE_TARGETS = 2 };

/* Lists both files that can be requested, given or not. */
void hl_ablate_command_targets(const hl_ablate_command *command, hl_target targets[HL_ABLATE_TARGETS]);

/* The text of --help, from the folder help/. "{heads}" and the like stand for the names of programs. */
extern const char hl_ablate_help_usage[];
