#include "heads/spaces.h"

#include "core/base/memory.h"
#include "core/base/private/block.h"
#include "core/kernels/random.h"
#include "heads/estimate.h"
#include "heads/head_set.h"
#include "heads/head_vectors.h"

#include <math.h>

static const int parts[HL_SPACES] = { HL_PART_Q, HL_PART_K, HL_PART_V, HL_PART_O };

/* ---- bases ---- */

/* An orthonormal basis: `rank` vectors of D numbers, one after the other. */
typedef struct basis {
    double *vectors;
    int64_t rank;
} basis;

static double dot(const double *x, const double *y, int64_t n)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++) {
        sum += x[i] * y[i];
    }
    return sum;
}

/* Takes the columns (D, n) into the basis, by Gram-Schmidt, twice for accuracy. What depends on earlier columns adds no
 * vector. */
static void make_basis(const double *columns, int64_t D, int64_t n, basis *to)
{
    static const double dependent = 1e-10;
    to->rank = 0;
    for (int64_t i = 0; i < n && to->rank < D; i++) {
        double *x = to->vectors + to->rank * D;
        for (int64_t d = 0; d < D; d++) {
            x[d] = columns[d * n + i];
        }
        double before = sqrt(dot(x, x, D));
        for (int64_t k = 0; k < 2 * to->rank; k++) {
            const double *e = to->vectors + k % to->rank * D;
            double along = dot(e, x, D);
            for (int64_t d = 0; d < D; d++) {
                x[d] -= along * e[d];
            }
        }
        double size = sqrt(dot(x, x, D));
        for (int64_t d = 0; d < D && size > dependent * before; d++) {
            x[d] /= size;
        }
        to->rank += size > dependent * before;
    }
}

/* ---- angles ---- */

/* The largest singular value of M (m, n), n <= m, by one-sided Jacobi rotations of its columns, which are the rows of
 * `columns` (n, m). Overwrites them. */
static double largest_singular(double *columns, int64_t m, int64_t n)
{
    enum { MOST_SWEEPS = 60 };
    static const double small = 1e-15;
    bool rotated = true;
    for (int sweep = 0; sweep < MOST_SWEEPS && rotated; sweep++) {
        rotated = false;
        for (int64_t i = 0; i < n; i++) {
            for (int64_t j = i + 1; j < n; j++) {
                double *x = columns + i * m, *y = columns + j * m;
                double xx = dot(x, x, m), yy = dot(y, y, m), xy = dot(x, y, m);
                if (fabs(xy) <= small * sqrt(xx * yy) || xy == 0) {
                    continue;
                }
                double zeta = (yy - xx) / (2 * xy), t = copysign(1, zeta) / (fabs(zeta) + sqrt(1 + zeta * zeta));
                double c = 1 / sqrt(1 + t * t), s = c * t;
                for (int64_t k = 0; k < m; k++) {
                    double x_k = x[k];
                    x[k] = c * x_k - s * y[k];
                    y[k] = s * x_k + c * y[k];
                }
                rotated = true;
            }
        }
    }
    double most = 0;
    for (int64_t i = 0; i < n; i++) {
        most = fmax(most, dot(columns + i * m, columns + i * m, m));
    }
    return sqrt(most);
}

/* Sets overlap and angle. `product`: scratch for (rank, rank) numbers. */
static void measure_pair(const basis *one, const basis *two, int64_t D, double *product, hl_space_pair *pair)
{
    const basis *small = one->rank < two->rank ? one : two, *large = small == one ? two : one;
    double square = 0;
    for (int64_t i = 0; i < small->rank * large->rank; i++) {
        product[i] = dot(small->vectors + i / large->rank * D, large->vectors + i % large->rank * D, D);
        square += product[i] * product[i];
    }
    double cosine = largest_singular(product, large->rank, small->rank);
    pair->overlap = small->rank > 0 ? square / (double)small->rank : 0;
    pair->angle = acos(fmin(cosine, 1)) * 180 / acos(-1);
}

/* ---- random spaces ---- */

/* The overlap of a random space of r2 dimensions with the span of the first r1 axes, which stands for any other space:
 * random directions have no preference. `columns` (D, r2), `it`: scratch. */
