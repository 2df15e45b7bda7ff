#include "heads/composition.h"

#include "core/base/memory.h"
#include "core/base/threads.h"
#include "core/kernels/random.h"
#include "heads/estimate.h"
#include "heads/head_set.h"
#include "heads/head_vectors.h"

#include <math.h>
#include <string.h>

/* ---- a head's matrices, in double ---- */

/* Two factors A (D, r) and B (D, r), both as columns over D, whose product A B^T is OV (A = W_V, B = W_O^T) or QK. */
typedef struct factors {
    int64_t D, rank;
    double *A, *B;
    double *AA, *BB; /* (rank, rank): A^T A, B^T B */
    double norm;     /* |A B^T| */
} factors;

typedef struct head {
    int layer;
    int64_t number;
    factors ov, qk;
} head;

static double *gram(const double *x, const double *y, const double *gain, int64_t D, int64_t m, int64_t n, double *out)
{
    memset(out, 0, (size_t)(m * n) * sizeof *out);
    for (int64_t d = 0; d < D; d++) {
        for (int64_t i = 0; i < m; i++) {
            double scaled = x[d * m + i] * (gain != NULL ? gain[d] : 1);
            for (int64_t j = 0; j < n; j++) {
                out[i * n + j] += scaled * y[d * n + j];
            }
        }
    }
    return out;
}

/* tr(P M Q M^T) for P (m, m), M (m, n), Q (n, n): the square of |A M B^T| with P = A^T A, Q = B^T B. */
static double squared(const double *P, const double *M, const double *Q, int64_t m, int64_t n)
{
    double sum = 0;
    for (int64_t i = 0; i < m; i++) {
        for (int64_t j = 0; j < n; j++) {
            double pm = 0, mq = 0;
            for (int64_t k = 0; k < m; k++) {
                pm += P[i * m + k] * M[k * n + j];
            }
            for (int64_t k = 0; k < n; k++) {
                mq += M[i * n + k] * Q[k * n + j];
            }
            sum += pm * mq;
        }
    }
    return fmax(sum, 0);
}

static void free_factors(factors *f)
{
    hl_free(f->A);
    *f = (factors){ 0 };
}

static hl_status allocate_factors(factors *f, int64_t D, int64_t rank)
{
    *f = (factors){ .D = D, .rank = rank, .A = hl_calloc((size_t)(2 * rank * (D + rank)), sizeof(double)) };
    HL_NEED(f->A != NULL, "a head's matrices");
    f->B = f->A + D * rank;
    f->AA = f->B + D * rank;
    f->BB = f->AA + rank * rank;
    return hl_ok();
}

static void finish_factors(factors *f)
{
    gram(f->A, f->A, NULL, f->D, f->rank, f->rank, f->AA);
    gram(f->B, f->B, NULL, f->D, f->rank, f->rank, f->BB);
    double square = 0;
    for (int64_t i = 0; i < f->rank * f->rank; i++) {
        square += f->AA[i] * f->BB[i];
    }
    f->norm = sqrt(square);
}

static hl_status make_head(head *it, const hl_encoder_layer *layer, int l, int64_t h)
{
    const hl_multi_head_config *c = &layer->self_attn.config;
    int64_t D = c->d_model;
    it->layer = l;
    it->number = h;
    HL_TRY(allocate_factors(&it->ov, D, c->d_v));
    HL_TRY(allocate_factors(&it->qk, D, c->d_k));
    hl_head_vectors(layer, h, HL_PART_Q, it->qk.A);
    hl_head_vectors(layer, h, HL_PART_K, it->qk.B);
    hl_head_vectors(layer, h, HL_PART_V, it->ov.A);
    hl_head_vectors(layer, h, HL_PART_O, it->ov.B);
    finish_factors(&it->ov);
    finish_factors(&it->qk);
    return hl_ok();
}

/* ---- a pair ---- */

/* The score of A1 B1^T diag(gain) times A2 B2^T, or with `turned` B2 A2^T. `product` (rank1, rank2): scratch. */
static double compose(const factors *one, const factors *two, bool turned, const double *gain, double *product)
{
    const double *reads = turned ? two->B : two->A, *rest = turned ? two->AA : two->BB;
    gram(one->B, reads, gain, one->D, one->rank, two->rank, product);
    double square = squared(one->AA, product, rest, one->rank, two->rank);
    return one->norm > 0 && two->norm > 0 ? sqrt(square) / (one->norm * two->norm) : 0;
}

