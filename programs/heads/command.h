/* The command line of `heads`. */
#ifndef HL_PROGRAMS_HEADS_COMMAND_H
#define HL_PROGRAMS_HEADS_COMMAND_H

#include "core/base/status.h"
#include "programs/named_config.h"
#include "programs/targets.h"

#include <stdbool.h>
#include <stdint.h>

/* What makes a head the least important. */
typedef enum hl_heads_prune_by {
    HL_PRUNE_BY_LOSS,     /* the loss without it grows least */
    HL_PRUNE_BY_GRADIENT, /* its gradient importance I_h is least (heads/importance.h) */
} hl_heads_prune_by;

/* All strings belong to argv; NULL: not given. */
typedef struct hl_heads_command {
    const char *run;                 /* the folder */
    const char *head, *input;        /* "L0H3"; tokens parted by blanks */
    const char *examples;            /* a file of sentences */
    const char *json, *csv, *report; /* a path, "-" for standard output, at most one of these and of the next four */
    const char *against;             /* another run's folder */
    const char *png, *svg, *pdf, *bertviz;
    const char *npz;              /* a path */
    int64_t step, example;        /* -1: not given */
    bool words;                   /* instead of their tokens */
    const char *keep_only, *drop; /* names of heads, as in "L0H2,L1H*" */
    bool profile;
    bool importance, shapley;   /* the second implies the first */
    bool prune, prune_once;     /* likewise */
    hl_heads_prune_by prune_by; /* which implies it, too */
    int64_t prune_to;           /* how many heads shall be left, which implies `prune`; 0: not given */
    const char *out;            /* the path of the pruned model; with `examples` a folder */
    const char *task, *file;    /* of an open model: on what it is asked, with these overrides */
    hl_named_config asked;      /* without a path */
    const char *export_to;      /* the folder of an open model; with `overwrite` its files are replaced, or those of
                                     `examples` */
    bool overwrite;
    const char *treebank, *relation; /* a path; the name of one of its relations */
    const char *md;                  /* a path */
    bool subtypes, punct_and_root, trees, without_null;
    int64_t max_pieces; /* of a sentence; 0: not given */
    bool help, version;
} hl_heads_command;

/* HL_INVALID with what is wrong and the remedy. */
hl_status hl_heads_command_parse(int argc, char **argv, hl_heads_command *command);

/* Whether maps are asked for, to be drawn or written. */
bool hl_heads_command_shows(const hl_heads_command *command);

/* Whether --head, --example or --input asks for maps, which --json and --csv are then about. */
bool hl_heads_command_asks_maps(const hl_heads_command *command);

/* Whether heads are to be measured for the table, its files or the report: where no maps are asked for, or these
 * too. */
bool hl_heads_command_asks_figures(const hl_heads_command *command);

enum { HL_HEADS_TARGETS = 10 };

/* Every file that can be asked for, given or not. */
void hl_heads_command_targets(const hl_heads_command *command, hl_target targets[HL_HEADS_TARGETS]);

/* Whether one of the files goes to standard output, which then holds nothing else. */
bool hl_heads_command_fills_output(const hl_heads_command *command);

/* Whether with a treebank the heads are looked at, too: on examples, or in a page. */
bool hl_heads_command_looks(const hl_heads_command *command);

/* Questions that are asked instead of the table or maps: what the loss depends on, what is found in a treebank, or how
 * heads look by layer. */
typedef enum hl_heads_question {
    HL_HEADS_NO_QUESTION,
    HL_HEADS_SUBSET,
    HL_HEADS_IMPORTANCE,
    HL_HEADS_PRUNE,
    HL_HEADS_TREEBANK,
    HL_HEADS_PROFILE
} hl_heads_question;

hl_heads_question hl_heads_command_question(const hl_heads_command *command);

/* The text of --help. */
extern const char hl_heads_command_usage[];

#endif
