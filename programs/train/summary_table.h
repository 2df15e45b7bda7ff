/* The summary's table of modules; for summary.c alone. */
#ifndef HL_PROGRAMS_TRAIN_SUMMARY_TABLE_H
#define HL_PROGRAMS_TRAIN_SUMMARY_TABLE_H

#include "core/base/text.h"
#include "programs/train/graph.h"

/* Adds a heading and a row for each of the graph's, in columns as wide as they need to be; layers that follow each
 * other and are equal in everything stand there once, as "encoder.layers.0 .. 11, each". HL_NO_MEMORY is left on the
 * text. */
void hl_summary_table(hl_text *text, const hl_graph *graph);

#endif
