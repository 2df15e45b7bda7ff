/* Attention reads and writes no row of another sequence, whatever their lengths, and tells its observer everything. */
#include "core/base/memory.h"
#include "core/base/threads.h"
#include "core/kernels/random.h"
#include "core/ops/attention.h"
#include "tests/check_suite.h"
#include "tests/owned.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { H = 4, HKV = 2, DK = 5, DV = 3, WIDTH = H * DK + HKV * (DK + DV), OUT = H * DV, MOST = 512, SEQUENCES = 10 };
enum { LONGEST = 128, VARIANTS = 10, ONE_HEAD = 6, WINDOWS = 8 };

/* Those that are worked at their very length, and those that are worked in copies; in one block of queries, in a whole
 * one and a part, and in two whole ones. */
static const int32_t lengths[SEQUENCES] = { 1, 15, 16, 17, 64, 65, 2, 80, 128, 120 };

static int32_t offsets[SEQUENCES + 1];
static int64_t places[MOST];

typedef struct outcome {
    hl_real z[MOST * OUT], dx[MOST * WIDTH];
    hl_real weights[SEQUENCES * H * LONGEST * LONGEST];
} outcome;

static outcome clean, other;

static hl_real number(uint32_t use, int64_t i)
{
    return hl_random_normal((hl_random){ .seed = 12, .stream = use }, (uint64_t)i);
}

static void keep(void *context, const hl_attention_seen *seen)
{
    outcome *o = context;
    hl_real *head = o->weights + (seen->b * H + seen->h) * LONGEST * LONGEST;
    ck_assert_int_eq(seen->n_keys, lengths[seen->b]);
    ck_assert(seen->last == (seen->first + seen->n_queries == lengths[seen->b]));
    for (int64_t i = 0; i < seen->n_queries; i++) {
        hl_attention_seen_row(seen, i, head + (seen->first + i) * LONGEST);
    }
}

/* The sequences first .. first + n - 1, with NaN in the rows of all of them but `real`, unless that is below 0. Odd
 * variants are causal; from 2 on weights are dropped, with 4 and 5 heads have gates, from ONE_HEAD on there is one,
 * and from WINDOWS on a query sees 3 keys, or itself alone. */
static void run(int first, int n, int real, int variant, int threads, outcome *o)
{
    static hl_real x[MOST * WIDTH], dy[MOST * OUT], gates[SEQUENCES * H];
    const int heads = variant < ONE_HEAD ? H : 1, out = heads * DV;
    for (int b = 0; b < SEQUENCES; b++) {
        offsets[b + 1] = offsets[b] + lengths[b];
    }
    int32_t begin = offsets[first], rows = offsets[first + n] - begin;
    for (int b = 0; b < n; b++) {
        bool poison = real >= 0 && first + b != real;
        for (int32_t r = offsets[first + b]; r < offsets[first + b + 1]; r++) {
            places[r] = (first + b) * 100 + r - offsets[first + b];
            for (int i = 0; i < WIDTH; i++) {
                x[(r - begin) * WIDTH + i] = poison ? (hl_real)NAN : number(1, r * WIDTH + i);
            }
            for (int i = 0; i < out; i++) {
                dy[(r - begin) * out + i] = poison ? (hl_real)NAN : number(2, r * OUT + i);
            }
        }
        for (int h = 0; h < H; h++) {
            gates[b * H + h] = number(3, (first + b) * H + h);
        }
    }
    memset(o->z, 0, sizeof o->z); /* of fewer heads, rows are shorter than the room that they have */
    hl_threads_setup();
    hl_tape *tape = owned_tape((size_t)8 << 20, (hl_tape_options){ .threads = threads,
                                                                   .training = true,
                                                                   .gradients = true,
                                                                   .seed = 3,
                                                                   .places = places + begin,
                                                                   .n_places = rows });
    const hl_sequences sequences = { .n = n, .longest = LONGEST, .offsets = offsets + first };
    hl_tensor *qkv = hl_tape_tensor(tape, HL_SHAPE(rows, WIDTH), x, true);
    hl_tensor *z = hl_attention(
        tape, (hl_attention_args){
                  .q = { qkv, 0 },
                  .k = { qkv, H * DK },
                  .v = { qkv, H * DK + HKV * DK },
                  .queries = sequences,
                  .keys = sequences,
                  .n_heads = heads,
                  .n_kv_heads = variant < ONE_HEAD ? HKV : 1,
                  .d_k = DK,
                  .d_v = DV,
                  .mask = { .causal = variant % 2 == 1,
                            .window = variant < WINDOWS    ? 0
                                      : variant == WINDOWS ? 2
                                                           : 1 },
                  .dropout = variant >= 2 ? (hl_real)0.25 : 0,
                  .gate = variant == 4 || variant == 5 ? hl_tape_tensor(tape, HL_SHAPE(n, H), gates, true) : NULL,
                  .observe = real < 0 ? keep : NULL,
                  .observe_context = o,
              });
    CHECK_OK(hl_tape_backward_from(tape, z, dy));
    for (int r = 0; r < rows; r++) {
        memcpy(o->z + (begin + r) * OUT, z->data + r * out, (size_t)out * sizeof *o->z);
    }
    memcpy(o->dx + begin * WIDTH, qkv->grad, (size_t)(rows * WIDTH) * sizeof *o->dx);
}

