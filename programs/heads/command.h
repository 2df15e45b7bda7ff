/* The command line of `heads`: a verb, the model that it is about, and the verb's own options. */
#pragma once

#include "core/base/status.h"
#include "programs/named_config.h"
#include "programs/options.h"
#include "programs/targets.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct hl_heads_verb hl_heads_verb; /* programs/heads/verb.h */

/* What makes a head the least important. */
typedef enum hl_heads_prune_by {
    HL_PRUNE_BY_LOSS,     /* the loss grows least without it */
    HL_PRUNE_BY_GRADIENT, /* its gradient importance I_h is the smallest (heads/importance.h) */
} hl_heads_prune_by;

/* The requested files: paths, or "-" for standard output. */
typedef struct hl_heads_files {
    const char *json, *csv, *md, *report, *png, *svg, *pdf, *npz, *bertviz;
} hl_heads_files;

/* The parsed command line; each verb uses a part of it. All strings belong to argv; NULL: not given. */
typedef struct hl_heads_command {
    const hl_heads_verb *verb;
    const char *model;          /* a folder */
    const char *object;         /* the verb's second word: a head, a treebank, a model, a folder */
    const char *task, *file;    /* the task and the examples of an open model, with the overrides of `asked` */
    hl_named_config asked;      /* without a path */
    const char *examples, *out; /* a file of sentences, and the folder for its results; with `to` the file of the pruned
                                   model */
    const char *export_to;      /* the folder of a pruned model */
    bool overwrite;             /* files in one of these folders are replaced */
    hl_heads_files files;
    int64_t step, example;               /* -1: not given */
    const char *input;                   /* tokens separated by blanks, or a text */
    int64_t blocks;                      /* tokens of a block in a map of blocks; 0: maps of tokens */
    bool words;                          /* show words instead of their tokens */
    bool wide;                           /* print all columns of tables */
    bool norms;                          /* maps are of shares of norms */
    bool writes;                         /* arrays also hold what heads write */
    const char *keep, *drop;             /* names of heads, as in "L0H2,L1H*" */
    const char *clean, *corrupt, *pairs; /* two texts for patching, or a file of many */
    const char *answer, *wrong, *heads;  /* the answers that are compared, and heads that are patched together */
    int64_t position, at;                /* of the answer, and the only token that is patched; -1: not given */
    bool reverse;
    bool shapley, importance;
    hl_heads_prune_by by;
    bool once;
    int64_t to;           /* the number of heads to keep; 0: not given */
    const char *relation; /* of the treebank */
    bool subtypes, punct_and_root, trees, without_null;
    int64_t max_pieces; /* of a sentence; 0: not given */
    bool help, version;
} hl_heads_command;

/* The options of a verb: --help, --version, and those that its list names, with one blank between two names. Returns
 * how many they are. */
enum { HL_HEADS_MOST_OPTIONS = 24 };
int hl_heads_options(const char *names, hl_option options[HL_HEADS_MOST_OPTIONS]);

/* Reads the command line. The first word is the verb; if it is a model, the verb is `table`. Without words, only --help
 * and --version are allowed. HL_INVALID, saying what is wrong and how to mend it; for an option from before there were
 * verbs, it names the command that replaces it. */
hl_status hl_heads_command_parse(int argc, char **argv, hl_heads_command *command);

enum { HL_HEADS_TARGETS = 10 };

/* Lists every file that can be requested, given or not. */
void hl_heads_command_targets(const hl_heads_command *command, hl_target targets[HL_HEADS_TARGETS]);

/* Whether one of the files goes to standard output; nothing else is then printed there. */
bool hl_heads_command_fills_output(const hl_heads_command *command);

/* Whether a figure is requested. */
bool hl_heads_command_draws(const hl_heads_command *command);

/* Whether the heads themselves are shown besides the treebank: on sentences, or on a page. */
bool hl_heads_command_looks(const hl_heads_command *command);
