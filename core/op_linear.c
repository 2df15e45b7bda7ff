#include "core/op_linear.h"

#include "core/matmul.h"
#include "core/op.h"
#include "core/private/dropout_mask.h"
#include "core/private/least.h"
#include "core/private/linear_panels.h"
#include "core/private/linear_rows.h"
#include "core/private/linear_weight_grad.h"
#include "core/private/op_parts.h"
#include "core/private/pass_bits.h"
#include "core/private/reduce.h"
#include "core/threads.h"

#include <math.h>
#include <string.h>

enum { X, W, B, R, N_INPUTS };

typedef struct attributes {
    hl_linear_args args;
    bool drops;      /* in this pass */
    hl_real *packed; /* W and b for forward where the tape keeps them; or NULL */
} attributes;

static hl_linear_rows rows_of(const hl_node *node)
{
    const hl_shape *w = &node->in[W]->shape;
    return hl_linear_rows_of(hl_shape_rows(node->out->shape), w->size[0], w->size[1], node->in[W]->bf16);
}

static bool infer(hl_tape *tape, hl_node *node)
{
    attributes *a = node->attributes;
    hl_shape x = node->in[X]->shape, w = node->in[W]->shape;
    if (x.n_dims < 1 || w.n_dims != 2 || hl_shape_last(x) != w.size[1]) {
        return hl_tape_fail_shapes(tape, node, "x (..., I) does not fit W (O, I)", x, w);
    }
    const hl_tensor *b = node->in[B], *r = node->in[R];
    if (b != NULL && !hl_shape_equal(b->shape, HL_SHAPE(w.size[0]))) {
        return hl_tape_fail_shapes(tape, node, "W (O, I) does not fit b (O)", w, b->shape);
    }
    if (!(a->args.dropout >= 0 && a->args.dropout < 1)) {
        return hl_tape_fail(tape, node, "a dropout of %g is not in [0, 1)", (double)a->args.dropout);
    }
    if (node->in[W]->bf16 && hl_bf16_missing() != NULL) {
        return hl_tape_fail(tape, node, "no products in bf16: %s", hl_bf16_missing());
    }
    hl_shape *y = &node->out->shape;
    *y = x;
    y->size[x.n_dims - 1] = w.size[0];
    if (r != NULL && !hl_shape_equal(r->shape, *y)) {
        return hl_tape_fail_shapes(tape, node, "the residual does not fit y", r->shape, *y);
    }
    a->drops = tape->options.training && a->args.dropout > 0;
    if (a->drops && !hl_tape_has_places(tape, node, hl_shape_rows(*y))) {
        return false;
    }
    hl_linear_rows rows = rows_of(node);
    if ((a->args.relu || a->drops) && hl_node_has_backward(node)) { /* a bit for each number of p that passes */
        node->saved = hl_tape_allocate(tape, node, rows.n_blocks * hl_pass_bytes(HL_LINEAR_BLOCK * rows.O), 1);
    }
    if (rows.generated) {
        a->packed = hl_tape_keep(tape, hl_panels_weights_numbers(&rows, false));
    }
    if (tape->options.dry && tape->options.prepare) {
        hl_linear_rows_prepare(&rows);
    }
    return hl_tape_status(tape).code == HL_OK;
}

static int threads_for(const hl_tape *tape, const hl_linear_rows *rows)
{
    return hl_tape_threads(tape, rows->N * rows->O * (1 + rows->I / 32));
}

/* The saved bits of a block (pass_bits.h); NULL where none are saved. */
static uint8_t *bits_of(const hl_node *node, const hl_linear_rows *rows, int64_t block)
{
    return node->saved != NULL ? (uint8_t *)node->saved + block * hl_pass_bytes(HL_LINEAR_BLOCK * rows->O) : NULL;
}

/* y = r + dropout(relu(y)) of a block of rows. */
static void finish(const hl_tape *tape, const hl_node *node, const hl_linear_rows *rows, int64_t block)
{
    const attributes *a = node->attributes;
    hl_dropout_draws draws = { .random = { tape->options.seed, a->args.dropout_stream, tape->options.step },
                               .rate = hl_dropout_rate_of(a->drops ? a->args.dropout : 0) };
    int64_t begin = block * HL_LINEAR_BLOCK * rows->O, count = hl_linear_block_rows(rows, block) * rows->O;
    hl_real *y = node->out->data + begin, m[HL_DROPOUT_GROUP];
    const hl_real *r = node->in[R] != NULL ? node->in[R]->data + begin : NULL;
    uint8_t *bits = bits_of(node, rows, block);
    for (int i = 0; i < HL_DROPOUT_GROUP; i++) {
        m[i] = 1;
    }
    for (int64_t i = 0; i < count; i += HL_PASS_GROUP) {
        int n = count - i < HL_PASS_GROUP ? (int)(count - i) : HL_PASS_GROUP;
        if (a->drops) {
            hl_dropout_draw_rows(&draws, (hl_dropout_places){ .places = tape->options.places }, rows->O, begin + i, n,
                                 m);
        }
        hl_pass_forward(n, y + i, a->args.relu ? 0 : -INFINITY, m, r != NULL ? r + i : NULL, y + i,
                        bits != NULL ? bits + i / HL_PASS_GROUP * HL_PASS_BYTES : NULL);
    }
}

