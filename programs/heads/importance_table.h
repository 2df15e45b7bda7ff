/* The table that heads --importance prints. */
#ifndef HL_PROGRAMS_HEADS_IMPORTANCE_TABLE_H
#define HL_PROGRAMS_HEADS_IMPORTANCE_TABLE_H

#include "core/text.h"
#include "programs/heads/importance.h"

/* Adds one row a head, what the columns mean, and sentences: how far the two orders agree, decorative heads, silent
 * workers; where all sets were measured, Shapley values and the smallest set. No line is longer than HL_TABLE_WIDTH
 * but the first, which has the run's path. HL_NO_MEMORY is left on the text. */
void hl_heads_importance_table(hl_text *text, const hl_heads_importance *study);

#endif
