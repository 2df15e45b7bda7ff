/* The text of `train CONFIG --summary`. */
#pragma once

#include "core/base/status.h"
#include "core/base/text.h"
#include "programs/train/graph.h"
#include "train/config.h"

enum { HL_SUMMARY_WIDTH = 80 };

/* The model as a table of modules, with the shape at each step, the parameters of each module, the floating-point
 * operations of an update, the memory and the files of the run. For models of today's sizes, lines have at most
 * HL_SUMMARY_WIDTH bytes. It is made from a dry pass and needs about 64 KiB per layer, independent of the model's size.
 * On success the caller frees *text with hl_free. HL_INVALID if shapes do not fit, HL_NO_MEMORY. */
hl_status hl_summary_text(const hl_config *config, char **text);

/* Adds the same as JSON, with every row of the graph and without folded layers. Sizes that do not fit are null. Fails
 * likewise. */
hl_status hl_summary_json(const hl_config *config, hl_text *text);

/* Adds the table of modules: a heading and a row for each row of the graph. Columns are as wide as they need to be.
 * Equal layers that follow each other are shown once, as "encoder.layers.0 .. 11, each". HL_NO_MEMORY is left on the
 * text. */
void hl_summary_table(hl_text *text, const hl_graph *graph);
