/* Activation patching: what of a clean input makes the model answer right, when it is put into the pass over a corrupt
 * one (Vig et al. 2020; Meng et al. 2022; Heimersheim and Nanda 2024, "How to use and interpret activation patching").
 *
 * Both inputs have T tokens. d = logit_right - logit_wrong at the position of the answer. A part of the model that
 * computed some numbers on the clean input has these numbers in the corrupt pass:
 *   recovered = (d_patched - d_corrupt) / (d_clean - d_corrupt): 0 for nothing, 1 for all.
 * In reverse, the corrupt numbers stand in the clean pass:
 *   lost = (d_clean - d_patched) / (d_clean - d_corrupt).
 * Both are NaN where |d_clean - d_corrupt| < HL_PATCH_LEAST.
 *
 *     hl_patch patch;
 *     HL_TRY(hl_patch_begin(&patch, &model, &clean, &corrupt, position, threads)); // runs both
 *     hl_patch_answers(&patch, right, wrong);
 *     hl_patch_change change = { .kind = HL_PATCH_HEADS, .heads = set, .at = -1 };
 *     HL_TRY(hl_patch_measure(&patch, change, &recovered)); */
#ifndef HL_HEADS_PATCH_H
#define HL_HEADS_PATCH_H

#include "core/arena.h"
#include "core/base/declarations.h"
#include "core/base/status.h"
#include "core/examples.h"
#include "data/batch_storage.h"
#include "layers/model.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

HL_BEGIN_DECLS

#define HL_PATCH_LEAST 1e-3

/* What a pass computed. */
typedef struct hl_patch_states {
    hl_real *x;            /* (L + 1, T, D): the input of each layer, and the last one's output */
    hl_real *z;            /* (T, H * Dv) of each layer, one after the other */
    hl_real *feed_forward; /* (L, T, D): what each feed-forward network adds */
    hl_real *logits;       /* (C), at the position */
} hl_patch_states;

typedef struct hl_patch {
    const hl_model *model; /* not owned */
    int threads;
    int64_t n_tokens, position; /* T; where the answer is */
    bool reverse;               /* set by the caller: corrupt numbers go into the clean pass */
    hl_batch_storage clean_batch, corrupt_batch;
    hl_patch_states clean, corrupt;
    hl_real *numbers; /* the block of both */
    hl_arena arena;
    int32_t right, wrong;
    double d_clean, d_corrupt;
} hl_patch;

typedef enum hl_patch_kind {
    HL_PATCH_HEADS,        /* the outputs z of some heads, before W_O */
    HL_PATCH_FEED_FORWARD, /* what a layer's feed-forward network adds */
    HL_PATCH_RESIDUAL,     /* the residual stream after a layer */
} hl_patch_kind;

typedef struct hl_patch_change {
    hl_patch_kind kind;
    const bool *heads; /* HL_PATCH_HEADS: which of all heads, by layer and head */
    int layer;         /* else: the layer */
    int64_t at;        /* the token; -1: all */
} hl_patch_change;

/* Runs the model on both examples, each the only one and without targets, as long as each other. HL_INVALID: lengths
 * that differ or are too long for the model, a position that is none of their tokens, a model that is not allocated or
 * has no output layer. HL_NO_MEMORY. To be ended by hl_patch_free, whatever this returns. */
hl_status hl_patch_begin(hl_patch *patch, const hl_model *model, const hl_examples *clean, const hl_examples *corrupt,
                         int64_t position, int threads);

void hl_patch_free(hl_patch *patch);

/* The bytes that hl_patch_begin takes; the model need not be allocated. HL_INVALID, HL_NO_MEMORY. */
hl_status hl_patch_bytes(const hl_model *model, int64_t n_tokens, int threads, size_t *bytes);

/* The model's own answers: the largest logit on the clean and on the corrupt input, the first of equals. */
int32_t hl_patch_answer(const hl_patch *patch, const hl_patch_states *states);

/* Sets the answers that are compared, and d of both inputs. */
void hl_patch_answers(hl_patch *patch, int32_t right, int32_t wrong);

/* *effect: recovered, or in reverse lost. HL_NO_MEMORY. */
hl_status hl_patch_measure(hl_patch *patch, hl_patch_change change, double *effect);

HL_END_DECLS

#endif
