/* How much a split of a user's data holds. */
#ifndef HL_DATA_TEXT_PRIVATE_TEXT_COUNTS_H
#define HL_DATA_TEXT_PRIVATE_TEXT_COUNTS_H

#include "core/base/status.h"
#include "data/text/text_data.h"

#include <stdint.h>

typedef struct hl_text_counts {
    int64_t pieces;            /* without special tokens, but with unknown ones */
    int64_t unknown;           /* of them */
    int64_t characters, words; /* of masked, next and classes as hl_scored_text counts them; of tags words are those of
                                  the treebank; of file there are none */
    int64_t targets, unseen;   /* of tags, classes and file; unseen: without a label of training */
    int64_t *labels;           /* (C) of tags and classes: how many targets have it; else NULL; owned */
} hl_text_counts;

/* Counts what the split's cache holds, which is read through; `progress` may be NULL, and is told numbers or examples,
 * not bytes. HL_BAD_FILE as hl_text_data_read, HL_NO_MEMORY, what `progress` fails with; *counts is then empty. To be
 * ended by hl_text_counts_free, which takes an empty one, too. */
hl_status hl_text_counts_of(const hl_text_data *data, hl_split split, hl_text_progress *progress, void *context,
                            hl_text_counts *counts);
void hl_text_counts_free(hl_text_counts *counts);

#endif
