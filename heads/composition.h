/* Composition of heads (Elhage et al. 2021, "A mathematical framework for transformer circuits"): how much of what one
 * head writes can be read by a head of a later layer. Only weights are used.
 *   OV = W_V W_O (D, D), QK = W_Q W_K^T (D, D), from the head's own columns. With fewer key/value heads, W_K and W_V
 *   are those of its group. Head 1 writes, head 2 reads (Frobenius norms):
 *   Q: |OV1 QK2| / (|OV1| |QK2|),  K: |OV1 QK2^T| / (|OV1| |QK2|),  V: |OV1 OV2| / (|OV1| |OV2|)
 * With pre-norm, the gains of the norm before each attention are part of its W_Q, W_K and W_V. With post-norm, the
 * gains of all norms between the two heads stand between their matrices. The norms' scales are ignored.
 *
 * Random matrices of the same shapes compose, too. So each score is compared with HL_COMPOSITION_DRAWS draws of
 * standard normal matrices. The mean of the draws is subtracted from the score. Their 95% quantile shows what chance
 * reaches. */
#pragma once

#include "core/base/declarations.h"
#include "core/base/status.h"
#include "layers/model.h"

#include <stdint.h>

HL_BEGIN_DECLS

enum { HL_COMPOSITION_DRAWS = 200 };

typedef enum hl_composition_kind { HL_COMPOSES_Q, HL_COMPOSES_K, HL_COMPOSES_V, HL_COMPOSITIONS } hl_composition_kind;

typedef struct hl_wire {
    int from_layer, to_layer;
    int64_t from_head, to_head;
    hl_composition_kind kind;
    double score;    /* as above */
    double beyond;   /* score minus the mean over random matrices */
    double quantile; /* 95% of the scores of random matrices, minus their mean, are below it */
} hl_wire;

/* All pairs of heads in different layers, with three wires each, ordered by writer, reader and kind. Owned by the
 * caller, who frees it with hl_wires_free. */
typedef struct hl_wires {
    hl_wire *list;
    int64_t n;
} hl_wires;

/* Computes all wires. `seed` seeds the draws of random matrices. A model with one layer has no wires. HL_INVALID (the
 * model is not allocated), HL_NO_MEMORY; *wires is then empty. */
hl_status hl_wires_make(hl_wires *wires, const hl_model *model, uint64_t seed, int threads);

void hl_wires_free(hl_wires *wires);

HL_END_DECLS
