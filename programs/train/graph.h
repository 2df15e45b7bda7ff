/* The model as a training step runs it: rows in the order of execution, read from the tape of a dry pass. Shapes and
 * parameters are those of the ops themselves. */
#pragma once

#include "core/base/status.h"
#include "core/base/tensor.h"
#include "layers/model.h"

#include <stdint.h>

/* What matrix products are for. */
typedef enum hl_graph_part {
    HL_GRAPH_PROJECTIONS, /* of attention: q, k, v and W_O */
    HL_GRAPH_ATTENTION,   /* q k^T and A v */
    HL_GRAPH_FEED_FORWARD,
    HL_GRAPH_EMBEDDING, /* its projection to D */
    HL_GRAPH_POOLER,
    HL_GRAPH_TRANSFORM, /* before the output layer */
    HL_GRAPH_OUTPUT,
    HL_GRAPH_PARTS,
    HL_GRAPH_NONE = HL_GRAPH_PARTS, /* no matrix product */
} hl_graph_part;

enum { HL_GRAPH_TEXT = 32 };

typedef struct hl_graph_row {
    int layer;                /* N in encoder.layers.N; else -1 */
    const char *module;       /* "encoder.layers.0.linear1", the model's; "" outside of all modules */
    char what[HL_GRAPH_TEXT]; /* "linear W_Q", "weights (B, H, T, T)", ... */
    hl_shape shape;           /* the shape of this row's result */
    int64_t parameters;       /* the number of parameters that no earlier row uses */
    hl_graph_part part;
    double flops; /* in the matrix products of forward */
} hl_graph_row;

typedef struct hl_graph {
    hl_graph_row *rows; /* owned */
    int n;
} hl_graph;

/* The rows of a training step on a batch, whose arrays are not read (core/batch.h): the tokens, then the result of each
 * op. An attention has one row each for q, k, v, weights, outputs and their concatenation. The model need not be
 * allocated. It must outlive the graph and must not be moved. HL_INVALID if the shapes do not fit, HL_NO_MEMORY; the
 * graph is then empty. Free it with hl_graph_free. */
hl_status hl_graph_read(hl_graph *graph, const hl_model *model, const hl_batch *largest);

/* The number of parameters in a module with all its parts. "encoder.layers": all layers; "": the whole model. */
int64_t hl_graph_parameters(const hl_graph *graph, const char *module);

/* The floating-point operations of one part in forward. */
double hl_graph_flops(const hl_graph *graph, hl_graph_part part);

/* A zeroed or already freed graph is allowed. */
void hl_graph_free(hl_graph *graph);
