/* Activation patching: which parts of the pass over a clean input restore the right answer when they are put into the
 * pass over a corrupt input (Vig et al. 2020; Meng et al. 2022; Heimersheim and Nanda 2024, "How to use and interpret
 * activation patching").
 *
 * Both inputs have T tokens. d = logit_right - logit_wrong at the position of the answer. The numbers that a part of
 * the model computed on the clean input replace its numbers in the corrupt pass:
 *   recovered = (d_patched - d_corrupt) / (d_clean - d_corrupt): 0 for nothing, 1 for all.
 * In reverse, the corrupt numbers replace those in the clean pass:
 *   lost = (d_clean - d_patched) / (d_clean - d_corrupt).
 * Both are NaN if |d_clean - d_corrupt| < HL_PATCH_LEAST.
 *
 *     hl_patch patch;
 *     HL_TRY(hl_patch_begin(&patch, &model, &clean, &corrupt, position, threads)); // runs both
 *     hl_patch_answers(&patch, right, wrong);
 *     hl_patch_change change = { .kind = HL_PATCH_HEADS, .heads = set, .at = -1 };
 *     HL_TRY(hl_patch_measure(&patch, change, &recovered)); */
#pragma once

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
    hl_real *x;            /* (L + 1, T, D): the input of each layer, and the output of the last layer */
    hl_real *z;            /* (T, H * Dv) for each layer, one layer after the other */
    hl_real *feed_forward; /* (L, T, D): what each feed-forward network adds; 0 where there is none */
    hl_real *logits;       /* (C), at the answer's position */
} hl_patch_states;

typedef struct hl_patch {
    const hl_model *model; /* not owned */
    int threads;
    int64_t n_tokens, position; /* T; the answer's position */
    bool reverse;               /* set by the caller: corrupt numbers go into the clean pass */
    hl_batch_storage clean_batch, corrupt_batch;
    hl_patch_states clean, corrupt;
    hl_real *logits; /* (C): of the last measurement */
    void *memory;    /* the block of both states and these */
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
    const bool *heads; /* HL_PATCH_HEADS: which heads of the model, by layer and head */
    int layer;         /* the other kinds: the layer */
    int64_t at;        /* the token; -1: all tokens */
} hl_patch_change;

/* Runs the model on both inputs. Each holds one example without targets, and both have the same length. HL_INVALID
 * (lengths differ or are too long for the model, the position is not one of their tokens, the model is not allocated or
 * has no output layer), HL_NO_MEMORY. Free with hl_patch_free, on failure too. */
hl_status hl_patch_begin(hl_patch *patch, const hl_model *model, const hl_examples *clean, const hl_examples *corrupt,
                         int64_t position, int threads);

void hl_patch_free(hl_patch *patch);

/* The bytes that hl_patch_begin needs. The model need not be allocated. HL_INVALID, HL_NO_MEMORY. */
hl_status hl_patch_bytes(const hl_model *model, int64_t n_tokens, int threads, size_t *bytes);

/* The model's own answer in `states`, of the clean or the corrupt input: the largest logit, the first among equals. */
int32_t hl_patch_answer(const hl_patch *patch, const hl_patch_states *states);

/* Sets the answers to compare, and d of both inputs. */
void hl_patch_answers(hl_patch *patch, int32_t right, int32_t wrong);

/* *effect: recovered, or in reverse, lost. HL_NO_MEMORY. */
hl_status hl_patch_measure(hl_patch *patch, hl_patch_change change, double *effect);

HL_END_DECLS
