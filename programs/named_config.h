/* The config that a command line names, with what overrides its keys: one way for all programs that train. */
#pragma once

#include "train/config.h"

#include <stdbool.h>
#include <stdio.h>

enum { HL_MAX_OVERRIDES = 64, HL_OWN_OVERRIDES = 16 };

/* The user's strings belong to argv; those that hl_named_config_set adds must outlive it. */
typedef struct hl_named_config {
    const char *path; /* NULL: none was named */
    /* "section.key=value"; the user's, then the program's. */
    const char *overrides[HL_MAX_OVERRIDES + HL_OWN_OVERRIDES];
    int n_overrides;
    bool by_program; /* a program wrote the command line: its own overrides are on it, too */
} hl_named_config;

/* Adds an override on the command line. HL_INVALID if there are too many. */
hl_status hl_named_config_override(hl_named_config *named, const char *override);

/* Whether an override sets this key ("model.heads"). */
bool hl_named_config_sets(const hl_named_config *named, const char *key);

/* Adds an override of the program's own, of which there are at most HL_OWN_OVERRIDES. Those of the same key go. */
void hl_named_config_set(hl_named_config *named, const char *override);

/* Takes a word that is no option: the first is the config's path, the others are overrides. HL_INVALID. */
hl_status hl_named_config_argument(hl_named_config *named, const char *word);

/* Loads a config (hl_config_load); the path "-" is standard input, read once to its end: HL_BAD_FILE if that fails
 * or is too long. Of its problems all but the last are printed to `err`, a line each, and the last is the text of
 * HL_INVALID; where `err` is NULL, the first is, and nothing is printed. HL_INVALID, too, where the config's model has
 * nothing to train (hl_setup_check_trained), or asks for bf16 where there is none (hl_setup_check_precision). */
hl_status hl_load_config(hl_config_options options, FILE *err, hl_config *config);

/* Puts what train.precision = auto means here in its place (hl_setup_resolve_precision), and tells `err`, unless it is
 * NULL, where and why that is float. `path` is the config's, for the message. */
void hl_resolve_precision(hl_config *config, const char *path, FILE *err);
