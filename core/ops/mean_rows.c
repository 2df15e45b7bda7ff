#include "core/ops/mean_rows.h"

#include "core/base/private/ascending.h"
#include "core/base/threads.h"
#include "core/op.h"

#include <inttypes.h>
#include <string.h>

typedef struct attributes {
    hl_sequences sequences;
    const int32_t *rows;
    int64_t n_rows;
    bool last;
} attributes;

static bool check_rows(hl_tape *tape, const hl_node *node, const attributes *a)
{
    if (a->rows == NULL) {
        return hl_tape_fail(tape, node, "no rows are given");
    }
    int32_t least = a->sequences.offsets[0], end = a->sequences.offsets[a->sequences.n];
    for (int64_t m = 0; m < a->n_rows; m++) {
        if (a->rows[m] < least || a->rows[m] >= end) {
            return hl_tape_fail(tape, node, "row %" PRId32 " at place %" PRId64 " is not in %" PRId32 " .. %" PRId32,
                                a->rows[m], m, least, end - 1);
        }
        least = a->rows[m];
    }
    return true;
}

static bool infer(hl_tape *tape, hl_node *node)
{
    const attributes *a = node->attributes;
    hl_shape x = node->in[0]->shape;
    if (x.n_dims != 2 || a->n_rows < 1) {
        return hl_tape_fail(tape, node, "%" PRId64 " rows of x (N, D), which is %s", a->n_rows, HL_SHAPE_SHOWN(x));
    }
    hl_status status = hl_sequences_check(&a->sequences, x.size[0], !tape->options.memory.dry);
    if (status.code != HL_OK) {
        return hl_tape_fail(tape, node, "%s", status.text);
    }
    node->out->shape = HL_SHAPE(a->n_rows, x.size[1]);
    return tape->options.memory.dry || check_rows(tape, node, a);
}

/* The sequence that a row lies in. */
static int64_t sequence_of(const hl_sequences *sequences, int32_t row)
{
    return hl_first_at_least(sequences->offsets + 1, sequences->n - 1, row + 1);
}

/* How many of the last rows of sequence b the mean covers. */
static int64_t count_rows(const attributes *a, int64_t b)
{
    return a->last ? 1 : hl_sequences_length(&a->sequences, b);
}

static void forward_rows(const hl_op_call *call, hl_range range)
{
    const hl_node *node = call->node;
    const attributes *a = node->attributes;
    int64_t D = node->out->shape.size[1];
    for (int64_t m = range.begin; m < range.end; m++) {
        int64_t b = sequence_of(&a->sequences, a->rows[m]), n = count_rows(a, b);
        const hl_real *x = node->in[0]->data + (hl_sequences_first(&a->sequences, b + 1) - n) * D;
        hl_real *y = node->out->data + m * D;
        memset(y, 0, (size_t)D * sizeof *y);
        for (int64_t i = 0; i < n; i++) {
#pragma omp simd
            for (int64_t d = 0; d < D; d++) {
                y[d] += x[i * D + d];
            }
        }
        for (int64_t d = 0; d < D; d++) {
            y[d] /= (hl_real)n;
        }
    }
}

static void forward(const hl_op_call *call)
{
    const hl_node *node = call->node;
    hl_op_run(call, hl_shape_count(node->in[0]->shape), node->out->shape.size[0], 1, forward_rows);
}

/* dx[r] (+)= the sum of dy[m] / length(b) over the rows[m] of b, for the rows r of b */
static void backward_sequences(const hl_op_call *call, hl_range range)
{
    const attributes *a = call->node->attributes;
    const hl_sequences *sequences = &a->sequences;
    hl_grad dx = call->din[0];
    int64_t D = call->node->out->shape.size[1], m = 0;
    for (int64_t b = range.begin; b < range.end; b++) {
        int64_t first = hl_sequences_first(sequences, b), end = hl_sequences_first(sequences, b + 1);
        int64_t n = count_rows(a, b);
        bool add = dx.add;
        for (; m < a->n_rows && a->rows[m] < sequences->offsets[b + 1]; m++) {
            if (a->rows[m] < sequences->offsets[b]) {
                continue; /* in a sequence before the range */
            }
            const hl_real *dy = call->node->out->grad + m * D;
            for (int64_t r = end - n; r < end; r++) {
                for (int64_t d = 0; d < D; d++) {
                    hl_grad_put(&dx.at[r * D + d], dy[d] / (hl_real)n, add);
                }
            }
            add = true;
        }
        if (!dx.add) { /* rows that no mean covers */
            int64_t unread = add ? end - n - first : end - first;
            memset(dx.at + first * D, 0, (size_t)(unread * D) * sizeof *dx.at);
        }
    }
}

static void backward(const hl_op_call *call)
{
    const attributes *a = call->node->attributes;
    hl_op_run(call, hl_shape_count(call->node->in[0]->shape), a->sequences.n, 1, backward_sequences);
}

const hl_op hl_op_mean_rows = {
    .name = "mean_rows",
    .min_inputs = 1,
    .infer = infer,
    .forward = { .whole = forward },
    .backward = { .whole = backward },
};

hl_tensor *hl_mean_rows(hl_tape *tape, hl_tensor *x, hl_sequences sequences, const int32_t *rows, int64_t n_rows,
                        bool last)
{
    attributes a = { .sequences = sequences, .rows = rows, .n_rows = n_rows, .last = last };
    return hl_tape_apply(tape, &hl_op_mean_rows, &x, 1, &a, sizeof a);
}
