/* The table at the end of a run, for a person to read: what every head looks at. */
#pragma once

#include "core/base/declarations.h"
#include "core/base/status.h"
#include "core/base/text.h"
#include "heads/label.h"
#include "heads/metrics.h"
#include "heads/recorder.h"

#include <stdint.h>

HL_BEGIN_DECLS

enum { HL_TABLE_WIDTH = 80 };

/* Adds the table of n >= 1 heads and their labels to `text`: one row for each head in the given order (its label, the
 * label's score and baseline, the best offset, entropy), a paragraph that explains the columns, and the sentences
 * below. It is ASCII. With fewer than 100,000 heads, no line is longer than HL_TABLE_WIDTH. A label that does not fit
 * is cut and ends in "~". `relations` as in hl_label_text_of. HL_NO_MEMORY is left on the text. */
void hl_table_write(hl_text *text, const hl_head_metrics *heads, const hl_label *labels, int64_t n,
                    const char *const *relations);

/* Adds sentences that name the head with the greatest lift at its best offset and, if the task states sources, the head
 * with the most weight on them (the first of equals). */
void hl_table_sentences(hl_text *text, const hl_head_metrics *heads, int64_t n);

/* Adds the table of all heads as they were last recorded, by layer and head. HL_NO_MEMORY, or an earlier failure of the
 * text. */
hl_status hl_table_of(const hl_recorder *recorder, const char *const *relations, hl_text *text);

HL_END_DECLS
