/* `heads map --blocks`: the cells are means of the weights of tokens, and nothing of T x T is made. */
#include "core/files/npz.h"
#include "tests/pretrained/tiny.h"
#include "tests/runs/predict_runs.h"
#include "tests/scratch.h"

#include <math.h>

static const char text[] = "the cat sat on the mat, the dog barked.";

static hl_npz read_maps(const char *folder, const char *blocks)
{
    const char *path = run_path("maps.npz");
    OK(blocks != NULL ? HEADS("map", folder, "--input", text, "--npz", path, "--blocks", blocks)
                      : HEADS("map", folder, "--input", text, "--npz", path));
    hl_npz npz;
    CHECK_OK(hl_npz_read(path, 1 << 24, &npz));
    return npz;
}

/* The mean over the queries of block `row` of their weights on the keys of block `column`. */
static double mean_of(const float *weights, int64_t T, int64_t block, int64_t row, int64_t column)
{
    double sum = 0, queries = 0;
    for (int64_t i = row * block; i < T && i < (row + 1) * block; i++, queries++) {
        for (int64_t j = column * block; j < T && j < (column + 1) * block; j++) {
            sum += (double)weights[i * T + j];
        }
    }
    return sum / queries;
}

/* The model has windows in half of its layers. A block may hold one token, or all of them. */
LOOP_TEST(cells_are_means_of_blocks, 0, 4)
{
    static const char *const blocks[] = { "1", "3", "7", "100" };
    const char *folder = run_kept(tiny_folder("modernbert_masked"));
    hl_npz tokens = read_maps(folder, NULL), cells = read_maps(folder, blocks[_i]);
    int64_t block = atoll(blocks[_i]), T = hl_npz_find(&tokens, "layer_0")->shape.size[3], R = (T + block - 1) / block;
    ck_assert_int_gt(T, 8);
    ck_assert_ptr_null(hl_npz_find(&cells, "hidden_0"));
    for (int l = 0; l < 4; l++) {
        const hl_npz_array *whole = hl_npz_find(&tokens, scratch_format("layer_%d", l)),
                           *small = hl_npz_find(&cells, scratch_format("layer_%d", l));
        ck_assert(hl_shape_equal(small->shape, HL_SHAPE(1, 3, R, R)));
        for (int64_t at = 0; at < 3 * R * R; at++) {
            const float *weights = (const float *)whole->data + at / (R * R) * T * T;
            double wanted = mean_of(weights, T, block, at / R % R, at % R);
            ck_assert_double_eq_tol((double)((const float *)small->data)[at], wanted, 1e-6);
        }
    }
    const int32_t *first = hl_npz_find(&cells, "tokens")->data, *all = hl_npz_find(&tokens, "tokens")->data;
    for (int64_t r = 0; r < R; r++) {
        ck_assert_int_eq(first[r], all[r * block]);
    }
    hl_npz_free(&tokens);
    hl_npz_free(&cells);
}

TEST(blocks_are_named_below_the_map_and_have_no_answers)
{
    const char *folder = run_kept(tiny_folder("modernbert_masked"));
    run_result run = HEADS("map", folder, "L1H0", "--input", text, "--blocks", "4");
    ck_assert_int_eq(run.code, 0);
    ck_assert_ptr_nonnull(strstr(run.out, "blocks of 4 tokens"));
    ck_assert_ptr_null(strstr(run.out, "answer"));
    SAYS(HEADS("map", folder, "--input", text, "--blocks", "4", "--json"), "\"tokens\"");
    REFUSED(HEADS("map", folder, "--blocks", "4"), 2, "study.blocks_is_for_the_maps_of");
    REFUSED(HEADS("map", folder, "--input", text, "--blocks", "4", "--words"), 2, "study.blocks_is_for_the_maps_of");
    FAILS_SAYING(HEADS("map", folder, "--input", text, "--blocks", "0"), 2, "--blocks");
}

SUITE("maps of blocks")
