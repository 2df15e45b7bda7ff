#include "core/kernels/private/attention_head.h"

#include "core/base/threads.h"

#include <string.h>
#include <tgmath.h>

/* The head's columns of z, dz or saved z, in the sequence's rows. */
static hl_attention_rows outputs_of(const hl_attention_view *head, hl_real *z)
{
    int64_t stride = head->s.H * head->s.Dv;
    return (hl_attention_rows){ z + head->first_query * stride + head->h * head->s.Dv, stride };
}

/* The index of the head's gate. */
static int64_t gate_of(const hl_attention_view *head)
{
    return head->b * head->pass->gate_stride + head->h;
}

int64_t hl_attention_scratch(const hl_attention_pass *pass)
{
    int64_t each = hl_attention_head_scratch(pass), all;
    return each < 0 || __builtin_mul_overflow(each, pass->threads, &all) ? -1 : all;
}

/* ---- all heads ---- */

/* The work on all heads, forward or backward. */
typedef struct heads_work {
    const hl_attention_pass *pass;
    void (*head)(const struct heads_work *w, int64_t b, int64_t h, hl_dropout_draws *draws, hl_real *scratch);
    hl_attention_forward_block *forward;
    const void *context;
    hl_real *z;
    hl_attention_backward_block *backward;
    hl_attention_grads grads;
    const hl_real *dy;
    hl_real *scratch;
} heads_work;

static void work_heads(const void *context, hl_range heads)
{
    const heads_work *w = context;
    int64_t H = w->pass->sizes.H;
    hl_dropout_draws draws = { .random = w->pass->random, .rate = w->pass->rate };
    for (int64_t head = heads.begin; head < heads.end; head++) {
        w->head(w, head / H, head % H, &draws, w->scratch + heads.thread * hl_attention_head_scratch(w->pass));
    }
}

/* `together`: one thread processes this many successive heads, in order. */
static void run_heads(const heads_work *w, int64_t together)
{
    hl_attention_sizes s = w->pass->sizes;
    /* The multiply-adds of forward and the other work per weight, in the unit of hl_threads_for. Backward takes about
     * as long: it has twice the multiply-adds, but draws nothing. */
    int64_t work = s.Nq * s.H * hl_attention_weights_row(&w->pass->mask, s.Tk) * (5 + (s.Dk + s.Dv) / 32);
    hl_threads_run(hl_threads_for(w->pass->threads, work), s.B * s.H, together, work_heads, w);
}

/* ---- forward ---- */

/* Writes factor * x^T for the rows of all keys, in panels, to scratch memory; *scratch moves past it. Zeros fill the
 * panels up to `padded` keys. */
static const hl_real *transposed_keys(const hl_attention_view *head, hl_attention_rows x, int64_t width, hl_real factor,
                                      hl_real **scratch)
{
    hl_real *y = hl_attention_take(scratch, head->padded * width);
    for (int64_t j = 0, panel; j < head->padded; j += panel) {
        panel = hl_attention_panel(head->padded, j);
        int64_t n = head->keys - j < panel ? head->keys - j : panel;
        hl_transpose(n, width, factor, hl_attention_rows_from(x, j).at, x.stride, y + j * width, panel);
    }
    return y;
}

/* k^T / sqrt(Dk). */
static void scale_keys(hl_attention_view *head, hl_real **scratch)
{
    head->K = transposed_keys(head, head->k, head->s.Dk, 1 / sqrt((hl_real)head->s.Dk), scratch);
}

static void copy_rows(hl_attention_rows from, int64_t n, int64_t width, hl_attention_rows to)
{
    for (int64_t i = 0; i < n; i++) {
        memcpy(to.at + i * to.stride, from.at + i * from.stride, (size_t)width * sizeof *to.at);
    }
}

