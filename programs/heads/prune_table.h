/* What heads --prune says: the curve as a table, as JSON, as CSV, as a chart. */
#ifndef HL_PROGRAMS_HEADS_PRUNE_TABLE_H
#define HL_PROGRAMS_HEADS_PRUNE_TABLE_H

#include "core/base/text.h"
#include "programs/heads/pruning.h"
#include "show/drawing.h"

/* Adds a heading, a row for every number of heads left, and sentences; no line longer than HL_TABLE_WIDTH but the
 * first, which has the run's path. HL_NO_MEMORY is left on the text. */
void hl_heads_prune_table(hl_text *text, const hl_heads_pruning *pruning);

/* {"weights_step" (null: not known), "examples", "rows": [the columns below as members; "removed" is null in the
 * first]}. HL_NO_MEMORY is left on the text. */
void hl_heads_prune_json(hl_text *text, const hl_heads_pruning *pruning);

/* heads,removed,loss,perplexity,accuracy,parameters,milliseconds_per_batch; `removed` is empty in the first row.
 * HL_NO_MEMORY is left on the text. */
void hl_heads_prune_csv(hl_text *text, const hl_heads_pruning *pruning);

/* Adds the chart (show/curve_picture.h) in that format. HL_NO_MEMORY, HL_FAILED. */
hl_status hl_heads_prune_chart(const hl_heads_pruning *pruning, hl_picture_format format, hl_text *bytes);

#endif
