#include "core/ops/embedding.h"

#include "core/base/threads.h"
#include "core/op.h"
#include "core/ops/private/row_copies.h"
#include "core/private/op_parts.h"

#include <inttypes.h>

enum { W, P, S, N_INPUTS };

/* These rows of a matrix with as many columns as W. */
static hl_row_list rows_of(const hl_node *node, const int32_t *list)
{
    const hl_embedding_args *a = node->attributes;
    return (hl_row_list){ .list = list, .n = a->n, .D = node->in[W]->shape.size[1] };
}

static bool infer(hl_tape *tape, hl_node *node)
{
    const hl_embedding_args *a = node->attributes;
    hl_shape w = node->in[W]->shape;
    if (w.n_dims != 2 || a->n < 1) {
        return hl_tape_fail(tape, node, "%" PRId64 " ids of vectors in %s", a->n, HL_SHAPE_SHOWN(w));
    }
    node->out->shape = HL_SHAPE(a->n, w.size[1]);
    const hl_tensor *p = node->in[P];
    if (p != NULL && (p->shape.n_dims != 2 || p->shape.size[1] != w.size[1])) {
        return hl_tape_fail_shapes(tape, node, "W (V, D) does not fit P (max_length, D)", w, p->shape);
    }
    if (p != NULL && a->longest > p->shape.size[0]) {
        return hl_tape_fail(tape, node, "%" PRId64 " positions, of which there are %" PRId64, a->longest,
                            p->shape.size[0]);
    }
    const hl_tensor *s = node->in[S];
    if (s != NULL && (s->shape.n_dims != 2 || s->shape.size[1] != w.size[1])) {
        return hl_tape_fail_shapes(tape, node, "W (V, D) does not fit S (types, D)", w, s->shape);
    }
    hl_row_list ids = rows_of(node, a->ids), positions = rows_of(node, a->positions), types = rows_of(node, a->types);
    return tape->options.memory.dry ||
           (hl_row_list_check(tape, node, &ids, w.size[0], "id") &&
            (p == NULL || hl_row_list_check(tape, node, &positions, p->shape.size[0], "position")) &&
            (s == NULL || types.list == NULL || hl_row_list_check(tape, node, &types, s->shape.size[0], "type")));
}

static void forward_rows(const hl_op_call *call, hl_range rows)
{
    const hl_node *node = call->node;
    const hl_embedding_args *a = node->attributes;
    int64_t D = node->in[W]->shape.size[1];
    for (int64_t n = rows.begin; n < rows.end; n++) {
        const hl_real *w = node->in[W]->data + a->ids[n] * D;
        const hl_real *p = node->in[P] != NULL ? node->in[P]->data + a->positions[n] * D : NULL;
        hl_real *y = node->out->data + n * D;
#pragma omp simd
        for (int64_t d = 0; d < D; d++) {
            y[d] = a->scale * w[d] + (p != NULL ? p[d] : 0);
        }
        if (node->in[S] != NULL) {
            const hl_real *s = node->in[S]->data + (a->types != NULL ? a->types[n] : 0) * D;
#pragma omp simd
            for (int64_t d = 0; d < D; d++) {
                y[d] += s[d];
            }
        }
    }
}

/* The rows of input i that were read. */
static hl_row_list rows_read(const hl_node *node, int i)
{
    const hl_embedding_args *a = node->attributes;
    return rows_of(node, i == W ? a->ids : i == P ? a->positions : a->types);
}

static hl_real scale_of(const hl_node *node, int i)
{
    return i == W ? ((const hl_embedding_args *)node->attributes)->scale : 1;
}

/* dW[ids[n]] += scale * dy[n],  dP[positions[n]] += dy[n],  dS[types[n]] += dy[n] */
static void backward(const hl_op_call *call)
{
    for (int i = 0; i < N_INPUTS; i++) {
        hl_row_list rows = rows_read(call->node, i);
        if (call->din[i].at != NULL) {
            hl_row_list_add(call, &rows, scale_of(call->node, i), i);
        }
    }
}

static void compute_part(const hl_tape *tape, const hl_node *node, int input, int64_t begin, int64_t end, hl_real *to)
{
    (void)tape;
    hl_row_list rows = rows_read(node, input);
    hl_row_list_sum(&rows, scale_of(node, input), node->out->grad, begin, end, to);
}

static const hl_op_parts parts = { .compute = compute_part };

const hl_op hl_op_embedding = {
    .name = "embedding",
    .min_inputs = 1,
    .infer = infer,
    .forward = { .part = forward_rows, .each = 1 },
    .backward = { .whole = backward },
    .parts = &parts,
};

hl_tensor *hl_embedding(hl_tape *tape, hl_embedding_args args)
{
    return hl_tape_apply(tape, &hl_op_embedding, (hl_tensor *[]){ args.W, args.P, args.S }, N_INPUTS, &args,
                         sizeof args);
}

const hl_embedding_args *hl_embedding_args_of(const hl_node *node)
{
    return node->op == &hl_op_embedding ? node->attributes : NULL;
}
