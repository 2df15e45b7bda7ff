/* The text of `train CONFIG --summary`. */
#pragma once

#include "core/base/status.h"
#include "core/base/text.h"
#include "programs/train/graph.h"
#include "train/config.h"

enum { HL_SUMMARY_WIDTH = 80 };

/* Adds the model as a table of modules, with the shape at each step, the parameters of each module, the floating-point
 * operations of an update, the memory and the files of the run. For models of today's sizes, lines have at most
 * HL_SUMMARY_WIDTH bytes. It is made from a dry pass and needs about 64 KiB per layer, independent of the model's size.
 * `json`: the same as JSON, with every row of the graph and without folded layers; sizes that do not fit are null.
 * HL_INVALID if shapes do not fit, HL_NO_MEMORY. */
hl_status hl_summary_write(const hl_config *config, bool json, hl_text *text);

/* Adds the table of modules: a heading and a row for each row of the graph. Columns are as wide as they need to be.
 * Equal layers that follow each other are shown once, as "encoder.layers.0 .. 11, each". HL_NO_MEMORY is left on the
 * text. */
void hl_summary_table(hl_text *text, const hl_graph *graph);
