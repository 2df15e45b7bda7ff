#include "heads/private/copies.h"

#include "core/kernels/matmul.h"
#include "heads/answers.h"
#include "heads/head_set.h"
#include "heads/syntax.h"

#include <string.h>

enum { BLOCK = 64 /* positions whose logits are computed at once */ };

/* The key with each query's largest weight, of the rows that are positions. */
static void see(void *context, const hl_attention_seen *seen)
{
    const hl_copies_probe *layer = context;
    hl_copies_measuring *c = layer->all;
    hl_sequences examples = hl_batch_sequences(c->batch);
    int64_t first = hl_sequences_first(&examples, seen->b);
    for (int64_t i = 0; i < seen->n_queries; i++) {
        int32_t slot = c->slot[first + seen->first + i];
        if (slot >= 0) {
            int64_t key =
                seen->keys.begin + hl_answer_of(seen->A + i * seen->stride, seen->keys.end - seen->keys.begin);
            c->found[slot * c->n_heads + layer->first + seen->h].seen = c->batch->tokens[first + key];
        }
    }
}

void hl_copies_lay_out(hl_copies_measuring *c, hl_block *block, const hl_model *model, int64_t most_rows)
{
    const hl_model_config *config = &model->config;
    c->model = model;
    c->n_heads = hl_heads_count(config);
    c->found = hl_block_take(block, (int64_t)HL_COPIES_POSITIONS * c->n_heads, sizeof *c->found);
    c->scores = hl_block_take(block, HL_COPIES_POSITIONS, sizeof *c->scores);
    c->slot = hl_block_take(block, most_rows, sizeof *c->slot);
    c->z = hl_block_take(block, BLOCK * hl_heads_widest(config), sizeof *c->z);
    c->o = hl_block_take(block, BLOCK * config->d_model, sizeof *c->o);
    c->hidden = hl_block_take(block, BLOCK * config->d_model, sizeof *c->hidden);
    c->scale = hl_block_take(block, BLOCK, sizeof *c->scale);
    c->logits = hl_block_take(block, BLOCK * config->targets, sizeof *c->logits);
    c->counts = hl_block_take(block, config->vocabulary, sizeof *c->counts);
    for (int l = 0; l < config->n_layers; l++) {
        c->layers[l] = (hl_copies_probe){ c, hl_heads_before(config, l) };
        c->probes[l] = (hl_head_probe){ .observe = see, .observe_context = &c->layers[l] };
    }
}

void hl_copies_draw(hl_copies_measuring *c, uint64_t seed, int64_t n)
{
    c->random = (hl_random){ seed, hl_random_stream("copies"), 0 };
    c->offered = n;
    c->left = n < HL_COPIES_POSITIONS ? n : HL_COPIES_POSITIONS;
}

/* ---- a slice ---- */

void hl_copies_begin(hl_copies_measuring *c, const hl_batch *batch)
{
    c->batch = batch;
    c->begin = c->n;
    for (int64_t row = 0; row < batch->n_rows; row++) {
        c->slot[row] = -1;
    }
}

void hl_copies_take(hl_copies_measuring *c, int64_t row, bool scores)
{
    bool drawn = c->offered > 0 && hl_random_below(c->random, c->at++, (uint32_t)c->offered--) < (uint32_t)c->left;
    if (drawn) {
        c->left--;
        c->scores[c->n] = scores;
        c->slot[row] = (int32_t)c->n++;
    }
}

/* The positions of a block: which of the rows that the pass has kept. */
typedef struct block {
    int64_t n, first;    /* positions; the number of the first one */
    int32_t kept[BLOCK]; /* (n) */
} block;

static void gather(const block *b, const hl_real *from, int64_t stride, int64_t width, hl_real *to)
{
    for (int64_t i = 0; i < b->n; i++) {
        memcpy(to + i * width, from + b->kept[i] * stride, (size_t)width * sizeof *to);
    }
}

static void norm(hl_copies_measuring *c, const block *b, const hl_norm_layer *layer, const hl_real *scales)
{
    gather(b, scales, 1, 1, c->scale);
    hl_write_norm_forward(layer, c->scale, b->n, c->o);
}

/* Takes the head's writes o along the residual path, from its layer to the last hidden state. */
static void follow_path(hl_copies_measuring *c, const block *b, const hl_write_pass *pass, int layer)
{
    const hl_encoder *encoder = &c->model->encoder;
    if (c->model->config.norm == HL_NORM_PRE) {
        norm(c, b, &encoder->norm, pass->layers[encoder->n_layers - 1].scale2);
        return;
    }
    for (int l = layer; l < encoder->n_layers; l++) {
        norm(c, b, &encoder->layers[l].norm1, pass->layers[l].scale1);
        if (encoder->layers[l].kind != HL_FEED_FORWARD_NONE) {
            norm(c, b, &encoder->layers[l].norm2, pass->layers[l].scale2);
        }
    }
}