typedef struct forward_work {
    const hl_tape *tape;
    const hl_node *node;
    hl_linear_rows rows;
    const hl_real *packed; /* W and b, where kernels are generated */
    hl_real *block;        /* memory of hl_panels_forward for each thread */
    bool finishes;
} forward_work;

static void forward_blocks(const void *context, hl_range blocks)
{
    const forward_work *work = context;
    const hl_linear_rows *rows = &work->rows;
    const hl_real *x = work->node->in[X]->data;
    hl_real *y = work->node->out->data;
    const hl_real *b = work->node->in[B] != NULL ? work->node->in[B]->data : NULL;
    for (int64_t block = blocks.begin; block < blocks.end; block++) {
        int64_t first = block * HL_LINEAR_BLOCK, n = hl_linear_block_rows(rows, block);
        if (rows->generated) {
            hl_panels_forward(rows, n, x + first * rows->I, work->packed, b, y + first * rows->O,
                              work->block + blocks.thread * hl_panels_block_numbers(rows, false));
        }
        if (work->finishes) {
            finish(work->tape, work->node, rows, block);
        }
    }
}

static void forward(const hl_tape *tape, const hl_node *node, hl_real *scratch)
{
    const attributes *a = node->attributes;
    hl_linear_rows rows = rows_of(node);
    int64_t O = rows.O, I = rows.I;
    const hl_real *b = node->in[B] != NULL ? node->in[B]->data : NULL, *x = node->in[X]->data, *w = node->in[W]->data;
    hl_real *y = node->out->data, *packed = a->packed != NULL ? a->packed : scratch;
    bool finishes = a->args.relu || a->drops || node->in[R] != NULL;
    int threads = threads_for(tape, &rows);
    if (rows.generated) {
        if (!hl_tape_has_kept(tape)) {
            hl_panels_pack_weights(threads, &rows, false, w, b, packed);
        }
    } else {
        hl_linear_begin_at_bias(threads, &rows, b, y);
        hl_matmul_into(tape->options.threads, rows.N, O, I, (hl_matrix){ x, I, false }, (hl_matrix){ w, I, true },
                       b != NULL, y, O);
    }
    if (rows.generated || finishes) {
        hl_threads_run(threads, rows.n_blocks, 1, forward_blocks,
                       &(forward_work){ .tape = tape,
                                        .node = node,
                                        .rows = rows,
                                        .packed = packed,
                                        .block = scratch + hl_panels_weights_numbers(&rows, false),
                                        .finishes = finishes });
    }
}

/* How many numbers backward's intermediate results have, which lie one after the other in scratch memory. */
typedef struct intermediate {
    int64_t dp;       /* of all rows, or of a block for each thread; 0 where dp is dy */
    int64_t db;       /* a partial sum for each group */
    int64_t dW;       /* likewise, or what hl_matmul_rows_into or hl_weight_grad needs */
    int64_t W, block; /* kernels: W packed for dx, memory of hl_panels_dx for each thread */
} intermediate;

/* Whether nothing needs dp of a block once its thread goes on to the next one. */
static bool dp_by_blocks(const hl_linear_rows *rows)
{
    return rows->sum == HL_LINEAR_PARTIALS || (rows->sum == HL_LINEAR_TILES && hl_weight_grad_packs_dp(rows));
}

/* Whether dp of all rows takes the place of dy, which nothing reads any more: no residual has it as its gradient. */
static bool overwrites(const hl_tape *tape, const hl_node *node, const hl_linear_rows *rows)
{
    return node->saved != NULL && !dp_by_blocks(rows) && node->in[R] == NULL && hl_tape_reuses(tape);
}

