/* How much a split of a user's data holds. */
#pragma once

#include "core/base/status.h"
#include "data/text/text_data.h"

#include <stdint.h>

typedef struct hl_text_counts {
    int64_t pieces;            /* without special tokens, but including unknown ones */
    int64_t unknown;           /* how many of them are unknown */
    int64_t characters, words; /* in masked, next and classes, counted as in hl_scored_text; in tags, words are those of
                                  the treebank; in file there are none */
    int64_t targets, unseen;   /* in tags, classes and file; unseen: targets whose label training does not have */
    int64_t *labels;           /* (C) in tags and classes: how many targets have each label; otherwise NULL; owned */
} hl_text_counts;

/* Counts what the split's cache holds, by reading all of it. `progress` may be NULL; it receives numbers or examples,
 * not bytes. HL_BAD_FILE as hl_text_data_read, HL_NO_MEMORY, failures of `progress`; *counts is then empty. Free it
 * with hl_text_counts_free, which also accepts empty counts. */
hl_status hl_text_counts_of(const hl_text_data *data, hl_split split, hl_text_progress *progress, void *context,
                            hl_text_counts *counts);
void hl_text_counts_free(hl_text_counts *counts);
