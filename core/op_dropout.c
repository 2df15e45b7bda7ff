#include "core/op_dropout.h"

#include "core/dropout_mask.h"
#include "core/op.h"
#include "core/pass_bits.h"
#include "core/threads.h"

#include <math.h>

typedef struct attributes {
    hl_real p;
    uint32_t stream;
} attributes;

static bool infer(hl_tape *tape, hl_node *node)
{
    const attributes *a = node->attributes;
    if (!(a->p >= 0 && a->p < 1)) {
        return hl_tape_fail(tape, node, "a probability of %g is not in [0, 1)", (double)a->p);
    }
    node->out->shape = node->in[0]->shape;
    node->saved = hl_tape_take(tape, node, hl_pass_bytes(hl_shape_count(node->out->shape)), 1);
    return node->saved != NULL;
}

/* The bits of the group that begins at number i. */
static uint8_t *bits_from(const hl_node *node, int64_t i)
{
    return (uint8_t *)node->saved + i / HL_PASS_GROUP * HL_PASS_BYTES;
}

static void forward(const hl_tape *tape, const hl_node *node, hl_real *scratch)
{
    (void)scratch;
    const attributes *a = node->attributes;
    hl_random random = { .seed = tape->options.seed, .stream = a->stream, .step = tape->options.step };
    hl_dropout_rate rate = hl_dropout_rate_of(a->p);
    int64_t n = hl_shape_count(node->out->shape);
    int64_t examples = node->out->shape.n_dims > 0 ? node->out->shape.size[0] : 1;
    uint64_t first = (uint64_t)(tape->options.first_example * (n / examples));
    int threads = hl_tape_threads(tape, 4 * n);
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int64_t i = 0; i < n; i += HL_PASS_GROUP) {
        int count = n - i < HL_PASS_GROUP ? (int)(n - i) : HL_PASS_GROUP;
        hl_real m[HL_DROPOUT_GROUP];
        hl_dropout_factors(random, rate, first + (uint64_t)i, count, m);
        hl_pass_forward(count, node->in[0]->data + i, -INFINITY, m, NULL, node->out->data + i, bits_from(node, i));
    }
}

/* dx = dy * m */
static void backward(const hl_tape *tape, const hl_node *node, const hl_grad *din, hl_real *scratch)
{
    (void)scratch;
    const attributes *a = node->attributes;
    hl_real scale = hl_dropout_rate_of(a->p).scale;
    int64_t n = hl_shape_count(node->out->shape);
    int threads = hl_tape_threads(tape, n);
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int part = 0; part < threads; part++) {
        int64_t begin, end;
        hl_threads_part(n, HL_PASS_GROUP, part, threads, &begin, &end);
        hl_pass_backward(end - begin, bits_from(node, begin), scale, node->out->grad + begin, din[0].at + begin,
                         din[0].add);
    }
}

const hl_op hl_op_dropout = { "dropout", 1, 0, infer, forward, backward, NULL, NULL };

hl_tensor *hl_dropout(hl_tape *tape, hl_tensor *x, hl_real p, uint32_t stream)
{
    if (!tape->options.training || p == 0) {
        return x;
    }
    attributes a = { p, stream };
    return hl_tape_apply(tape, &hl_op_dropout, &x, 1, &a, sizeof a);
}