/* ---- what random matrices reach ---- */

typedef struct chance {
    int64_t D, writer, reader; /* ranks */
    double mean, quantile;
} chance;

static void draw_factors(factors *f, hl_random random, uint64_t *position)
{
    for (int64_t i = 0; i < f->D * f->rank; i++) {
        f->A[i] = (double)hl_random_normal(random, (*position)++);
        f->B[i] = (double)hl_random_normal(random, (*position)++);
    }
    finish_factors(f);
}

static hl_status measure_chance(chance *c, uint64_t seed)
{
    factors one = { 0 }, two = { 0 };
    double scores[HL_COMPOSITION_DRAWS], *product = hl_malloc((size_t)(c->writer * c->reader) * sizeof *product);
    hl_status status = product != NULL ? hl_ok() : hl_error_memory("random matrices");
    HL_THEN(status, allocate_factors(&one, c->D, c->writer));
    HL_THEN(status, allocate_factors(&two, c->D, c->reader));
    uint64_t position = 0;
    hl_random random = { seed, hl_random_stream("composition"), (uint32_t)(c->writer * 65536 + c->reader) };
    for (int i = 0; i < HL_COMPOSITION_DRAWS && status.code == HL_OK; i++) {
        draw_factors(&one, random, &position);
        draw_factors(&two, random, &position);
        scores[i] = compose(&one, &two, false, NULL, product);
        c->mean += scores[i] / HL_COMPOSITION_DRAWS;
    }
    if (status.code == HL_OK) {
        hl_numbers_sort(scores, HL_COMPOSITION_DRAWS);
        c->quantile = scores[HL_COMPOSITION_DRAWS * 95 / 100] - c->mean;
    }
    free_factors(&one);
    free_factors(&two);
    hl_free(product);
    return status;
}

/* ---- all pairs ---- */

typedef struct making {
    const hl_model *model;
    head *heads;
    int64_t n_heads;
    chance *chances; /* of the shapes so far */
    int n_chances;
    double *products; /* (heads, product) */
    int64_t product;  /* the numbers of the largest one */
    double *gains;    /* (L, L, D): of the norms between a head in layer i and one in layer j, with post-norm */
    hl_wires *wires;
} making;

static const head *head_of(const making *m, int layer, int64_t number)
{
    return &m->heads[hl_heads_before(&m->model->config, layer) + number];
}

static const factors *writer_of(const making *m, const hl_wire *wire)
{
    return &head_of(m, wire->from_layer, wire->from_head)->ov;
}

static const factors *reader_of(const making *m, const hl_wire *wire)
{
    const head *to = head_of(m, wire->to_layer, wire->to_head);
    return wire->kind == HL_COMPOSES_V ? &to->ov : &to->qk;
}

static const chance *chance_of(const making *m, int64_t writer, int64_t reader)
{
    for (int i = 0; i < m->n_chances; i++) {
        if (m->chances[i].writer == writer && m->chances[i].reader == reader) {
            return &m->chances[i];
        }
    }
    return NULL;
}

/* Once a shape. */
static hl_status find_chances(making *m, uint64_t seed)
{
    for (int64_t i = 0; i < m->wires->n; i++) {
        int64_t writer = writer_of(m, &m->wires->list[i])->rank, reader = reader_of(m, &m->wires->list[i])->rank;
        if (chance_of(m, writer, reader) == NULL) {
            chance *next = &m->chances[m->n_chances];
            *next = (chance){ .D = m->model->config.d_model, .writer = writer, .reader = reader };
            HL_TRY(measure_chance(next, seed));
            m->n_chances++;
        }
    }
    return hl_ok();
}

/* The gains that a write of layer `from` passes before layer `to` reads it. */
static void multiply_gains(making *m)
{
    int L = m->model->encoder.n_layers;
    int64_t D = m->model->config.d_model;
    for (int from = 0; from < L; from++) {
        for (int to = from + 1; to < L; to++) {
            double *gain = m->gains + (from * L + to) * D;
            const hl_encoder_layer *layer = &m->model->encoder.layers[to - 1];
            for (int64_t d = 0; d < D; d++) {
                double before = to - 1 > from ? m->gains[(from * L + to - 1) * D + d] : 1;
                double second = layer->kind != HL_FEED_FORWARD_NONE ? (double)layer->norm2.weight->data[d] : 1;
                gain[d] = before * (double)layer->norm1.weight->data[d] * second;
            }
        }
    }
}

