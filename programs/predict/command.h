/* The command line of `predict`. */
#pragma once

#include "core/base/status.h"
#include "data/text/text_data.h"
#include "programs/named_config.h"

#include <stdbool.h>
#include <stdint.h>

/* All strings belong to argv; NULL and -1: not given. */
typedef struct hl_predict_command {
    const char *run;   /* the folder */
    const char *file;  /* "-" (the default): standard input */
    const char *score; /* a file to score instead */
    const char *embed; /* a path */
    bool json, tokens, word_l2r;
    int64_t top, top_k, seed, length, stride;
    double temperature;
    int threads;
    hl_named_config asked; /* without a path: the columns of a file, for an open model */
    bool help, version;
} hl_predict_command;

/* HL_INVALID, saying what is wrong and how to mend it. */
hl_status hl_predict_command_parse(int argc, char **argv, hl_predict_command *command);

/* Sets the options that were not given. HL_INVALID, naming the first option that is of no use for this task. */
hl_status hl_predict_command_fit(hl_predict_command *command, hl_text_task task);

/* The text of --help, from the folder help/. "{heads}" and the like stand for the names of programs. */
extern const char hl_predict_help_usage[];