static void measure_random(int64_t D, int64_t r1, int64_t r2, uint64_t seed, double *columns, basis *it,
                           hl_space_pair *pair)
{
    double overlaps[HL_SPACES_DRAWS];
    hl_random random = { seed, hl_random_stream("spaces"), (uint32_t)(r1 * 65536 + r2) };
    uint64_t position = 0;
    pair->random_mean = 0;
    for (int draw = 0; draw < HL_SPACES_DRAWS; draw++) {
        for (int64_t i = 0; i < D * r2; i++) {
            columns[i] = (double)hl_random_normal(random, position++);
        }
        make_basis(columns, D, r2, it);
        double square = 0;
        for (int64_t k = 0; k < it->rank; k++) {
            square += dot(it->vectors + k * D, it->vectors + k * D, r1 < D ? r1 : D);
        }
        int64_t smaller = r1 < it->rank ? r1 : it->rank;
        overlaps[draw] = square / (double)smaller;
        pair->random_mean += overlaps[draw] / HL_SPACES_DRAWS;
    }
    hl_numbers_sort(overlaps, HL_SPACES_DRAWS);
    pair->random_95 = overlaps[HL_SPACES_DRAWS * 95 / 100];
}

/* ---- all pairs ---- */

typedef struct making {
    const hl_model_config *config;
    uint64_t seed;
    basis *bases;              /* of the heads of one layer by one matrix, and a random one */
    double *columns, *product; /* (D, widest), (widest, widest): scratch */
    hl_space_pairs *pairs;
} making;

static void lay_out(void *context, hl_block *block)
{
    making *m = context;
    int64_t H = hl_heads_most(m->config), D = m->config->d_model, width = hl_head_vectors_most(m->config),
            rank = width < D ? width : D;
    int64_t each = (rank + 1) * D; /* at most D vectors, and a place for the column that is being taken */
    double *vectors = hl_block_take(block, (H + 1) * each, sizeof *vectors);
    m->columns = hl_block_take(block, D * width, sizeof *m->columns);
    m->product = hl_block_take(block, rank * rank, sizeof *m->product);
    m->bases = hl_block_take(block, H + 1, sizeof *m->bases);
    for (int64_t h = 0; m->bases != NULL && h <= H; h++) {
        m->bases[h].vectors = vectors + h * each;
    }
}

static bool share(const hl_multi_head_config *c, hl_space space, int64_t head, int64_t other)
{
    int64_t group = c->n_heads / c->n_kv_heads;
    return (space == HL_SPACE_K || space == HL_SPACE_V) && head / group == other / group;
}

static void measure_layer(making *m, const hl_encoder_layer *layer, int l, hl_space space)
{
    const hl_multi_head_config *c = &layer->self_attn.config;
    int64_t D = c->d_model, n = hl_head_vectors_count(&layer->self_attn, parts[space]), H = c->n_heads;
    hl_space_pair random = { 0 };
    if (H > 1) {
        measure_random(D, n < D ? n : D, n, m->seed, m->columns, &m->bases[H], &random);
    }
    for (int64_t h = 0; h < H; h++) {
        hl_head_vectors(layer, h, parts[space], m->columns);
        make_basis(m->columns, D, n, &m->bases[h]);
    }
    for (int64_t h = 0; h < H; h++) {
        for (int64_t other = h + 1; other < H; other++) {
            if (share(c, space, h, other)) {
                continue;
            }
            hl_space_pair *pair = &m->pairs->list[m->pairs->n++];
            *pair = random;
            pair->layer = l;
            pair->space = space;
            pair->head = h;
            pair->other = other;
            measure_pair(&m->bases[h], &m->bases[other], D, m->product, pair);
        }
    }
}

static int64_t most_pairs(const hl_model_config *config)
{
    int64_t n = 0;
    for (int l = 0; l < config->n_layers; l++) {
        n += (int64_t)HL_SPACES * config->heads[l] * (config->heads[l] - 1) / 2;
    }
    return n;
}

hl_status hl_space_pairs_make(hl_space_pairs *pairs, const hl_model *model, uint64_t seed)
{
    *pairs = (hl_space_pairs){ 0 };
    HL_TRY(hl_parameters_check_allocated(&model->parameters));
    making m = { .config = &model->config, .seed = seed, .pairs = pairs };
    void *memory;
    HL_TRY(hl_block_make(&memory, lay_out, &m, "the spaces of heads"));
    pairs->list = hl_calloc((size_t)most_pairs(m.config), sizeof *pairs->list);
    for (int l = 0; l < model->config.n_layers && pairs->list != NULL; l++) {
        for (int space = 0; space < HL_SPACES; space++) {
            measure_layer(&m, &model->encoder.layers[l], l, (hl_space)space);
        }
    }
    hl_free(memory);
    return pairs->list != NULL ? hl_ok() : hl_error_memory("the spaces of heads");
}

void hl_space_pairs_free(hl_space_pairs *pairs)
{
    hl_free(pairs->list);
    *pairs = (hl_space_pairs){ 0 };
}

size_t hl_space_pairs_bytes(const hl_model_config *config)
{
    making m = { .config = config };
    return hl_size_sum(hl_size_product((size_t)most_pairs(config), sizeof(hl_space_pair)), hl_block_bytes(lay_out, &m));
}