static void head_forward(const heads_work *w, int64_t b, int64_t h, hl_dropout_draws *draws, hl_real *scratch)
{
    const hl_attention_pass *pass = w->pass;
    hl_attention_view head;
    hl_attention_view_of(pass, b, h, draws, &scratch, &head);
    int64_t Dv = head.s.Dv;
    hl_attention_rows out = outputs_of(&head, w->z), z = out;
    if (head.staged) {
        z = (hl_attention_rows){ hl_attention_take(&scratch, head.queries * Dv), Dv };
    }
    scale_keys(&head, &scratch);
    hl_real *P = scratch;
    for (int64_t i = 0; i < head.queries; i += HL_ATTENTION_BLOCK) {
        hl_attention_block block = hl_attention_block_of(&head, i);
        bool in_place = block.A != NULL && !pass->drops && block.n == block.n_real;
        w->forward(w->context, &block, in_place ? block.A : P, hl_attention_rows_from(z, i));
    }
    if (head.staged) {
        copy_rows(z, head.n_queries, Dv, out);
    }
    if (pass->gate != NULL) {
        hl_real gate = pass->gate[gate_of(&head)];
        if (pass->z != NULL) {
            copy_rows(out, head.n_queries, Dv, outputs_of(&head, pass->z));
        }
        for (int64_t i = 0; i < head.n_queries; i++) {
            for (int64_t d = 0; d < Dv; d++) {
                out.at[i * out.stride + d] *= gate;
            }
        }
    }
}

void hl_attention_forward(hl_attention_pass *pass, hl_attention_forward_block *compute, const void *context, hl_real *z,
                          hl_real *scratch)
{
    hl_attention_prepare(pass, scratch);
    run_heads(
        &(heads_work){
            .pass = pass, .head = head_forward, .forward = compute, .context = context, .z = z, .scratch = scratch },
        1);
}

/* ---- backward ---- */

/* dz = gate * dy for a block, in which rows of padding stay 0. Adds the block's sum to dgate. */
static void gate_backward(const hl_attention_block *block, hl_attention_rows dy, hl_real *dz, hl_grad dgate)
{
    const hl_attention_view *head = block->head;
    int64_t Dv = head->s.Dv, at = gate_of(head);
    hl_real gate = head->pass->gate[at], sum = 0;
    if (dgate.at == NULL) {
        for (int64_t i = 0; i < block->n; i++) {
            for (int64_t d = 0; d < Dv; d++) {
                dz[i * Dv + d] = gate * dy.at[i * dy.stride + d];
            }
        }
        return;
    }
    hl_attention_rows z = hl_attention_rows_from(outputs_of(head, head->pass->z), block->first);
    for (int64_t i = 0; i < block->n; i++) {
        for (int64_t d = 0; d < Dv; d++) {
            hl_real dy_id = dy.at[i * dy.stride + d];
            sum += i < block->n_real ? dy_id * z.at[i * z.stride + d] : 0;
            dz[i * Dv + d] = gate * dy_id;
        }
    }
    dgate.at[at] += sum;
}

/* Computes a block's part of all gradients. Every block except the first adds to dk and dv. */
static void block_backward(const heads_work *w, hl_attention_block *block, hl_attention_rows dz, hl_attention_grads d,
                           hl_real *scratch)
{
    const hl_attention_view *head = block->head;
    const hl_attention_pass *pass = head->pass;
    int64_t weights = block->n * head->row;
    hl_real *dS = hl_attention_take(&scratch, weights);
    if (pass->recompute) { /* A as forward would have kept it; dS serves as its P */
        block->A = hl_attention_take(&scratch, weights);
        hl_real *P = pass->drops ? dS : block->A;
        hl_attention_weights(block, P);
        hl_attention_drop(block, P);
    }
    hl_real *P = block->A;
    if (pass->drops || block->n > block->n_real) {
        P = hl_attention_take(&scratch, weights);
        hl_attention_dropped(block, P);
    }
    if (pass->gate != NULL) {
        gate_backward(block, dz, scratch, d.gate);
        dz = (hl_attention_rows){ scratch, head->s.Dv };
    }
    d.k.add = d.k.add || block->first > 0;
    d.v.add = d.v.add || block->first > 0;
    d.q.at = d.q.at != NULL ? d.q.at + block->first * head->q.stride : NULL;
    d.k.at = d.k.at != NULL ? d.k.at + block->first_key * head->k.stride : NULL;
    d.v.at = d.v.at != NULL ? d.v.at + block->first_key * head->v.stride : NULL;
    w->backward(block, P, dz, dS, &d);
}

