/* Overlaps and angles of spaces that were made by hand, and against projectors. */
#include "heads/spaces.h"

#include "core/base/memory.h"
#include "heads/head_vectors.h"
#include "tests/check_suite.h"
#include "tests/fault_checks.h"
#include "tests/heads/double/written.h"

#include <string.h>

/* Head h's vector i for reading queries in layer 1, where heads are 3 wide: its only numbers are these two. */
static void set_query(int64_t h, int64_t i, int first, double a, int second, double b)
{
    const hl_encoder_layer *layer = &model.encoder.layers[1];
    hl_real *row = layer->self_attn.q_proj_weight->data + (h * 3 + i) * D;
    memset(row, 0, D * sizeof *row);
    row[first] = a / layer->norm1.weight->data[first]; /* the gain is part of the space */
    row[second] += b / layer->norm1.weight->data[second];
}

static hl_space_pair query_pair(void)
{
    hl_space_pairs pairs;
    expect_ok(hl_space_pairs_make(&pairs, &model, 1));
    hl_space_pair found = { .layer = -1 };
    for (int64_t i = 0; i < pairs.n; i++) {
        if (pairs.list[i].layer == 1 && pairs.list[i].space == HL_SPACE_Q) {
            ck_assert_int_eq(found.layer, -1); /* two heads are one pair */
            found = pairs.list[i];
        }
    }
    hl_space_pairs_free(&pairs);
    ck_assert(found.head == 0 && found.other == 1);
    return found;
}

TEST(angles_of_spaces_made_by_hand)
{
    set_up_shape(plain);
    ck_assert_int_eq(model.config.heads[1], 2);
    ck_assert_int_eq(model.config.d_k[1], 3);
    double c = cos(acos(-1) / 6), s = sin(acos(-1) / 6); /* 30 degrees */
    for (int i = 0; i < 3; i++) {
        set_query(0, i, i, 1 + i, i, 0);                    /* axes 0, 1, 2 */
        set_query(1, i, (i + 1) % 3, 2, i == 0 ? 0 : 1, 1); /* the same space by another basis */
    }
    hl_space_pair same = query_pair();
    ck_assert_double_eq_tol(same.overlap, 1, 1e-12);
    ck_assert_double_eq_tol(same.angle, 0, 1e-5);
    for (int i = 0; i < 3; i++) {
        set_query(1, i, 3 + i, 1, 3 + i, 0);
    }
    hl_space_pair orthogonal = query_pair();
    ck_assert_double_eq_tol(orthogonal.overlap, 0, 1e-12);
    ck_assert_double_eq_tol(orthogonal.angle, 90, 1e-5);
    set_query(1, 0, 0, c, 3, s);
    hl_space_pair turned = query_pair();
    ck_assert_double_eq_tol(turned.overlap, c * c / 3, 1e-12);
    ck_assert_double_eq_tol(turned.angle, 30, 1e-9);
    set_query(1, 1, 0, 5 * c, 3, 5 * s); /* the same direction again: the space has two dimensions */
    ck_assert_double_eq_tol(query_pair().overlap, c * c / 2, 1e-12);
}

/* The overlap is tr(P1 P2) / rank, with the projectors P = A (A^T A)^-1 A^T. Here a head has one vector a, and P is
 * a a^T / |a|^2. */
TEST(heads_of_width_one_overlap_by_their_cosine)
{
    hl_model_config config = example_config(D);
    config.heads[0] = config.kv_heads[0] = 4;
    config.d_k[0] = config.d_v[0] = 1;
    config.norm = HL_NORM_POST;
    example_model(&model, &config);
    hl_space_pairs pairs;
    expect_ok(hl_space_pairs_make(&pairs, &model, 1));
    static const int parts[] = { HL_PART_Q, HL_PART_K, HL_PART_V, HL_PART_O };
    int64_t checked = 0;
    for (int64_t i = 0; i < pairs.n; i++) {
        const hl_space_pair *pair = &pairs.list[i];
        double a[D], b[D], ab = 0, aa = 0, bb = 0;
        if (pair->layer > 0) {
            continue;
        }
        hl_head_vectors(&model.encoder.layers[0], pair->head, parts[pair->space], a);
        hl_head_vectors(&model.encoder.layers[0], pair->other, parts[pair->space], b);
        for (int d = 0; d < D; d++) {
            ab += a[d] * b[d];
            aa += a[d] * a[d];
            bb += b[d] * b[d];
        }
        ck_assert_double_eq_tol(pair->overlap, ab * ab / aa / bb, 1e-12);
        ck_assert_double_eq_tol(cos(pair->angle * acos(-1) / 180), fabs(ab) / sqrt(aa * bb), 1e-9);
        ck_assert_double_eq_tol(pair->random_mean, 1.0 / D, 0.03); /* r / D, from 200 draws */
        ck_assert(pair->random_95 > 2.0 / D && pair->random_95 < 6.0 / D);
        checked++;
    }
    ck_assert_int_eq(checked, 4 * 6);
    hl_space_pairs_free(&pairs);
}