/* Sequence b has the same numbers in both. */
static void assert_same(const outcome *a, const outcome *b, int sequence)
{
    int32_t first = offsets[sequence], n = lengths[sequence];
    ck_assert_mem_eq(a->z + first * OUT, b->z + first * OUT, (size_t)(n * OUT) * sizeof *a->z);
    ck_assert_mem_eq(a->dx + first * WIDTH, b->dx + first * WIDTH, (size_t)(n * WIDTH) * sizeof *a->dx);
}

LOOP_TEST(a_neighbour_of_nan_changes_nothing, 0, VARIANTS)
{
    run(0, SEQUENCES, -1, _i, 2, &clean);
    for (int32_t i = 0; i < offsets[SEQUENCES] * OUT; i++) {
        ck_assert(isfinite(clean.z[i]));
    }
    for (int b = 0; b < SEQUENCES; b++) {
        run(0, SEQUENCES, b, _i, 2, &other);
        assert_same(&clean, &other, b);
    }
}

LOOP_TEST(a_sequence_alone_or_in_any_slice_has_the_same_bits, 0, VARIANTS)
{
    static const int slices[][2] = { { 0, 1 }, { 1, 3 }, { 3, 2 }, { 5, 1 }, { 4, 5 }, { 7, 3 }, { 8, 2 }, { 9, 1 } };
    run(0, SEQUENCES, -1, _i, 1, &clean);
    for (int i = 0; i < ROWS(slices); i++) {
        for (int b = slices[i][0]; b < slices[i][0] + slices[i][1]; b++) {
            run(slices[i][0], slices[i][1], b, _i, 3, &other);
            assert_same(&clean, &other, b);
        }
    }
}

LOOP_TEST(the_observer_sees_every_row_of_weights, 0, 2)
{
    memset(&clean, 0, sizeof clean);
    run(0, SEQUENCES, -1, _i, 3, &clean);
    for (int b = 0; b < SEQUENCES; b++) {
        for (int row = 0; row < H * lengths[b]; row++) {
            const hl_real *w = clean.weights + ((b * H + row / lengths[b]) * LONGEST + row % lengths[b]) * LONGEST;
            double sum = 0;
            for (int j = 0; j < lengths[b]; j++) {
                sum += (double)w[j];
                ck_assert(_i == 0 || j <= row % lengths[b] || w[j] == 0);
            }
            ck_assert_double_eq_tol(sum, 1, 1e-5);
        }
    }
}

/* A row of weights begins with the first key that its block of queries sees. */
LOOP_TEST(the_observer_sees_rows_through_a_window, 0, 2)
{
    memset(&clean, 0, sizeof clean);
    run(0, SEQUENCES, -1, WINDOWS + _i, 3, &clean);
    for (int b = 0; b < SEQUENCES; b++) {
        for (int row = 0; row < lengths[b]; row++) {
            const hl_real *w = clean.weights + (b * H * LONGEST + row) * LONGEST;
            double sum = 0;
            for (int j = 0; j < lengths[b]; j++) {
                sum += (double)w[j];
                ck_assert(_i == 0 ? abs(row - j) <= 1 || w[j] == 0 : (w[j] > 0) == (j == row));
            }
            ck_assert_double_eq_tol(sum, 1, 1e-5);
        }
    }
}

SUITE("attention")
