/* What heads write and copy, against another computation of it, forwards through the layers. */
#include "core/base/memory.h"
#include "heads/evaluator.h"
#include "heads/syntax.h"
#include "tests/check_suite.h"
#include "tests/heads/double/written.h"

#include <string.h>

/* ---- head by head, forwards ---- */

/* The inputs of the first layer and the heads' outputs, of all rows. */
typedef struct kept {
    double *x, *z[EXAMPLE_LAYERS];
    hl_head_weights weights[EXAMPLE_LAYERS];
    hl_head_probe probes[EXAMPLE_LAYERS];
} kept;

static hl_status keep(void *context, hl_evaluator_slice *slice)
{
    kept *k = context;
    slice->states = k->x;
    slice->probes = k->probes;
    return hl_ok();
}

static void keep_all(kept *k, const hl_batch *rows)
{
    k->x = hl_calloc((size_t)(rows->n_rows * D * (EXAMPLE_LAYERS + 1)), sizeof *k->x);
    for (int l = 0; l < EXAMPLE_LAYERS; l++) {
        k->z[l] = hl_calloc((size_t)(rows->n_rows * model.config.heads[l] * model.config.d_v[l]), sizeof(double));
        int64_t T = batch.n_tokens, H = model.config.heads[l];
        k->weights[l] = (hl_head_weights){ hl_calloc((size_t)(E * H * T * T), sizeof(double)), H, T };
        k->probes[l] =
            (hl_head_probe){ .z = k->z[l], .observe = hl_head_weights_observe, .observe_context = &k->weights[l] };
    }
    expect_ok(hl_evaluate_once(
        (hl_evaluator){ .model = &model, .rows = rows->n_rows, .threads = 1, .begin = keep, .context = k }, rows,
        NULL));
}

static void free_kept(kept *k)
{
    hl_free(k->x);
    for (int l = 0; l < EXAMPLE_LAYERS; l++) {
        hl_free(k->z[l]);
        hl_free(k->weights[l].at);
    }
}

static void linear(const hl_linear_layer *layer, const double *x, double *y)
{
    int64_t O = layer->weight->shape.size[0], I = layer->weight->shape.size[1];
    for (int64_t o = 0; o < O; o++) {
        y[o] = layer->bias->data[o];
        for (int64_t i = 0; i < I; i++) {
            y[o] += layer->weight->data[o * I + i] * x[i];
        }
    }
}

/* x normed, and o as the norm of x passes it on. */
static void norm(const hl_norm_layer *layer, double *x, double *o)
{
    double mean = 0, mean_o = 0, square = 0;
    for (int i = 0; i < D; i++) {
        mean += x[i] / D;
        mean_o += o[i] / D;
    }
    for (int i = 0; i < D; i++) {
        square += (x[i] - mean) * (x[i] - mean) / D;
    }
    for (int i = 0; i < D; i++) {
        double gain = layer->weight->data[i] / sqrt(square + layer->epsilon);
        x[i] = (x[i] - mean) * gain + layer->bias->data[i];
        o[i] = (o[i] - mean_o) * gain;
    }
}

/* x + feed_forward(y), with relu. */
static void add_feed_forward(const hl_feed_forward *layer, const double *y, double *x)
{
    double inner[2 * D], outer[D];
    linear(&layer->linear1, y, inner);
    for (int i = 0; i < 2 * D; i++) {
        inner[i] = inner[i] > 0 ? inner[i] : 0;
    }
    linear(&layer->linear2, inner, outer);
    for (int i = 0; i < D; i++) {
        x[i] += outer[i];
    }
}

