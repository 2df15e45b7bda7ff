/* The questions about heads that `heads` answers, one function for each. All measure as the command says and print a
 * table to `out`, or write what the command asks for to its files. */
#ifndef HL_PROGRAMS_HEADS_QUESTIONS_H
#define HL_PROGRAMS_HEADS_QUESTIONS_H

#include "heads/share.h"
#include "programs/heads/command.h"
#include "study/model.h"

#include <stdio.h>

/* An open model has neither examples nor a loss of its own. HL_INVALID, with what to do instead, where the command
 * asks an open model for more than it has; OK for a run. */
hl_status hl_heads_check_open(const hl_model_source *run, const hl_heads_command *command);

/* --keep-only and --drop: what a run's model is worth with some of its heads. Prints a table to `out` with a row for
 * all heads and one for those that the command keeps (keep_only or drop is given): loss, perplexity, accuracy on the
 * validation set with the last checkpoint's weights, which are loaded; or writes them as the command says: as JSON
 * {"weights_step" (null: not known), "examples", "kept": ["L0H2", ...], "rows": [{"heads", "loss", "perplexity",
 * "accuracy"}]}, as CSV the rows. HL_INVALID naming the option and what in it names no head, HL_BAD_FILE,
 * HL_NOT_FINITE, HL_NO_MEMORY. */
hl_status hl_heads_subset_show(hl_opened_model *run, const hl_heads_command *command, FILE *out);

/* --importance: which heads the loss depends on, and which only look as if it did. Measures the heads of the snapshot
 * of command->step (-1: the last one) and prints a table to `out`, or writes what the command asks for to its files;
 * with command->treebank joined with what they find there (importance_syntax.h); that all sets may take long goes to
 * `err`. HL_INVALID (no such step, or none of its weights; more heads than --shapley takes), HL_BAD_FILE,
 * HL_NOT_FINITE, HL_NO_MEMORY. With `share` (NULL: alone) several processes measure together, and the first of them
 * alone prints and writes. */
hl_status hl_heads_importance_show(hl_opened_model *run, const hl_heads_command *command, const hl_share *share,
                                   FILE *out, FILE *err);

/* --prune, --prune-once and --prune-to: the curve, and the smaller model as a file or as an open model. Takes heads
 * out as the command says (programs/heads/pruning.h) and prints a table to `out`, unless CSV goes there; writes the
 * files that it asks for, with prune_to the smaller model, too: weights under the names of train/checkpoint.h, whose
 * metadata are the run's config with the layers' new heads, key/value heads and widths, and `heads`, the names that
 * they had; and prints how to fine-tune it; or the folder of programs/heads/export_model.h. HL_INVALID (a prune_to
 * outside one head in every layer .. all but one, an --out that is a file of the run itself), HL_BAD_FILE,
 * HL_NOT_FINITE, HL_NO_MEMORY. */
hl_status hl_heads_prune_show(hl_opened_model *run, const hl_heads_command *command, FILE *out, FILE *err);

/* --profile: how heads look, layer by layer, as in section 3 of Clark et al. 2019 (arXiv:1906.04341): how widely, how
 * far, and how much at separators, at the first token and at punctuation. Measures the heads of the snapshot of
 * command->step (-1: the last one) on its scoring examples, prints a table and a strip of dots for each layer, or
 * writes what the command asks for to its files: JSON {"step", "examples", "layers": [{"layer", "heads", "entropy",
 * "entropy_baseline", "distance", ..., "special", "first", "punctuation"}], "heads": [the same with "layer", "head"]},
 * where a layer has the mean of its heads, the baseline is attention spread evenly, and null stands where there is
 * nothing to measure; CSV, a row a head; Markdown, the table; a figure. Fails as hl_opened_model_snapshot, and as
 * files do. */
hl_status hl_heads_profile_show(hl_opened_model *run, const hl_heads_command *command, FILE *out);

#endif
