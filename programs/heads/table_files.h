/* The table of all heads with its files: the answer of `heads table`, and a part of those of `heads grammar` and
 * `heads coreference`. */
#pragma once

#include "programs/heads/call.h"
#include "programs/results.h"
#include "study/coreference_study.h"
#include "study/study.h"
#include "study/syntax_study.h"

/* Begin with a zeroed struct with `call` set. Free it with hl_heads_table_files_free. */
typedef struct hl_heads_table_files {
    hl_heads_call *call;                     /* not owned, like the next one */
    const hl_syntax_study *syntax;           /* of the command's treebank, with cases; NULL: none */
    const hl_coreference_study *coreference; /* the same; not both */
    char *folder; /* for heads.csv and report.html: the run's, or that of the sentences; NULL: none; owned */
    hl_heads_study study;
} hl_heads_table_files;

/* What a verb with such files begins with when its model is open: finds the folder (with a treebank there is one only
 * for sentences), reads and begins. Fails as hl_heads_examples_find_folder, hl_heads_call_read and
 * hl_heads_call_begin. */
hl_status hl_heads_table_files_begin(hl_heads_table_files *files);

/* Measures the heads in the snapshot of the command's step, prints the table, and writes heads.csv and report.html, or
 * the requested files. Fails as hl_opened_model_snapshot and hl_heads_study_make, and if a file cannot be written. */
hl_status hl_heads_table_files_make(hl_heads_table_files *files);

/* A zeroed or already freed one is allowed. */
void hl_heads_table_files_free(hl_heads_table_files *files);

/* The table of heads (study/heads_table.h) as JSON: adds {"step", "examples", "loss", "weights_step", "heads":
 * [{"layer", "head", "label", "score", "baseline", "lift", "entropy" (nats), "entropy_normalised", "confidence",
 * "distance", "distance_signed", "best_offset", "importance", "loss_without", "standard_error", "kept", "faithful",
 * "faithful_in_group", "relation", "direction", "held_out", "held_out_baseline" (of the second label:
 * programs/heads/treebank.h)}], "groups": [{"layer", "label", "heads", "loss_without", "standard_error", "kept",
 * "faithful"}]}. What is not known is null; verdicts are true, false or null. HL_NO_MEMORY is left on the text. */
void hl_heads_json_print(hl_text *text, const hl_heads_study *study, const char *const *relations);

/* Whether the effect says that a head is faithful: 0, 1, or NAN if it does not tell, or is NULL. */
double hl_heads_truth(const hl_head_effect *effect);

/* Adds "loss_without", "standard_error", "kept" and "faithful" for programs; NULL: nothing is known. */
void hl_heads_add_effect(hl_row *row, const hl_head_effect *effect);
