/* The text of `train CONFIG --summary`. */
#ifndef HL_PROGRAMS_TRAIN_SUMMARY_H
#define HL_PROGRAMS_TRAIN_SUMMARY_H

#include "core/base/status.h"
#include "core/base/text.h"
#include "programs/train/graph.h"
#include "train/config.h"

enum { HL_SUMMARY_WIDTH = 80 };

/* The model as a table of modules with the shape at each step of the data's way, the parameters of each module, the
 * floating-point operations of an update, the memory and the files of the run. Lines of at most HL_SUMMARY_WIDTH bytes
 * as long as sizes are those of today's models. Made from a dry pass: takes some 64 KiB a layer, whatever the model's
 * size. On success *text is the caller's: hl_free. HL_INVALID if shapes do not fit, HL_NO_MEMORY. */
hl_status hl_summary_text(const hl_config *config, char **text);

/* Adds the same as JSON: every row of the graph, no layers folded; bytes that do not fit are null. Fails likewise. */
hl_status hl_summary_json(const hl_config *config, hl_text *text);

/* The table of modules in it. Adds a heading and a row for each of the graph's, in columns as wide as they need to be;
 * layers that follow each other and are equal in everything stand there once, as "encoder.layers.0 .. 11, each".
 * HL_NO_MEMORY is left on the text. */
void hl_summary_table(hl_text *text, const hl_graph *graph);

#endif
