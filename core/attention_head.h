/* Attention of one head of one example, forward and backward: the inner part of op_attention.c, which gives the
 * formulas.
 *
 * A head is worked by one thread, in blocks of queries whose scores, weights and gradients stay in that core's cache. k
 * and v are laid out transposed first, since the products then are all of forms that small_matmul.h is fast at. */
#ifndef HL_CORE_ATTENTION_HEAD_H
#define HL_CORE_ATTENTION_HEAD_H

#include "core/declarations.h"
#include "core/op.h"
#include "core/op_attention.h"
#include "core/small_matmul.h"

HL_BEGIN_DECLS

typedef struct hl_attention_sizes {
    int64_t B, Tq, Tk, H, Hkv, Dk, Dv;
    int64_t row; /* Tk filled up to whole vectors: from one row of weights to the next */
} hl_attention_sizes;

/* The products of a head; q and so on are blocks of queries, K and V all the keys. */
typedef enum hl_attention_product {
    HL_SCORES,    /* q K^T */
    HL_VALUES,    /* A V */
    HL_D_VALUES,  /* dV += A^T dz */
    HL_D_WEIGHTS, /* dz V^T */
    HL_D_QUERIES, /* dq = dS K */
    HL_D_KEYS,    /* dK += dS^T q */
    HL_ATTENTION_PRODUCTS
} hl_attention_product;

/* What an attention node works with. */
typedef struct hl_attention_state {
    hl_attention_args args;
    hl_attention_sizes sizes;
    hl_real *
        A; /* (B, H, Tq, row), the weights before dropout, for backward; those that were dropped are negative. NULL on a
                   tape without gradients */
    bool drops;
    hl_real *z;                                   /* (B, Tq, H * Dv) before the gate, where there is one */
    hl_small_kernel usual[HL_ATTENTION_PRODUCTS]; /* of whole blocks, found once a node */
} hl_attention_state;

/* The gradients wanted, as backward gets them (op.h). */
typedef struct hl_attention_grads {
    hl_grad q, k, v, gate;
} hl_attention_grads;

/* `length` filled up to whole vectors. */
int64_t hl_attention_row(int64_t length);

/* The numbers of scratch memory that one thread needs for either function; -1 where no machine has so many. */
int64_t hl_attention_head_scratch(const hl_attention_state *state, bool backward);

/* Finds the code for the products of state->usual, which heads share: to be called before either function. */
void hl_attention_head_prepare(hl_attention_state *state);

/* Computes A, where it is kept, and y (B, Tq, H * Dv) in head h of example b. */
void hl_attention_head_forward(const hl_tape *tape, const hl_attention_state *state, int64_t b, int64_t h, hl_real *y,
                               hl_real *scratch);

/* Computes the head's part of every gradient wanted from dy (B, Tq, H * Dv); A is of no use after it. Heads that share
 * keys and values must be given in order and by one thread: the first writes dk and dv, the others add. */
void hl_attention_head_backward(const hl_attention_state *state, int64_t b, int64_t h, const hl_real *dy,
                                hl_attention_grads grads, hl_real *scratch);

HL_END_DECLS

#endif
