/* Whether there is memory for what `heads` is asked. */
#ifndef HL_PROGRAMS_HEADS_MEMORY_H
#define HL_PROGRAMS_HEADS_MEMORY_H

#include "programs/heads/command.h"
#include "study/model.h"
#include "study/syntax_study.h"
#include "train/memory_check.h"

#include <stddef.h>

/* *bytes: the most that the answer takes at once, told from config.ini, the model's shapes and the number of snapshots
 * alone; SIZE_MAX where it does not fit. Not counted are --against and --treebank, which the next two tell. HL_INVALID
 * where shapes do not fit, HL_NO_MEMORY. */
hl_status hl_heads_memory(const hl_opened_model *run, const hl_heads_command *command, size_t *bytes);

/* The same of --against. */
hl_status hl_heads_memory_of_two(const hl_opened_model *first, const hl_opened_model *second, size_t *bytes);

/* The same of a treebank that is read, with what the command asks for beside it. */
hl_status hl_heads_memory_of_treebank(const hl_syntax_study *study, const hl_syntax_question *question,
                                      const hl_heads_command *command, size_t *bytes);

/* HL_NO_MEMORY, saying how to need less, where that is more than is at hand (hl_memory_check). Otherwise as above. */
hl_status hl_heads_memory_check(const hl_opened_model *run, const hl_heads_command *command, hl_memory_at_hand at_hand);
hl_status hl_heads_memory_check_two(const hl_opened_model *first, const hl_opened_model *second,
                                    hl_memory_at_hand at_hand);
hl_status hl_heads_memory_check_treebank(const hl_syntax_study *study, const hl_syntax_question *question,
                                         const hl_heads_command *command, hl_memory_at_hand at_hand);

#endif
