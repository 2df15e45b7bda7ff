/* Examples of what a head finds in a text with annotated mentions: mentions for which it looks at an earlier mention of
 * the same entity, and mentions for which it looks at another one.
 *
 *     hl_coreference_cases_init(&cases, &counts, rows, 4);
 *     for each layer of a pass over the text's windows, until hl_coreference_cases_full:
 *         hl_coreference_cases_add(&cases, &maps);
 *
 * The head of each row is that of the held-out numbers, and the examples are from documents 1, 3, 5 ...: the first
 * ones, one from each window. */
#pragma once

#include "core/base/declarations.h"
#include "core/base/status.h"
#include "core/base/tensor.h"
#include "heads/coreference.h"
#include "heads/treebank_pass.h"

#include <stdbool.h>
#include <stdint.h>

HL_BEGIN_DECLS

/* The words shown around each of three mentions, and the most words with a gap between each two. */
enum { HL_COREFERENCE_CASE_AROUND = 4, HL_COREFERENCE_CASE_MOST = 3 * (2 * HL_COREFERENCE_CASE_AROUND + 1) + 2 };

typedef struct hl_coreference_case {
    int64_t window;
    int32_t word, right, guess; /* words of the window: the case's; of the nearest right mention; the head's guess */
    int32_t n_shown;
    int32_t shown[HL_COREFERENCE_CASE_MOST];   /* the words around these, in order; -1: a gap */
    hl_real weights[HL_COREFERENCE_CASE_MOST]; /* what the case's word gives to each; 0 for itself and for a gap */
} hl_coreference_case;

typedef struct hl_coreference_cases {
    const hl_coreference_counts *counts; /* not owned */
    int64_t each;
    int64_t heads[HL_COREFERENCE_ROWS];
    int64_t n[HL_COREFERENCE_ROWS][2]; /* the number of wrong cases, and of right cases */
    hl_coreference_case *list;         /* (rows, 2, each), in the order of the windows; owned */
} hl_coreference_cases;

/* Keeps up to `each` right cases of each row, and as many wrong ones. HL_NO_MEMORY; *cases is then empty. On success
 * free with hl_coreference_cases_free. The counts must outlive the cases. */
hl_status hl_coreference_cases_init(hl_coreference_cases *cases, const hl_coreference_counts *counts,
                                    const hl_coreference_row *rows, int64_t each);

/* A zeroed or already freed struct is allowed. */
void hl_coreference_cases_free(hl_coreference_cases *cases);

/* Takes the cases that are still missing from a layer's maps of some windows; `context` is a hl_coreference_cases. The
 * windows must come in order. A receiver of layers (hl_treebank_taker); it uses one thread. */
void hl_coreference_cases_add(void *context, const hl_word_maps *maps, int threads);

/* Whether there are as many cases of each kind as requested. */
bool hl_coreference_cases_full(const void *context);

HL_END_DECLS
