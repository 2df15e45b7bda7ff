/* Positions: a vector for each position, which layers/embedding.h adds to the vector of the token there. Rotary
 * positions have no vectors; they rotate queries and keys instead (layers/rotary.h). */
#pragma once

#include "core/base/declarations.h"
#include "core/base/status.h"
#include "core/parameters.h"
#include "core/tape.h"
#include "layers/name.h"

HL_BEGIN_DECLS

typedef enum hl_positions_kind {
    HL_POSITIONS_SINUSOIDAL,
    HL_POSITIONS_LEARNED,
    HL_POSITIONS_NONE,
    HL_POSITIONS_ROTARY
} hl_positions_kind;

typedef struct hl_positions_layer {
    hl_name name;
    hl_positions_kind kind;
    int64_t max_length, offset, d_model;
    hl_tensor *weight; /* learned: (max_length + offset, D), owned by the registry */
    hl_real *table;    /* sinusoidal: (max_length, D), owned; NULL before hl_positions_layer_allocate */
} hl_positions_layer;

/* If positions are learned, registers <name>.weight, drawn as normal with standard deviation 0.02 (Devlin et al. 2019);
 * position t is then row t + offset. Errors stay on the registry, including an unknown kind. */
hl_positions_layer hl_positions_layer_make(hl_parameters *parameters, hl_name name, hl_positions_kind kind,
                                           int64_t max_length, int64_t offset, int64_t d_model);

/* Computes the table of a sinusoidal layer. HL_NO_MEMORY. */
hl_status hl_positions_layer_allocate(hl_positions_layer *layer);

void hl_positions_layer_free(hl_positions_layer *layer);

/* Returns the vectors of all positions, (max_length, D), on the tape. NULL for HL_POSITIONS_NONE and
 * HL_POSITIONS_ROTARY; NULL with a sticky error when the arena is full. */
hl_tensor *hl_positions_layer_vectors(hl_tape *tape, const hl_positions_layer *layer);

/* The paper's table (section 3.5) with sine and cosine interleaved: table[p][2i] = sin(p / 10000^(2i / D)), and
 * table[p][2i + 1] is the cosine of the same angle. An odd D ends in a sine. table (T, D). */
void hl_sinusoidal_positions(int64_t T, int64_t D, hl_real *table);

HL_END_DECLS