static intermediate intermediate_of(const hl_tape *tape, const hl_node *node, const hl_linear_rows *rows)
{
    intermediate numbers = { .db = rows->n_groups * rows->O };
    int64_t threads = hl_least(tape->options.threads, rows->n_groups);
    if (node->saved != NULL) {
        bool all = !dp_by_blocks(rows) && !overwrites(tape, node, rows);
        int64_t of_blocks = rows->generated ? threads * HL_LINEAR_BLOCK : 0; /* for fewer rows where dp overwrites dy */
        numbers.dp = (all ? rows->N : of_blocks) * rows->O;
    }
    if (rows->sum == HL_LINEAR_WHOLE) {
        numbers.dW = hl_matmul_rows_scratch(rows->O, rows->I, rows->N);
    } else if (rows->sum == HL_LINEAR_TILES) {
        numbers.dW = hl_weight_grad_numbers(rows);
    } else if (rows->n_groups > 1) {
        numbers.dW = rows->n_groups * rows->O * rows->I;
    }
    if (rows->generated) {
        numbers.W = hl_panels_weights_numbers(rows, true);
        numbers.block = threads * hl_panels_block_numbers(rows, true);
    }
    return numbers;
}

typedef struct places {
    hl_real *dp, *db, *dW; /* dp: NULL where it is dy */
    hl_real *own_W, *block;
    const hl_real *W; /* for dx: there, or the weights themselves */
} places;

/* Computes dp, dx, and the partial sums of dW and db, of one group of rows. */
static void group_backward(const hl_node *node, const hl_linear_rows *rows, const hl_grad *din, places at, int thread,
                           int64_t group)
{
    const attributes *a = node->attributes;
    hl_real scale = hl_dropout_rate_of(a->drops ? a->args.dropout : 0).scale;
    int64_t O = rows->O, I = rows->I;
    hl_real *db = at.db + group * O;
    memset(db, 0, (size_t)O * sizeof *db);
    int64_t begin, end;
    hl_threads_cut(rows->n_blocks, 1, (int)group, rows->n_groups, &begin, &end);
    for (int64_t block = begin; block < end; block++) {
        int64_t first = block * HL_LINEAR_BLOCK, n = hl_linear_block_rows(rows, block);
        const hl_real *dp = node->out->grad + first * O;
        if (at.dp != NULL) {
            hl_real *to = at.dp + (dp_by_blocks(rows) ? thread * HL_LINEAR_BLOCK : first) * O;
            hl_pass_backward(n * O, bits_of(node, rows, block), scale, dp, to, false);
            dp = to;
        }
        if (din[X].at != NULL && rows->generated) {
            hl_panels_dx(rows, n, dp, at.W, din[X].add, din[X].at + first * I,
                         at.block + thread * hl_panels_block_numbers(rows, true));
        }
        if (din[B].at != NULL) {
            hl_linear_rows_db(rows, n, dp, db);
        }
        if (din[W].at != NULL && rows->sum == HL_LINEAR_PARTIALS) {
            bool alone = rows->n_groups == 1;
            hl_linear_rows_dW(rows, n, dp, node->in[X]->data + first * I, block > begin || (alone && din[W].add),
                              alone ? din[W].at : at.dW + group * O * I);
        } else if (node->in[W]->requires_grad && rows->sum == HL_LINEAR_TILES && hl_weight_grad_packs_dp(rows)) {
            hl_weight_grad_pack(rows, first, n, dp, node->in[X]->data + first * I, at.dW);
        }
    }
}

typedef struct backward_work {
    const hl_node *node;
    const hl_linear_rows *rows;
    const hl_grad *din;
    places at;
} backward_work;

static void backward_groups(const void *context, hl_range groups)
{
    const backward_work *work = context;
    for (int64_t group = groups.begin; group < groups.end; group++) {
        group_backward(work->node, work->rows, work->din, work->at, groups.thread, group);
    }
}

static void weight_backward(const hl_tape *tape, const hl_node *node, const hl_linear_rows *rows, hl_grad dW,
                            const hl_real *dp, hl_real *scratch)
{
    if (rows->sum == HL_LINEAR_TILES) {
        hl_weight_grad(threads_for(tape, rows), rows, dp, node->in[X]->data, scratch, dW.add, dW.at);
    } else if (rows->sum == HL_LINEAR_WHOLE) {
        hl_matmul_rows_into(tape->options.threads, rows->O, rows->I, rows->N, dp, node->in[X]->data, dW.add, dW.at,
                            scratch);
    } else if (rows->n_groups > 1) {
        hl_sum_partials(threads_for(tape, rows), rows->n_groups, rows->O * rows->I, scratch, dW.add, dW.at);
    }
}

static places places_of(const hl_tape *tape, const hl_node *node, const hl_linear_rows *rows, hl_real *scratch)
{
    intermediate numbers = intermediate_of(tape, node, rows);
    /* What is packed begins at cache lines, as scratch does. */
    places at = { .own_W = scratch, .block = scratch + numbers.W, .dW = scratch + numbers.W + numbers.block };
    hl_real *dp_of_rows = at.dW + numbers.dW;
    at.dp = numbers.dp > 0 ? dp_of_rows : NULL;
    at.db = dp_of_rows + numbers.dp;
    if (overwrites(tape, node, rows)) {
        at.dp = node->out->grad;
    }
    return at;
}