static void measure_layer(hl_copies_measuring *c, const block *b, const hl_write_pass *pass, hl_answer_path *path,
                          int l)
{
    const hl_multi_head *attention = &c->model->encoder.layers[l].self_attn;
    int64_t H = attention->config.n_heads, d_v = attention->config.d_v, D = c->model->config.d_model;
    for (int64_t h = 0; h < H; h++) {
        gather(b, pass->layers[l].z + h * d_v, H * d_v, d_v, c->z);
        hl_matmul_into(path->threads, b->n, D, d_v, (hl_matrix){ c->z, d_v, false },
                       (hl_matrix){ attention->out_proj.weight->data + h * d_v, H * d_v, true }, 0, c->o, D);
        follow_path(c, b, pass, l);
        hl_answer_path_forward(path, b->n, c->o, c->logits);
        for (int64_t i = 0; i < b->n; i++) {
            c->found[(b->first + i) * c->n_heads + c->layers[l].first + h].written =
                hl_answer_of(c->logits + i * path->n_logits, path->n_logits);
        }
    }
}

static hl_status measure_block(hl_copies_measuring *c, const block *b, const hl_write_pass *pass, hl_answer_path *path)
{
    int64_t D = c->model->config.d_model;
    gather(b, pass->hidden, D, D, c->hidden);
    HL_TRY(hl_answer_path_at(path, b->n, c->hidden));
    for (int l = 0; l < c->model->encoder.n_layers; l++) {
        measure_layer(c, b, pass, path, l);
    }
    return hl_ok();
}

hl_status hl_copies_add(hl_copies_measuring *c, const hl_write_pass *pass, hl_answer_path *path)
{
    block b = { .first = c->begin };
    for (int64_t i = 0; i <= pass->n; i++) {
        bool full = b.n == BLOCK || (i == pass->n && b.n > 0);
        if (full) {
            HL_TRY(measure_block(c, &b, pass, path));
            b = (block){ .first = b.first + b.n };
        }
        if (i < pass->n && c->slot[pass->rows[i]] >= 0) {
            b.kept[b.n++] = (int32_t)i;
        }
    }
    return hl_ok();
}

/* ---- the end ---- */

/* The token that heads look at most often at positions that choose, the lowest id of equals. */
static int32_t most_seen(const hl_copies_measuring *c, int64_t head, bool scores)
{
    int64_t *counts = c->counts;
    int32_t best = -1;
    for (int64_t i = 0; i < c->n; i++) {
        int32_t token = c->found[i * c->n_heads + head].seen;
        if (c->scores[i] == scores) {
            counts[token]++;
            bool more = best < 0 || counts[token] > counts[best] || (counts[token] == counts[best] && token < best);
            best = more ? token : best;
        }
    }
    for (int64_t i = 0; i < c->n; i++) {
        counts[c->found[i * c->n_heads + head].seen] = 0;
    }
    return best;
}

static hl_copies judge(const hl_copies_measuring *c, int64_t head, int32_t common)
{
    hl_syntax_rate found = { 0 }, baseline = { 0 };
    for (int64_t i = 0; i < c->n; i++) {
        hl_copied at = c->found[i * c->n_heads + head];
        if (c->scores[i]) {
            found.cases++;
            found.hits += at.seen == at.written;
            baseline.hits += at.seen == common;
        }
    }
    baseline.cases = found.cases;
    hl_copies copies = { .n = found.cases };
    if (copies.n > 0) {
        copies.score = hl_syntax_share(found);
        copies.baseline = hl_syntax_share(baseline);
        double lift = hl_score_lift((hl_score){ copies.score, copies.baseline, copies.n });
        copies.earned =
            lift >= HL_SCORE_CLEAR_LIFT && hl_syntax_interval_of(found).low > hl_syntax_interval_of(baseline).high;
    }
    return copies;
}

void hl_copies_end(const hl_copies_measuring *c, hl_head_writes *heads)
{
    bool chooses = false; /* a single example does both */
    for (int64_t i = 0; i < c->n; i++) {
        chooses = chooses || !c->scores[i];
    }
    for (int64_t h = 0; h < c->n_heads; h++) {
        heads[h].copies = judge(c, h, most_seen(c, h, !chooses));
    }
}