static void list_wires(making *m)
{
    int64_t n = 0;
    for (int64_t a = 0; a < m->n_heads; a++) {
        for (int64_t b = 0; b < m->n_heads; b++) {
            for (int kind = 0; kind < HL_COMPOSITIONS && m->heads[a].layer < m->heads[b].layer; kind++) {
                if (m->wires->list != NULL) {
                    m->wires->list[n] = (hl_wire){ .from_layer = m->heads[a].layer,
                                                   .from_head = m->heads[a].number,
                                                   .to_layer = m->heads[b].layer,
                                                   .to_head = m->heads[b].number,
                                                   .kind = (hl_composition_kind)kind };
                }
                n++;
            }
        }
    }
    m->wires->n = n;
}

/* The wires of some writers, each with a product of its own. */
static void measure_writers(const void *context, hl_range writers)
{
    const making *m = context;
    for (int64_t i = 0; i < m->wires->n; i++) {
        hl_wire *wire = &m->wires->list[i];
        int64_t writer = head_of(m, wire->from_layer, wire->from_head) - m->heads;
        if (writer < writers.begin || writer >= writers.end) {
            continue;
        }
        const factors *one = writer_of(m, wire), *two = reader_of(m, wire);
        int pair = wire->from_layer * m->model->encoder.n_layers + wire->to_layer;
        const double *gain = m->gains != NULL ? m->gains + pair * two->D : NULL;
        const chance *random = chance_of(m, one->rank, two->rank);
        wire->score = compose(one, two, wire->kind == HL_COMPOSES_K, gain, m->products + writer * m->product);
        wire->beyond = wire->score - random->mean;
        wire->quantile = random->quantile;
    }
}

static hl_status make(making *m, uint64_t seed, int threads)
{
    const hl_model *model = m->model;
    int64_t L = model->encoder.n_layers, widest = hl_heads_widest(&model->config), n = 0;
    m->n_heads = hl_heads_count(&model->config);
    for (int l = 0; l < L; l++) {
        widest = model->config.d_k[l] > widest ? model->config.d_k[l] : widest;
    }
    m->product = widest * widest;
    m->products = hl_malloc((size_t)(m->n_heads * m->product) * sizeof *m->products);
    m->heads = hl_calloc((size_t)m->n_heads, sizeof *m->heads);
    m->chances = hl_calloc((size_t)(2 * L * L), sizeof *m->chances);
    bool post = model->config.norm == HL_NORM_POST;
    m->gains = post ? hl_calloc((size_t)(L * L * model->config.d_model), sizeof *m->gains) : NULL;
    bool complete = m->products != NULL && m->heads != NULL && m->chances != NULL && (!post || m->gains != NULL);
    hl_status status = complete ? hl_ok() : hl_error_memory("composition");
    for (int l = 0; l < L; l++) {
        for (int64_t h = 0; h < model->config.heads[l]; h++) {
            HL_THEN(status, make_head(&m->heads[n++], &model->encoder.layers[l], l, h));
        }
    }
    if (status.code == HL_OK) {
        list_wires(m);
        m->wires->list = hl_calloc((size_t)m->wires->n + 1, sizeof *m->wires->list);
        status = m->wires->list != NULL ? hl_ok() : hl_error_memory("composition");
    }
    if (status.code == HL_OK) {
        list_wires(m);
        if (post) {
            multiply_gains(m);
        }
    }
    HL_THEN(status, find_chances(m, seed));
    if (status.code == HL_OK) {
        hl_threads_run(threads, m->n_heads, 1, measure_writers, m);
    }
    return status;
}

hl_status hl_wires_make(hl_wires *wires, const hl_model *model, uint64_t seed, int threads)
{
    *wires = (hl_wires){ 0 };
    HL_TRY(hl_parameters_check_allocated(&model->parameters));
    making m = { .model = model, .wires = wires };
    hl_status status = make(&m, seed, threads);
    for (int64_t i = 0; m.heads != NULL && i < m.n_heads; i++) {
        free_factors(&m.heads[i].ov);
        free_factors(&m.heads[i].qk);
    }
    hl_free(m.heads);
    hl_free(m.chances);
    hl_free(m.gains);
    hl_free(m.products);
    if (status.code != HL_OK) {
        hl_wires_free(wires);
    }
    return status;
}

void hl_wires_free(hl_wires *wires)
{
    hl_free(wires->list);
    *wires = (hl_wires){ 0 };
}
