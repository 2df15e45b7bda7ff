/* Composition of heads (Elhage et al. 2021, "A mathematical framework for transformer circuits"): how much of what one
 * head writes another head of a later layer can read, from weights alone.
 *   OV = W_V W_O (D, D), QK = W_Q W_K^T (D, D), of a head's own columns (with fewer key/value heads, its group's W_K
 *   and W_V). Head 1 writes, head 2 reads:
 *   Q: |OV1 QK2| / (|OV1| |QK2|),  K: |OV1 QK2^T| / (|OV1| |QK2|),  V: |OV1 OV2| / (|OV1| |OV2|)   (Frobenius norms)
 * With pre-norm the gains of the norm before each attention belong to its W_Q, W_K and W_V. With post-norm the gains of
 * all norms between the two heads stand between their matrices. The norms' scales are ignored.
 *
 * Random matrices of the same shapes compose, too. So the mean of HL_COMPOSITION_DRAWS draws of standard normal
 * matrices is subtracted from each score, and their 95% quantile says what chance reaches. */
#ifndef HL_HEADS_COMPOSITION_H
#define HL_HEADS_COMPOSITION_H

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
    double beyond;   /* score - the mean of random matrices */
    double quantile; /* 95% of the scores of random matrices are below it, their mean subtracted */
} hl_wire;

/* All pairs of heads in different layers, three wires each, by writer, reader and kind. Owned by the caller:
 * hl_wires_free. */
typedef struct hl_wires {
    hl_wire *list;
    int64_t n;
} hl_wires;

/* Computes all wires; `seed` draws the random matrices. HL_INVALID: a model that is not allocated; HL_NO_MEMORY;
 * *wires is then empty. A model of one layer has none. */
hl_status hl_wires_make(hl_wires *wires, const hl_model *model, uint64_t seed, int threads);

void hl_wires_free(hl_wires *wires);

HL_END_DECLS

#endif
