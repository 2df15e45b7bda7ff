/* What was left out or changed while data of a user's files were made, as lines. */
#ifndef HL_TRAIN_PRIVATE_DATA_NOTICES_H
#define HL_TRAIN_PRIVATE_DATA_NOTICES_H

#include "core/base/text.h"
#include "data/text/text_data.h"

/* Adds a line for each notice that counts anything, each once: "training: 3 sentences were cut ..."; of a file's lines,
 * which both parts may come from, "my.txt: 40 lines ended ..."; and one where there is a single label. The spec is what
 * the data were opened by. */
void hl_data_notices_print(const hl_text_data *data, const hl_text_spec *spec, hl_text *notices);

#endif
