/* The verbs of `heads`: the options, the help and the action of each. */
#pragma once

#include "programs/heads/call.h"
#include "programs/heads/command.h"
#include "programs/heads/help.h"
#include "programs/heads/memory.h"

#include <stddef.h>

/* All members are constant; NULL if a verb has no such part. */
struct hl_heads_verb {
    const char *name;
    const char *does;    /* a line of heads --help */
    const char *example; /* the words after the program's name */
    const char *help;    /* the text of --help, of at most 40 lines (programs/heads/help.h) */
    const char *options; /* their names, with blanks between them (hl_heads_options) */
    const char *object;  /* the name of its second word, such as "TREEBANK" */
    bool object_needed;  /* false: it may be left out */
    bool without_model;  /* it takes no words at all */
    bool (*shares)(const hl_heads_command *command); /* whether several processes measure together; NULL: rank 0 alone
                                                        does all */
    /* Checks that the options go together, before anything is opened. HL_INVALID, saying what is wrong. */
    hl_status (*check)(const hl_heads_command *command);
    /* Sets what the answer needs besides what every call needs (programs/heads/memory.h), and what needs less.
     * HL_INVALID if shapes do not fit, HL_NO_MEMORY. NULL: the verb checks its memory itself, or needs little. */
    hl_status (*memory)(hl_heads_need *need);
    /* Opens the model and answers, as described below for each verb. */
    hl_status (*run)(hl_heads_call *call);
};

/* Prints the table of all heads at a step (programs/heads/table_files.h). Writes heads.csv and report.html into the
 * run's folder, or for sentences into their own folder; or writes the requested files. */
extern const hl_heads_verb hl_heads_verb_table;

/* Draws the maps of one head or of all heads in the terminal, or writes them as figures, arrays, JSON or CSV
 * (programs/heads/export.h). For an input, it adds the model's answers (programs/heads/answers.h). */
extern const hl_heads_verb hl_heads_verb_map;

/* How heads look, layer by layer, as in section 3 of Clark et al. 2019 (arXiv:1906.04341): how widely, how far, and
 * how much at separators, at the first token and at punctuation, on the snapshot's scoring examples. A table and a
 * strip of dots for each layer; JSON {"step", "examples", "layers": [{"layer", "heads", "entropy",
 * "entropy_baseline", "distance", ..., "special", "first", "punctuation"}], "heads": [the same with "layer",
 * "head"]}. A layer has the mean of its heads; the baseline is attention spread evenly; null means that there is
 * nothing to measure. CSV, a row for each head; Markdown, the table; a figure. */
extern const hl_heads_verb hl_heads_verb_profile;

/* Which heads the loss depends on, and which only look as if it did (programs/heads/importance.h). With --keep
 * or --drop: the loss of the model with some of its heads (heads/subset.h). */
extern const hl_heads_verb hl_heads_verb_importance;

/* Removes head after head and shows the curve (programs/heads/pruning.h). With --to, it writes the smaller model as a
 * file or as an open model. The file has weights under the names of train/checkpoint.h. Its metadata are the run's
 * config with the layers' new heads, key/value heads and widths, and `heads`, the heads' former names. The verb also
 * prints how to fine-tune the model. */
extern const hl_heads_verb hl_heads_verb_prune;

/* Which head finds which relation of a treebank (programs/heads/treebank.h). With --importance, it also shows how much
 * each head matters (programs/heads/verbs/grammar.c). */
extern const hl_heads_verb hl_heads_verb_grammar;

/* Which head attends from a mention to an earlier mention of the same entity (heads/coreference.h). JSON {"documents",
 * "windows", "left_out", "rows": [{"kind", "cases", "head", "found", "same_word", "nearest", "first", "chance",
 * "held_out_head", "held_out", "held_out_low", "held_out_high", "null", "beyond" ...}]}; CSV the rows; Markdown, the
 * table; a figure of all heads. */
extern const hl_heads_verb hl_heads_verb_coreference;

/* Compares two models head by head: two runs as a table and a page (programs/heads/against.h), other models by what
 * changed from one to the other (programs/heads/change.c). */
extern const hl_heads_verb hl_heads_verb_compare;

/* What each head, and every other part of the model, adds to the right answer's logit; how much each head writes, and
 * whether it hands on the token that it attends to (heads/writes.h). */
extern const hl_heads_verb hl_heads_verb_writes;

/* Activation patching: which parts of the model carry the difference between two texts (programs/heads/patching.h). */
extern const hl_heads_verb hl_heads_verb_patch;

/* Where the information at each position of a text comes from, through all layers (heads/rollout.h). JSON {"tokens",
 * "raw", "rollout", "rollout_norms": layers of queries of keys}; an npz file of the same arrays; a figure. */
extern const hl_heads_verb hl_heads_verb_rollout;

/* Which head reads what which earlier head wrote (heads/composition.h). JSON {"draws", "wires": [{"from_layer",
 * "from_head", "to_layer", "to_head", "by", "composition", "beyond", "chance_95"}]}, the strongest first; CSV the
 * wires; Markdown, the table. */
extern const hl_heads_verb hl_heads_verb_wires;

/* How much the subspaces of heads in a layer overlap (heads/spaces.h). JSON {"draws", "rows": [{"layer", "matrix"
 * ("Q", "K", "V", "O"), "head", "other", "overlap", "smallest_angle", "step_0" (null for an open model),
 * "random_mean", "random_95"}]}; CSV the rows; Markdown, the table. */
extern const hl_heads_verb hl_heads_verb_spaces;

/* Whether relations pull heads in different directions (heads/relation_gradients.h). JSON {"step", "examples", "rows":
 * [{"layer", "head", "relation", "other", "cosine", "norm", "other_norm"}]}; CSV the rows; Markdown, the table. */
extern const hl_heads_verb hl_heads_verb_gradients;

/* The model as a folder that transformers loads (programs/heads/export_model.h). */
extern const hl_heads_verb hl_heads_verb_export;

/* What the words of tables and pages mean (heads/words.h). */
extern const hl_heads_verb hl_heads_verb_words;

/* All of them, in the order of heads --help. */
enum { HL_HEADS_VERBS = 16 };
extern const hl_heads_verb *const hl_heads_verbs[HL_HEADS_VERBS];

/* The verb of that name; NULL: there is none. */
const hl_heads_verb *hl_heads_verb_of(const char *name);
