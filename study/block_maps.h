/* Attention maps of a text that is too long for maps of tokens: each cell stands for a block of queries and a block of
 * keys. No array of T x T numbers is made. */
#pragma once

#include "core/base/declarations.h"
#include "heads/snapshot.h"
#include "study/model.h"

#include <stdint.h>

HL_BEGIN_DECLS

typedef struct hl_block_maps {
    hl_snapshot maps; /* one example of R = ceil(T / block) tokens: the first of each block; without answers */
    hl_real *weights; /* for each layer (1, H, R, R); owned, as the example is */
} hl_block_maps;

/* Runs the model, which must have been loaded, on one example of T tokens. Cell (I, J) of a head is the weight that
 * queries I * block .. (I + 1) * block - 1 give to the keys of block J together, on average; a row's sum is 1. block >=
 * 1. The bits do not depend on the number of threads. HL_INVALID (the example is too long for the model),
 * HL_NO_MEMORY. On success free with hl_block_maps_free, before the model is closed. */
hl_status hl_block_maps_make(const hl_opened_model *run, const hl_examples *example, int64_t block,
                             hl_block_maps *maps);

/* The bytes of the maps of T tokens in `n_heads` heads. SIZE_MAX if the value does not fit. */
size_t hl_block_maps_bytes(int64_t n_heads, int64_t n_tokens, int64_t block);

/* A zeroed one is allowed. */
void hl_block_maps_free(hl_block_maps *maps);

HL_END_DECLS
