/* Which head attends from a mention to an earlier mention of the same entity: counts, and what they show.
 *
 *     hl_coreference_init(&counts, &text, n_heads);
 *     for each window, and for each head:
 *         hl_coreference_add_head(&counts, head, window, its weights between the words of the window);
 *     hl_coreference_row row = hl_coreference_row_of(&counts, HL_COREFERENCE_PRONOUN);
 *
 * A case is a mention that has an earlier mention of one of its entities in the window. Its candidates are all earlier
 * mentions in the window. A head's guess is the candidate to which the mention's word gives the largest weight, the
 * first among equals. A guess is a hit if it has an entity in common with the case.
 *
 * The baselines guess the nearest candidate; the first one; and the nearest with the same word (in lower case), or if
 * there is none the nearest. Chance is the mean share of right candidates.
 *
 * A head is chosen on documents 0, 2, 4 ... and measured on 1, 3, 5 ..., ties to the lowest. Intervals are from a
 * bootstrap over the measured documents (Efron 1979). The question is that of Clark et al. 2019 (arXiv:1906.04341),
 * section 4.3, who use one head for all and measure it where they chose it. */
#pragma once

#include "core/base/declarations.h"
#include "core/base/status.h"
#include "core/base/tensor.h"
#include "data/text/coreference.h"
#include "heads/syntax.h"
#include "heads/treebank_pass.h"

#include <stdbool.h>
#include <stdint.h>

HL_BEGIN_DECLS

/* The cases of a row: all; by the word's kind; by the sentences between the case and its nearest right candidate. */
typedef enum hl_coreference_rows {
    HL_COREFERENCE_ALL,
    HL_COREFERENCE_PRONOUN,
    HL_COREFERENCE_NAME,
    HL_COREFERENCE_OTHER,
    HL_COREFERENCE_SAME_SENTENCE,
    HL_COREFERENCE_NEAR, /* one to three sentences back */
    HL_COREFERENCE_FAR,
    HL_COREFERENCE_ROWS
} hl_coreference_rows;

const char *
hl_coreference_row_name(hl_coreference_rows row); /* "all", "pronoun", "name", "other", "same sentence" ... */

typedef enum hl_coreference_baseline {
    HL_COREFERENCE_SAME_WORD,
    HL_COREFERENCE_NEAREST,
    HL_COREFERENCE_FIRST,
    HL_COREFERENCE_BASELINES
} hl_coreference_baseline;

enum { HL_COREFERENCE_DRAWS = 10000 };

typedef struct hl_coreference_counts {
    const hl_coreference_text *text; /* not owned */
    int64_t n_heads, n_documents;
    int32_t *hits;      /* (rows, documents, heads) */
    int32_t *cases;     /* (rows, documents) */
    int32_t *baselines; /* (rows, documents, baselines): hits */
    double *chance;     /* (rows, documents): the sum over the cases of the shares of right candidates */
    uint8_t *rows;      /* (mentions): the rows of each case, a bit for each; 0: not a case */
    void *memory;       /* owned: the block of these arrays */
} hl_coreference_counts;

/* Counts the cases and the baselines' hits. HL_NO_MEMORY; *counts is then empty. On success free with
 * hl_coreference_free. The text must outlive the counts. */
hl_status hl_coreference_init(hl_coreference_counts *counts, const hl_coreference_text *text, int64_t n_heads);

/* A zeroed or already freed struct is allowed. */
void hl_coreference_free(hl_coreference_counts *counts);

/* Sets all hits of heads to 0. */
void hl_coreference_clear(hl_coreference_counts *counts);

/* Counts a head's hits in a window. weights (W, W): what word i gives to word j. Several threads may add different
 * heads at the same time. */
void hl_coreference_add_head(hl_coreference_counts *counts, int64_t head, int64_t window, const hl_real *weights);

/* The same for a layer's heads in some windows; `counts` are hl_coreference_counts. A receiver of layers
 * (hl_treebank_taker). */
void hl_coreference_add_layer(void *counts, const hl_word_maps *maps, int threads);

/* The rows that are followed over training: HL_COREFERENCE_ALL to HL_COREFERENCE_OTHER. */
enum { HL_COREFERENCE_FOLLOWED = HL_COREFERENCE_OTHER + 1 };

/* Writes these rows into the relations `first` and following of `syntax`. Its halves are then documents 0, 2, 4 ...
 * and 1, 3, 5 ...; all hits are d>h. In the place of the best offset, -1, stand the hits of HL_COREFERENCE_SAME_WORD.
 */
void hl_coreference_put(const hl_coreference_counts *counts, hl_syntax *syntax, int64_t first);

/* The candidate that the case's word gives most to; `mention` is a case. */
size_t hl_coreference_guess(const hl_coreference_text *text, int64_t window, size_t mention, const hl_real *weights);

/* The bytes that hl_coreference_init allocates; SIZE_MAX for impossible sizes. */
size_t hl_coreference_counts_bytes(const hl_coreference_text *text, int64_t n_heads);

/* Shares are from 0 to 1, and NAN if there are no cases. */
typedef struct hl_coreference_row {
    int64_t cases, head; /* the head that finds most in all documents, and how much */
    double found, baselines[HL_COREFERENCE_BASELINES], chance;
    int64_t held_out_cases, held_out_head;        /* chosen on documents 0, 2, 4 ..., measured on 1, 3, 5 ... */
    double held_out, held_out_low, held_out_high; /* the 95% interval; NAN if fewer than two documents have cases */
    double held_out_baselines[HL_COREFERENCE_BASELINES];
    bool beyond; /* above the strongest baseline in at least 97.5% of the draws; false without an interval */
} hl_coreference_row;

/* HL_NO_MEMORY. */
hl_status hl_coreference_row_of(const hl_coreference_counts *counts, hl_coreference_rows row, hl_coreference_row *out);

/* The share of the row's cases in documents 1, 3, 5 ... that a head finds; NAN if there are none. */
double hl_coreference_held_out(const hl_coreference_counts *counts, hl_coreference_rows row, int64_t head);

HL_END_DECLS
