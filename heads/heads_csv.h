/* The content of heads.csv: all metrics of all heads at all snapshots of a run.
 *
 *     step,layer,head,metric,value,baseline
 *
 * Snapshots are added one by one and need not stay in memory:
 *
 *     hl_heads_csv csv = { 0 };
 *     HL_TRY(hl_heads_csv_add(&csv, 0, layers, n_layers, NULL, NULL));  // for each snapshot, by step
 *     hl_heads_csv_print(&csv, relations, -1, &text);             // and hl_text_status(&text)
 *     hl_heads_csv_free(&csv); */
#pragma once

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

/* A zeroed struct is empty. Owned by the caller, who frees it with hl_heads_csv_free. */
typedef struct hl_heads_csv {
    int64_t n_tokens; /* the largest T allowed. The caller sets it before the first snapshot; if 0, it is that
                         snapshot's T */
    int threads;      /* set by the caller: how many threads measure snapshots; it changes no number */

    hl_heads_csv_row *rows; /* n rows, by step, layer and head; offset(k) and all.offset(k) are there for every k with a
                               value */
    size_t n, capacity;

    /* The same for all snapshots; 0 and NULL before the first. */
    int n_layers;
    int64_t n_heads;    /* in all layers together */
    int64_t *offsets;   /* (2 n_tokens - 1): -(n_tokens - 1) .. n_tokens - 1 */
    bool *best;         /* (2 n_tokens - 1): whether that offset is some head's best at some step */
    int64_t *measured;  /* (n_heads): each head's number of rows in the last snapshot, without the rows of pairs */
    double *mixed;      /* (n_heads (n_heads + 1) / 2): for each pair of heads, and each head with itself, the entropies
                          of mixed rows */
    double *halves;     /* (threads, n_heads, hl_row_halves_width(n_tokens)): for each thread, a row of every head,
                          halved */
    double *untrained;  /* as `mixed`: js of each pair of heads at step 0 */
    bool has_untrained; /* whether there is such a snapshot */
    void *memory;       /* the block of these arrays */
} hl_heads_csv;

/* Adds the metrics of all heads, and of all pairs of heads, of a snapshot. layers[l] is head 0 of layer l on all
 * examples (first and gap 0, at least one example); it stands for all n_heads of its layer. `sums`: the validation sums
 * of the same heads; if NULL, this step has no metrics all.*. `effects`: the effects of all heads by layer and head,
 * measured with the weights of this step; if NULL, this step has no importance and no loss_without. Add snapshots in
 * the order of steps. Their arrays are not kept, and their examples may differ. HL_INVALID (layers or heads differ from
 * earlier snapshots, T is above n_tokens or differs between layers), HL_NO_MEMORY; nothing is then added. */
hl_status hl_heads_csv_add(hl_heads_csv *csv, int64_t step, const hl_patterns *layers, int n_layers,
                           const hl_validation_sums *sums, const hl_head_effect *effects);

/* The bytes needed in addition to the rows, for n_heads heads in all layers and up to T tokens. */
size_t hl_heads_csv_bytes(int64_t n_heads, int64_t T, int threads);

/* Whether the file shows a reading. A reading of an offset is shown only if the offset is -1, 0, 1 or some head's best
 * at some step. */
bool hl_heads_csv_shows(const hl_heads_csv *csv, const hl_reading *reading);

/* Adds the file to the text: a header, then a line for each row of `step`, by step, layer and head. A negative `step`
 * means all steps. Metrics are spelled as by hl_metric_print. Offsets are shown only if hl_heads_csv_shows is true. js
 * appears once for each pair, in the line of the head that comes first. Numbers have nine significant digits; a
 * baseline that does not exist is empty. js is within 1e-13 of hl_divergence_of, and 0 if all weights are equal.
 * HL_NO_MEMORY is stored in the text. */
void hl_heads_csv_print(const hl_heads_csv *csv, const char *const *relations, int64_t step, hl_text *text);

/* Adds the line of one row. HL_NO_MEMORY is stored in the text. */
void hl_heads_csv_print_row(const hl_heads_csv_row *row, const char *const *relations, hl_text *text);

/* Frees the rows and empties the struct. */
void hl_heads_csv_free(hl_heads_csv *csv);

HL_END_DECLS
