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

/* *bytes: the most memory that the answer needs at once, computed only from config.ini, the model's shapes and the
 * number of snapshots; SIZE_MAX if it does not fit. *remedy: what needs less. The verbs compare and grammar use the
 * next functions instead. HL_INVALID if shapes do not fit, HL_NO_MEMORY. */
hl_status hl_heads_memory(const hl_opened_model *run, const hl_heads_command *command, size_t *bytes,
                          const char **remedy);

/* *bytes: the result of `bytes_of` for a model with these shapes that is not allocated. HL_NO_MEMORY; fails as
 * bytes_of. */
typedef hl_status hl_heads_bytes_of(const hl_opened_model *run, const hl_heads_command *command, const hl_model *model,
                                    size_t *bytes);
hl_status hl_heads_bytes(const hl_opened_model *run, const hl_heads_command *command, hl_heads_bytes_of *bytes_of,
                         size_t *bytes);

/* The size of the examples on which the command measures: their number, and the most tokens of each. */
hl_examples hl_heads_examples_size(const hl_opened_model *run);

/* The bytes for turning the maps of these examples into shares of norms (heads/norm_shares.h). */
hl_heads_bytes_of hl_heads_norms_bytes;

/* The bytes for the study of all heads with its page and files, and what needs less; 0: there is no snapshot. */
size_t hl_heads_study_bytes(const hl_footprint *f);
const char *hl_heads_study_remedy(const hl_footprint *f);

/* A verb's `memory` whose page, if one is asked for, is all that it needs at once. */
hl_status hl_heads_page_memory(const hl_opened_model *run, const hl_heads_command *command, const hl_footprint *f,
                               size_t *bytes, const char **remedy);

/* The same for two runs that are compared. */
hl_status hl_heads_memory_of_two(const hl_opened_model *first, const hl_opened_model *second, size_t *bytes);

/* The same for a treebank that has been read, and everything else that the command requests. */
hl_status hl_heads_memory_of_treebank(const hl_syntax_study *study, const hl_syntax_question *question,
                                      const hl_heads_command *command, size_t *bytes, const char **remedy);

/* HL_NO_MEMORY, saying how to need less, if more is needed than is free (hl_memory_check). Otherwise as above. */
hl_status hl_heads_memory_check(const hl_opened_model *run, const hl_heads_command *command, hl_memory_at_hand at_hand);
hl_status hl_heads_memory_check_two(const hl_opened_model *first, const hl_opened_model *second,
                                    hl_memory_at_hand at_hand);
hl_status hl_heads_memory_check_treebank(const hl_syntax_study *study, const hl_syntax_question *question,
                                         const hl_heads_command *command, hl_memory_at_hand at_hand);
hl_status hl_heads_memory_check_coreference(const hl_coreference_study *study, const hl_syntax_question *question,
                                            const hl_heads_command *command, hl_memory_at_hand at_hand);