/* The head's write of that row, as it stands in the last hidden state. */
static void push(const kept *k, int layer, int64_t head, int64_t row, double *o)
{
    double x[D];
    memcpy(x, k->x + row * D, sizeof x);
    memset(o, 0, D * sizeof *o);
    for (int l = 0; l < EXAMPLE_LAYERS; l++) {
        const hl_encoder_layer *its = &model.encoder.layers[l];
        int64_t d_v = model.config.d_v[l], width = model.config.heads[l] * d_v;
        double sum[D], y[D], nothing[D] = { 0 };
        linear(&its->self_attn.out_proj, k->z[l] + row * width, sum);
        for (int i = 0; i < D; i++) {
            x[i] += sum[i];
            for (int64_t c = head * d_v; l == layer && c < (head + 1) * d_v; c++) {
                o[i] += its->self_attn.out_proj.weight->data[i * width + c] * k->z[l][row * width + c];
            }
        }
        if (model.config.norm == HL_NORM_POST) {
            norm(&its->norm1, x, o);
            memcpy(y, x, sizeof y);
            add_feed_forward(&its->feed_forward, y, x);
            norm(&its->norm2, x, o);
        } else {
            memcpy(y, x, sizeof y);
            norm(&its->norm2, y, nothing);
            add_feed_forward(&its->feed_forward, y, x);
        }
    }
    if (model.config.norm == HL_NORM_PRE) {
        norm(&model.encoder.norm, x, o);
    }
}

static double centred_logit(const double *o, int32_t target)
{
    const hl_tensor *W = model.output.linear.weight;
    double logit = 0;
    for (int64_t c = 0; c < model.config.targets; c++) {
        for (int i = 0; i < D; i++) {
            logit += ((c == target) - 1.0 / (double)model.config.targets) * W->data[c * D + i] * o[i];
        }
    }
    return logit;
}

/* direct of a head: the mean over odd examples of the mean over their targets. */
static double direct_of(const kept *k, const hl_batch *rows, int layer, int64_t head)
{
    double direct = 0;
    for (int64_t e = 1; e < E; e += 2) {
        hl_batch one = hl_batch_slice(rows, e, 1);
        for (int64_t t = 0; t < one.n_targets; t++) {
            double o[D];
            push(k, layer, head, one.target_rows[t], o);
            direct += centred_logit(o, one.target_ids[t]) / (double)one.n_targets / 2;
        }
    }
    return direct;
}

/* |o| / |x_0| of a head of the first layer. */
static double norm_of(const kept *k, const hl_batch *rows, int64_t head)
{
    const hl_tensor *W = model.encoder.layers[0].self_attn.out_proj.weight;
    int64_t width = W->shape.size[1], d_v = model.config.d_v[0];
    double mean = 0;
    for (int64_t e = 1; e < E; e += 2) {
        for (int32_t row = rows->offsets[e]; row < rows->offsets[e + 1]; row++) {
            double of_o = 0, of_x = 0;
            for (int i = 0; i < D; i++) {
                double o = 0;
                for (int64_t c = head * d_v; c < (head + 1) * d_v; c++) {
                    o += W->data[i * width + c] * k->z[0][row * width + c];
                }
                of_o += o * o;
                of_x += k->x[row * D + i] * k->x[row * D + i];
            }
            mean += sqrt(of_o / of_x) / (rows->offsets[e + 1] - rows->offsets[e]) / 2;
        }
    }
    return mean;
}

TEST(heads_write_what_their_outputs_become)
{
    for (int p = 0; p < 2; p++) {
        set_up_shape(p == 0 ? plain : post_causal);
        hl_batch_storage storage = example_rows(&batch);
        kept k;
        keep_all(&k, &storage.batch);
        measure();
        for (int w = 0; w < writes.n_writers; w++) {
            const hl_writer *writer = &writes.writers[w];
            if (writer->kind == HL_WRITER_HEAD) {
                double direct = direct_of(&k, &storage.batch, writer->layer, writer->number);
                ck_assert_double_eq_tol(writer->direct.mean, direct, 1e-11);
            }
        }
        for (int64_t h = 0; h < model.config.heads[0]; h++) {
            ck_assert_double_eq_tol(writes.heads[h].norm.mean, norm_of(&k, &storage.batch, h), 1e-11);
        }
        free_kept(&k);
        hl_batch_storage_free(&storage);
    }
}

/* ---- copies ---- */

static int64_t largest(const double *numbers, int64_t n)
{
    int64_t best = 0;
    for (int64_t i = 1; i < n; i++) {
        best = numbers[i] > numbers[best] ? i : best;
    }
    return best;
}