/* P = Q Q^T, for the span of n columns (D, n). */
static void make_projector(const double *columns, int64_t n, double P[D][D])
{
    double Q[D][D] = { { 0 } }; /* vectors in rows */
    memset(P, 0, sizeof(double[D][D]));
    for (int64_t i = 0; i < n; i++) {
        for (int d = 0; d < D; d++) {
            Q[i][d] = columns[d * n + i];
        }
        double size = 0;
        for (int64_t k = 0; k < i; k++) {
            double along = 0;
            for (int d = 0; d < D; d++) {
                along += Q[k][d] * Q[i][d];
            }
            for (int d = 0; d < D; d++) {
                Q[i][d] -= along * Q[k][d];
            }
        }
        for (int d = 0; d < D; d++) {
            size += Q[i][d] * Q[i][d];
        }
        for (int d = 0; d < D; d++) {
            Q[i][d] /= sqrt(size);
        }
        for (int d = 0; d < D * D; d++) {
            P[d / D][d % D] += Q[i][d / D] * Q[i][d % D];
        }
    }
}

/* The largest eigenvalue of P1 P2, which is the largest squared cosine, by powers. */
static double largest(double P1[D][D], double P2[D][D])
{
    double x[D], y[D], size = 0;
    for (int d = 0; d < D; d++) {
        x[d] = cos(d);
    }
    for (int power = 0; power < 20000; power++) {
        size = 0;
        for (int half = 0; half < 2; half++) {
            for (int i = 0; i < D; i++) {
                y[i] = 0;
                for (int j = 0; j < D; j++) {
                    y[i] += (half == 0 ? P2 : P1)[i][j] * x[j];
                }
            }
            memcpy(x, y, sizeof x);
        }
        for (int i = 0; i < D; i++) {
            size += x[i] * x[i];
        }
        for (int i = 0; i < D; i++) {
            x[i] /= sqrt(size);
        }
    }
    return sqrt(size);
}

TEST(any_spaces_are_as_their_projectors_say)
{
    set_up_shape(post);
    hl_space_pairs pairs;
    expect_ok(hl_space_pairs_make(&pairs, &model, 1));
    static const int parts[] = { HL_PART_Q, HL_PART_K, HL_PART_V, HL_PART_O };
    for (int64_t i = 0; i < pairs.n; i++) {
        const hl_space_pair *pair = &pairs.list[i];
        const hl_encoder_layer *layer = &model.encoder.layers[pair->layer];
        int64_t n = hl_head_vectors_count(&layer->self_attn, parts[pair->space]);
        double a[D * D], b[D * D], P1[D][D], P2[D][D], trace = 0;
        hl_head_vectors(layer, pair->head, parts[pair->space], a);
        hl_head_vectors(layer, pair->other, parts[pair->space], b);
        make_projector(a, n, P1);
        make_projector(b, n, P2);
        for (int d = 0; d < D * D; d++) {
            trace += P1[d / D][d % D] * P2[d / D][d % D];
        }
        ck_assert_double_eq_tol(pair->overlap, trace / (double)n, 1e-10);
        double cosine = cos(pair->angle * acos(-1) / 180);
        ck_assert_double_eq_tol(cosine * cosine, largest(P1, P2), 1e-6);
    }
    ck_assert_int_gt(pairs.n, 8);
    hl_space_pairs_free(&pairs);
}

TEST(heads_that_share_keys_and_values_are_no_pair_there)
{
    set_up_shape(grouped);
    ck_assert_int_eq(model.config.heads[0], 4);
    hl_space_pairs pairs;
    expect_ok(hl_space_pairs_make(&pairs, &model, 1));
    int64_t n[HL_SPACES] = { 0 };
    for (int64_t i = 0; i < pairs.n; i++) {
        n[pairs.list[i].space] += pairs.list[i].layer == 0;
        ck_assert(pairs.list[i].layer > 0 || pairs.list[i].space == HL_SPACE_Q || pairs.list[i].space == HL_SPACE_O ||
                  (pairs.list[i].head < 2 && pairs.list[i].other >= 2));
    }
    ck_assert(n[HL_SPACE_Q] == 6 && n[HL_SPACE_K] == 4 && n[HL_SPACE_V] == 4 && n[HL_SPACE_O] == 6);
    hl_space_pairs_free(&pairs);
}

TEST(a_model_without_numbers_is_refused)
{
    hl_model_config config = example_config(D);
    expect_ok(hl_model_init(&model, &config));
    hl_space_pairs pairs;
    ck_assert_int_eq(hl_space_pairs_make(&pairs, &model, 1).code, HL_INVALID);
    ck_assert_ptr_null(pairs.list);
}

SUITE("spaces of heads", .after = tear_down)