static void backward(const hl_tape *tape, const hl_node *node, const hl_grad *din, hl_real *scratch)
{
    hl_linear_rows rows = rows_of(node);
    places at = places_of(tape, node, &rows, scratch);
    const hl_real *dp = at.dp != NULL ? at.dp : node->out->grad;
    hl_grad_hand_on(tape, node, din[R]);
    if (din[X].at != NULL && rows.generated) {
        at.W = hl_panels_pack_weights(threads_for(tape, &rows), &rows, true, node->in[W]->data, NULL, at.own_W);
    }
    hl_threads_run(threads_for(tape, &rows), rows.n_groups, 1, backward_groups,
                   &(backward_work){ .node = node, .rows = &rows, .din = din, .at = at });
    if (din[B].at != NULL) {
        hl_sum_partials(tape->options.threads, rows.n_groups, rows.O, at.db, din[B].add, din[B].at);
    }
    if (din[X].at != NULL && !rows.generated) {
        hl_matmul_into(tape->options.threads, rows.N, rows.I, rows.O, (hl_matrix){ dp, rows.O, false },
                       (hl_matrix){ node->in[W]->data, rows.I, false }, din[X].add, din[X].at, rows.I);
    }
    if (din[W].at != NULL) {
        weight_backward(tape, node, &rows, din[W], dp, at.dW);
    }
}

/* dW alone is large. */
static int cut_parts(const hl_node *node, int input, int most, int64_t *step)
{
    (void)input;
    hl_linear_rows rows = rows_of(node);
    if (rows.sum == HL_LINEAR_WHOLE) {
        *step = HL_MATMUL_STEP;
        return hl_matmul_pieces(most, rows.O, rows.I, rows.N);
    }
    *step = hl_weight_grad_step(&rows);
    return most;
}

static void compute_part(const hl_tape *tape, const hl_node *node, int input, int64_t begin, int64_t end, hl_real *to)
{
    (void)input;
    hl_linear_rows rows = rows_of(node);
    places at = places_of(tape, node, &rows, node->scratch);
    const hl_real *x = node->in[X]->data, *dp = at.dp != NULL ? at.dp : node->out->grad;
    if (rows.sum == HL_LINEAR_WHOLE) {
        hl_matmul_serial(end - begin, rows.I, rows.N, (hl_matrix){ dp + begin, rows.O, true },
                         (hl_matrix){ x, rows.I, false }, 0, to, rows.I);
    } else {
        hl_weight_grad_rows(&rows, dp, x, at.dW, begin, end, to);
    }
}

static int64_t scratch_numbers(const hl_tape *tape, const hl_node *node)
{
    hl_linear_rows rows = rows_of(node);
    int64_t for_forward = 0;
    if (rows.generated) {
        int64_t threads = hl_least(rows.n_blocks, tape->options.threads);
        for_forward = hl_panels_weights_numbers(&rows, false) + threads * hl_panels_block_numbers(&rows, false);
    }
    intermediate numbers = intermediate_of(tape, node, &rows);
    int64_t for_backward =
        hl_node_has_backward(node) ? numbers.dp + numbers.db + numbers.dW + numbers.W + numbers.block : 0;
    return for_forward > for_backward ? for_forward : for_backward;
}

static double flops(const hl_node *node)
{
    return 2.0 * (double)hl_shape_rows(node->in[X]->shape) * (double)hl_shape_count(node->in[W]->shape);
}

static const hl_op_parts parts = { cut_parts, compute_part };

const hl_op hl_op_linear = {
    .name = "linear",
    .min_inputs = 2,
    .in_place = R,
    .infer = infer,
    .forward = forward,
    .backward = backward,
    .scratch = scratch_numbers,
    .parts = &parts,
    .flops = flops,
};

hl_tensor *hl_linear_fused(hl_tape *tape, hl_linear_args args)
{
    attributes a = { .args = args };
    return hl_tape_apply(tape, &hl_op_linear, (hl_tensor *[]){ args.x, args.W, args.b, args.residual }, N_INPUTS, &a,
                         sizeof a);
}

hl_tensor *hl_linear(hl_tape *tape, hl_tensor *x, hl_tensor *w, hl_tensor *b)
{
    return hl_linear_fused(tape, (hl_linear_args){ .x = x, .W = w, .b = b });
}

const hl_linear_args *hl_linear_args_of(const hl_node *node)
{
    return node->op == &hl_op_linear ? &((const attributes *)node->attributes)->args : NULL;
}
