#include "heads/composition.h"

#include "core/base/memory.h"
#include "core/base/private/block.h"
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
    int64_t readers; /* the index of the first head of a later layer */
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

static void lay_out_factors(factors *f, hl_block *block, int64_t D, int64_t rank)
{
    f->D = D;
    f->rank = rank;
    f->A = hl_block_take(block, D * rank, sizeof(double));
    f->B = hl_block_take(block, D * rank, sizeof(double));
    f->AA = hl_block_take(block, rank * rank, sizeof(double));
    f->BB = hl_block_take(block, rank * rank, sizeof(double));
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

static void make_head(head *it, const hl_encoder_layer *layer)
{
    hl_head_vectors(layer, it->number, HL_PART_Q, it->qk.A);
    hl_head_vectors(layer, it->number, HL_PART_K, it->qk.B);
    hl_head_vectors(layer, it->number, HL_PART_V, it->ov.A);
    hl_head_vectors(layer, it->number, HL_PART_O, it->ov.B);
    finish_factors(&it->ov);
    finish_factors(&it->qk);
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

/* ---- all that is made ---- */

/* What random matrices of a shape reach. */
typedef struct chance {
    int64_t writer, reader; /* ranks */
    double mean, quantile;
} chance;

typedef struct making {
    const hl_model *model;
    head *heads;
    int64_t n_heads;
    chance *chances; /* of the shapes so far */
    int n_chances;
    factors one, two; /* random ones */
    double *products; /* (heads, product) */
    int64_t product;  /* the numbers of the largest one */
    double *gains;    /* (L, L, D): of the norms between a head in layer i and one in layer j; NULL without post-norm */
    hl_wires *wires;
} making;

static void lay_out(void *context, hl_block *block)
{
    making *m = context;
    const hl_model_config *c = &m->model->config;
    int64_t L = c->n_layers, D = c->d_model, widest = hl_head_vectors_most(c);
    m->n_heads = hl_heads_count(c);
    m->product = widest * widest;
    m->products = hl_block_take(block, m->n_heads * m->product, sizeof *m->products);
    m->gains = c->norm == HL_NORM_POST ? hl_block_take(block, L * L * D, sizeof *m->gains) : NULL;
    m->chances = hl_block_take(block, 2 * L * L, sizeof *m->chances);
    m->heads = hl_block_take(block, m->n_heads, sizeof *m->heads);
    lay_out_factors(&m->one, block, D, widest);
    lay_out_factors(&m->two, block, D, widest);
    for (int64_t i = 0; i < m->n_heads; i++) {
        hl_head_place at = hl_head_at(c, i);
        head it = { .layer = at.layer, .number = at.head, .readers = hl_heads_before(c, at.layer + 1) };
        lay_out_factors(&it.ov, block, D, c->d_v[at.layer]);
        lay_out_factors(&it.qk, block, D, c->d_k[at.layer]);
        if (m->heads != NULL) {
            m->heads[i] = it;
        }
    }
}

/* ---- what random matrices reach ---- */

static void draw_factors(factors *f, hl_random random, uint64_t *position)
{
    for (int64_t i = 0; i < f->D * f->rank; i++) {
        f->A[i] = (double)hl_random_normal(random, (*position)++);
        f->B[i] = (double)hl_random_normal(random, (*position)++);
    }
    finish_factors(f);
}

static void measure_chance(making *m, chance *c, uint64_t seed)
{
    double scores[HL_COMPOSITION_DRAWS];
    uint64_t position = 0;
    hl_random random = { seed, hl_random_stream("composition"), (uint32_t)(c->writer * 65536 + c->reader) };
    m->one.rank = c->writer;
    m->two.rank = c->reader;
    for (int i = 0; i < HL_COMPOSITION_DRAWS; i++) {
        draw_factors(&m->one, random, &position);
        draw_factors(&m->two, random, &position);
        scores[i] = compose(&m->one, &m->two, false, NULL, m->products);
        c->mean += scores[i] / HL_COMPOSITION_DRAWS;
    }
    hl_numbers_sort(scores, HL_COMPOSITION_DRAWS);
    c->quantile = scores[HL_COMPOSITION_DRAWS * 95 / 100] - c->mean;
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
static void find_chances(making *m, uint64_t seed)
{
    const hl_model_config *c = &m->model->config;
    for (int from = 0; from < c->n_layers; from++) {
        for (int to = from + 1; to < c->n_layers; to++) {
            const int64_t readers[] = { c->d_k[to], c->d_v[to] };
            for (int i = 0; i < 2; i++) {
                if (chance_of(m, c->d_v[from], readers[i]) == NULL) {
                    chance *next = &m->chances[m->n_chances++];
                    *next = (chance){ .writer = c->d_v[from], .reader = readers[i] };
                    measure_chance(m, next, seed);
                }
            }
        }
    }
}

/* ---- all pairs ---- */

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

/* How many wires have an earlier writer. */
static int64_t wires_before(const making *m, int64_t writer)
{
    int64_t n = 0;
    for (int64_t i = 0; i < writer; i++) {
        n += (m->n_heads - m->heads[i].readers) * HL_COMPOSITIONS;
    }
    return n;
}

static hl_wire measure_wire(const making *m, const head *from, const head *to, hl_composition_kind kind,
                            double *product)
{
    const factors *reader = kind == HL_COMPOSES_V ? &to->ov : &to->qk;
    int pair = from->layer * m->model->encoder.n_layers + to->layer;
    const double *gain = m->gains != NULL ? m->gains + pair * reader->D : NULL;
    const chance *random = chance_of(m, from->ov.rank, reader->rank);
    double score = compose(&from->ov, reader, kind == HL_COMPOSES_K, gain, product);
    return (hl_wire){ .from_layer = from->layer,
                      .from_head = from->number,
                      .to_layer = to->layer,
                      .to_head = to->number,
                      .kind = kind,
                      .score = score,
                      .beyond = score - random->mean,
                      .quantile = random->quantile };
}

/* The wires of some writers, each with a product of its own. */
static void measure_writers(const void *context, hl_range writers)
{
    const making *m = context;
    for (int64_t i = writers.begin; i < writers.end; i++) {
        hl_wire *wire = m->wires->list + wires_before(m, i);
        for (int64_t j = m->heads[i].readers; j < m->n_heads; j++) {
            for (int kind = 0; kind < HL_COMPOSITIONS; kind++) {
                *wire++ = measure_wire(m, &m->heads[i], &m->heads[j], (hl_composition_kind)kind,
                                       m->products + i * m->product);
            }
        }
    }
}

static hl_status make(making *m, uint64_t seed, int threads)
{
    m->wires->n = wires_before(m, m->n_heads);
    m->wires->list = hl_calloc((size_t)m->wires->n, sizeof *m->wires->list);
    HL_NEED(m->wires->list != NULL, "composition");
    for (int64_t i = 0; i < m->n_heads; i++) {
        make_head(&m->heads[i], &m->model->encoder.layers[m->heads[i].layer]);
    }
    if (m->gains != NULL) {
        multiply_gains(m);
    }
    find_chances(m, seed);
    hl_threads_run(threads, m->n_heads, 1, measure_writers, m);
    return hl_ok();
}

hl_status hl_wires_make(hl_wires *wires, const hl_model *model, uint64_t seed, int threads)
{
    *wires = (hl_wires){ 0 };
    HL_TRY(hl_parameters_check_allocated(&model->parameters));
    making m = { .model = model, .wires = wires };
    void *memory;
    HL_TRY(hl_block_make(&memory, lay_out, &m, "composition"));
    hl_status status = make(&m, seed, threads);
    hl_free(memory);
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
