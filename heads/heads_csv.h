/* The content of heads.csv: all metrics of all heads at all snapshots of a run.
 *
 *     step,layer,head,metric,value,baseline
 *
 * Snapshots are added one by one, and need not stay in memory:
 *
 *     hl_heads_csv csv = { 0 };
 *     HL_TRY(hl_heads_csv_add(&csv, 0, layers, n_layers, NULL, NULL));  // for each snapshot, by step
 *     hl_heads_csv_print(&csv, relations, -1, &text);             // and hl_text_status(&text)
 *     hl_heads_csv_free(&csv); */
#ifndef HL_HEADS_HEADS_CSV_H
#define HL_HEADS_HEADS_CSV_H

#include "core/base/declarations.h"
#include "core/base/status.h"
#include "core/base/text.h"
#include "heads/catalogue.h"
#include "heads/effect.h"
#include "heads/pattern.h"

#include <stddef.h>
#include <stdint.h>

HL_BEGIN_DECLS

typedef struct hl_heads_csv_row {
    int64_t step;
    int layer;
    int64_t head;
    hl_reading reading;
} hl_heads_csv_row;

/* A zeroed one is empty. Owned by the caller: hl_heads_csv_free. */
typedef struct hl_heads_csv {
    int64_t n_tokens; /* the most that T may be: set by the caller before the first snapshot, or left 0: that one's */
    int threads;      /* set by the caller: on how many threads snapshots are measured, which changes no number */

    hl_heads_csv_row *rows; /* n, by step, layer and head, with offset(k) and all.offset(k) for every k with a value */
    size_t n, capacity;

    /* Of all snapshots; 0 and NULL before the first. */
    int n_layers;
    int64_t n_heads;   /* in all layers together */
    int64_t *offsets;  /* (2 n_tokens - 1): -(n_tokens - 1) .. n_tokens - 1 */
    bool *best;        /* (2 n_tokens - 1): whether that offset is some head's best at some step */
    int64_t *measured; /* (n_heads): how many rows each has in the last snapshot besides its pairs' */
    double *mixed;     /* (n_heads (n_heads + 1) / 2): of each pair, and head with itself, its mixed rows' entropies */
    double *halves;    /* (threads, n_heads, hl_row_halves_width(n_tokens)): a thread's rows of all heads, halved */
    double *untrained; /* as `mixed`: js of each pair of heads at step 0; NULL where there is no such snapshot */
} hl_heads_csv;

/* Adds the metrics of all heads, and of all pairs of heads, of a snapshot: layers[l] is head 0 of layer l on all
 * examples (first and gap 0, at least one example), and stands for all n_heads of its layer. `sums`: the validation
 * sums of the same heads, or NULL: this step then has no metrics all.*. `effects`: of all heads by layer and head,
 * measured with the weights of this step, or NULL: it then has no importance and no loss_without. Add snapshots in the
 * order of steps; their arrays are not kept, and their examples may differ. HL_INVALID: other layers or heads than the
 * snapshots before, T above n_tokens or different between layers; HL_NO_MEMORY. Then nothing is added. */
hl_status hl_heads_csv_add(hl_heads_csv *csv, int64_t step, const hl_patterns *layers, int n_layers,
                           const hl_validation_sums *sums, const hl_head_effect *effects);

/* The bytes that it takes besides its rows, of so many heads in all and up to T tokens. */
size_t hl_heads_csv_bytes(int64_t n_heads, int64_t T, int threads);

/* Whether the file shows a reading: one of an offset only where that is -1, 0, 1 or some head's best at some step. */
bool hl_heads_csv_shows(const hl_heads_csv *csv, const hl_reading *reading);

/* Adds the file to the text: a header, then a line for each row of `step`, below 0 of all steps, by step, layer and
 * head, metrics as hl_metric_print spells them. Of offsets only what hl_heads_csv_shows; js once for each pair, in the
 * line of the one that comes first. Numbers have nine significant digits; a baseline that does not exist is empty.
 * js is within 1e-13 of hl_divergence_of, and 0 where all weights are equal.
 * HL_NO_MEMORY is left on the text. */
void hl_heads_csv_print(const hl_heads_csv *csv, const char *const *relations, int64_t step, hl_text *text);

/* Adds the line of one row. HL_NO_MEMORY is left on the text. */
void hl_heads_csv_print_row(const hl_heads_csv_row *row, const char *const *relations, hl_text *text);

/* Frees the rows and empties it. */
void hl_heads_csv_free(hl_heads_csv *csv);

HL_END_DECLS

#endif
