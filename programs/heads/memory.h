/* Checks that there is memory for the answer of `heads`. */
#pragma once

#include "programs/heads/command.h"
#include "study/coreference_study.h"
#include "study/model.h"
#include "study/syntax_study.h"
#include "train/footprint.h"
#include "train/memory_check.h"

#include <stddef.h>

#define HL_HEADS_LESS_EXAMPLES "a run with fewer patterns.examples needs less"
#define HL_HEADS_LESS_MEASURING "a run with fewer patterns.examples or a larger optimizer.accumulate needs less"

/* What an answer needs, computed only from config.ini, the model's shapes and the number of snapshots. */
typedef struct hl_heads_need {
    const hl_opened_model *run;
    const hl_heads_command *command; /* NULL: two runs are compared */
    hl_footprint f;                  /* of the run */
    size_t bytes;                    /* the most memory at once; SIZE_MAX if it does not fit */
    size_t there;                    /* of that, what has been taken already */
    const char *remedy;              /* what needs less */
} hl_heads_need;

/* The need of a verb that has `memory`, or little. The verbs compare, grammar and coreference use the next functions
 * instead. HL_INVALID if shapes do not fit, HL_NO_MEMORY. */
hl_status hl_heads_memory(const hl_opened_model *run, const hl_heads_command *command, hl_heads_need *need);

/* The same for two runs that are compared. */
hl_status hl_heads_memory_of_two(const hl_opened_model *first, const hl_opened_model *second, hl_heads_need *need);

/* The same for a treebank that has been read, and everything else that the command requests. */
hl_status hl_heads_memory_of_treebank(const hl_syntax_study *study, const hl_syntax_question *question,
                                      const hl_heads_command *command, hl_heads_need *need);
hl_status hl_heads_memory_of_coreference(const hl_coreference_study *study, const hl_syntax_question *question,
                                         const hl_heads_command *command, hl_heads_need *need);

/* HL_NO_MEMORY, saying how to need less, if more is needed than is free (hl_memory_check). */
hl_status hl_heads_need_check(const hl_heads_need *need, hl_memory_at_hand at_hand);

/* ---- for a verb's `memory`, which sets `bytes` and `remedy` of a need with all other members ---- */

/* *bytes: the result of `bytes_of` for a model with these shapes that is not allocated. HL_NO_MEMORY; fails as
 * bytes_of. */
typedef hl_status hl_heads_bytes_of(const hl_heads_need *need, const hl_model *model, size_t *bytes);
hl_status hl_heads_bytes(const hl_heads_need *need, hl_heads_bytes_of *bytes_of, size_t *bytes);

/* The bytes of the pass that records the maps of --input; 0: it is empty or too long, and will be refused. */
hl_heads_bytes_of hl_heads_input_bytes;

/* The bytes for turning the maps of the input, or else of the examples, into shares of norms (heads/norm_shares.h). */
hl_heads_bytes_of hl_heads_norms_bytes;

/* The size of the examples on which the command measures: their number, and the most tokens of each. */
hl_examples hl_heads_examples_size(const hl_opened_model *run);

/* The model with its kernels' memory, which any pass takes. */
size_t hl_heads_model_bytes(const hl_heads_need *need);

/* The bytes for the study of all heads with its page and files; 0: there is no snapshot. */
size_t hl_heads_study_bytes(const hl_heads_need *need);

/* A verb's `memory` for this study; and for it alone where a page is asked for. */
hl_status hl_heads_study_memory(hl_heads_need *need);
hl_status hl_heads_page_memory(hl_heads_need *need);

size_t hl_heads_larger(size_t a, size_t b);