/* The token that a head looks at most from that row, and the token whose logit its write raises most. */
typedef struct pair {
    int32_t seen, written;
} pair;

static pair pair_of(const kept *k, const hl_batch *rows, int layer, int64_t head, int64_t e, int32_t row)
{
    int64_t T = batch.n_tokens, H = model.config.heads[layer];
    const double *A = k->weights[layer].at + ((e * H + head) * T + (row - rows->offsets[e])) * T;
    double o[D], logits[EXAMPLE_VOCABULARY];
    push(k, layer, head, row, o);
    for (int32_t c = 0; c < EXAMPLE_VOCABULARY; c++) {
        logits[c] = centred_logit(o, c);
    }
    return (pair){ rows->tokens[rows->offsets[e] + largest(A, batch.lengths[e])],
                   (int32_t)largest(logits, EXAMPLE_VOCABULARY) };
}

static hl_copies copies_of(const kept *k, const hl_batch *rows, int layer, int64_t head)
{
    double counts[EXAMPLE_VOCABULARY] = { 0 };
    hl_copies copies = { 0 };
    for (int pass = 0; pass < 2; pass++) { /* even examples choose, odd ones score */
        int64_t common = largest(counts, EXAMPLE_VOCABULARY);
        for (int64_t e = pass; e < E; e += 2) {
            hl_batch one = hl_batch_slice(rows, e, 1);
            for (int64_t t = 0; t < one.n_targets; t++) {
                pair p = pair_of(k, rows, layer, head, e, one.target_rows[t]);
                counts[p.seen] += pass == 0;
                copies.n += pass;
                copies.score += pass * (p.seen == p.written);
                copies.baseline += pass * (p.seen == common);
            }
        }
    }
    copies.score /= (double)copies.n;
    copies.baseline /= (double)copies.n;
    return copies;
}

TEST(copies_are_found)
{
    for (int p = 0; p < 2; p++) {
        set_up_shape(p == 0 ? plain : post_causal);
        for (int i = 0; i < D; i++) { /* what the first layer's norms do to a write is not to be overlooked */
            model.encoder.layers[0].norm1.weight->data[i] *= i % 3 == 0 ? -4 : 0.25;
        }
        hl_batch_storage storage = example_rows(&batch);
        kept k;
        keep_all(&k, &storage.batch);
        measure();
        double scores = 0, baselines = 0;
        for (int64_t h = 0; h < writes.n_heads; h++) {
            const hl_head_writes *head = &writes.heads[h];
            hl_copies copies = copies_of(&k, &storage.batch, head->layer, head->head);
            ck_assert_int_eq(head->copies.n, copies.n);
            ck_assert_double_eq_tol(head->copies.score, copies.score, 1e-12);
            ck_assert_double_eq_tol(head->copies.baseline, copies.baseline, 1e-12);
            scores += copies.score;
            baselines += copies.baseline;
        }
        ck_assert(scores > 0 && baselines > 0);
        free_kept(&k);
        hl_batch_storage_free(&storage);
    }
}

/* The matrix of the last layer's head 0 hands on the embedding of the token that it looks at. */
TEST(a_head_that_hands_on_its_token_earns_it)
{
    set_up_shape(tied);
    const hl_multi_head *attention = &model.encoder.layers[1].self_attn;
    ck_assert_ptr_nonnull(attention->v_proj_weight);
    measure();
    for (int64_t h = 0; h < writes.n_heads; h++) {
        hl_copies copies = writes.heads[h].copies;
        hl_syntax_rate found = { llround(copies.score * (double)copies.n), copies.n };
        hl_syntax_rate baseline = { llround(copies.baseline * (double)copies.n), copies.n };
        bool apart = hl_syntax_interval_of(found).low > hl_syntax_interval_of(baseline).high;
        double lift = (copies.score - copies.baseline) / (1 - copies.baseline);
        ck_assert_int_eq(copies.earned, lift >= 0.5 && apart);
    }
}

SUITE("what heads write, forwards", .after = tear_down)