/* The gradient of q, k or v in a head. */
typedef struct head_grad {
    hl_grad whole; /* in the gradient of all heads; `at` is NULL if none is wanted */
    int64_t stride, n, width;
    hl_grad computed; /* the same, or in scratch memory if the head is staged */
} head_grad;

static head_grad begin_grad(const hl_attention_view *head, hl_grad grad, hl_attention_rows x, bool keys, int64_t width,
                            hl_real **scratch)
{
    if (grad.at == NULL) {
        return (head_grad){ .n = 0 };
    }
    grad.at += (keys ? head->first_key : head->first_query) * x.stride + (keys ? head->kv : head->h) * width;
    head_grad g = { .whole = grad, .stride = x.stride, .n = keys ? head->n_keys : head->n_queries, .width = width };
    g.computed = grad;
    if (head->staged) {
        g.computed = (hl_grad){ .at = hl_attention_take(scratch, (keys ? head->keys : head->queries) * width) };
    }
    return g;
}

/* Zeros rows first .. n - 1, unless they are added to. */
static void clear_rows(const head_grad *g, int64_t stride, int64_t first, int64_t n)
{
    for (int64_t i = first; i < n && g->computed.at != NULL && !g->computed.add; i++) {
        memset(g->computed.at + i * stride, 0, (size_t)g->width * sizeof *g->computed.at);
    }
}

static void end_grad(const hl_attention_view *head, const head_grad *g)
{
    for (int64_t i = 0; head->staged && i < g->n; i++) {
        for (int64_t d = 0; d < g->width; d++) {
            hl_grad_put(&g->whole.at[i * g->stride + d], g->computed.at[i * g->width + d], g->whole.add);
        }
    }
}

static void head_backward(const heads_work *w, int64_t b, int64_t h, hl_dropout_draws *draws, hl_real *scratch)
{
    const hl_attention_pass *pass = w->pass;
    hl_attention_view head;
    hl_attention_view_of(pass, b, h, draws, &scratch, &head);
    hl_attention_sizes s = head.s;
    hl_attention_grads grads = w->grads;
    bool first = h % (s.H / s.Hkv) == 0;
    grads.k.add = grads.k.add || !first;
    grads.v.add = grads.v.add || !first;
    if (grads.gate.at != NULL && !grads.gate.add) {
        grads.gate.at[gate_of(&head)] = 0; /* the blocks add to it */
    }
    head_grad q = begin_grad(&head, grads.q, pass->q, false, s.Dk, &scratch),
              k = begin_grad(&head, grads.k, pass->k, true, s.Dk, &scratch),
              v = begin_grad(&head, grads.v, pass->v, true, s.Dv, &scratch);
    hl_attention_rows dz = outputs_of(&head, (hl_real *)w->dy);
    if (head.staged) {
        dz = hl_attention_stage(dz, head.n_queries, head.queries, s.Dv, &scratch);
    }
    /* The first block of queries may see fewer keys than the others, which add to existing numbers. */
    int64_t written = hl_attention_block_of(&head, 0).n_keys;
    clear_rows(&k, head.k.stride, written, head.keys);
    clear_rows(&v, head.v.stride, written, head.keys);
    head.V = transposed_keys(&head, head.v, s.Dv, 1, &scratch);
    if (pass->recompute) {
        scale_keys(&head, &scratch);
    }
    const hl_attention_grads computed = { q.computed, k.computed, v.computed, grads.gate, grads.overlap };
    for (int64_t i = 0; i < head.queries; i += HL_ATTENTION_BLOCK) {
        hl_attention_block block = hl_attention_block_of(&head, i);
        block_backward(w, &block, hl_attention_rows_from(dz, i), computed, scratch);
    }
    end_grad(&head, &q);
    end_grad(&head, &k);
    end_grad(&head, &v);
}

/* One thread processes all heads that share keys and values, in order. */
void hl_attention_backward(const hl_attention_pass *pass, hl_attention_backward_block *compute, hl_attention_grads d,
                           const hl_real *dy, hl_real *scratch)
{
    run_heads(
        &(heads_work){
            .pass = pass, .head = head_backward, .backward = compute, .grads = d, .dy = dy, .scratch = scratch },
        d.overlap ? pass->sizes.H : pass->sizes.H / pass->sizes.Hkv);
}
