/* `heads map --blocks`: the cells are means of the weights of tokens, and nothing of T x T is made. */
#include "tests/pretrained/tiny.h"
#include "tests/runs/predict_runs.h"
#include "tests/scratch.h"

#include <math.h>

/* A run whose layer 1 has a window that is narrower than its weights are padded to. */
static const char *long_run(void)
{
    const char *config = run_config("long.ini", "[task]\nlength = 100\nmin_length = 100\n"
                                                "[model]\nd_model = 8\nheads = 2\nwindow = 4\nglobal_every = 2\n"
                                                "[train]\nsteps = 1\nbatch_size = 2\neval_examples = 2\n"
                                                "[patterns]\nexamples = 0\n");
    const char *folder = run_path("long");
    OK(RUN(config, "--out", folder, "--quiet", "--overwrite"));
    return folder;
}

static const char text[] = "the cat sat on the mat, the dog barked.";

static const hl_npz *read_maps(const char *folder, const char *input, const char *blocks)
{
    const char *path = run_path("maps.npz");
    OK(blocks != NULL ? HEADS("map", folder, "--input", input, "--npz", path, "--blocks", blocks)
                      : HEADS("map", folder, "--input", input, "--npz", path));
    return answer_arrays(path);
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

/* The maps of both agree, in layers of so many heads. */
static void check_cells(const char *folder, const char *input, const char *blocks, int n_layers, int64_t H)
{
    const hl_npz *tokens = read_maps(folder, input, NULL), *cells = read_maps(folder, input, blocks);
    int64_t block = atoll(blocks), T = hl_npz_find(tokens, "layer_0")->shape.size[3], R = (T + block - 1) / block;
    ck_assert_int_gt(T, 8);
    ck_assert_ptr_null(hl_npz_find(cells, "hidden_0"));
    for (int l = 0; l < n_layers; l++) {
        const hl_npz_array *whole = hl_npz_find(tokens, scratch_format("layer_%d", l)),
                           *small = hl_npz_find(cells, scratch_format("layer_%d", l));
        ck_assert(hl_shape_equal(small->shape, HL_SHAPE(1, H, R, R)));
        for (int64_t at = 0; at < H * R * R; at++) {
            const float *weights = (const float *)whole->data + at / (R * R) * T * T;
            double wanted = mean_of(weights, T, block, at / R % R, at % R);
            ck_assert_double_eq_tol((double)((const float *)small->data)[at], wanted, 1e-6);
        }
    }
    const int32_t *first = hl_npz_find(cells, "tokens")->data, *all = hl_npz_find(tokens, "tokens")->data;
    for (int64_t r = 0; r < R; r++) {
        ck_assert_int_eq(first[r], all[r * block]);
    }
}

/* The model has windows in half of its layers. A block may hold one token, or all of them. */
LOOP_TEST(cells_are_means_of_blocks, 0, 4)
{
    static const char *const blocks[] = { "1", "3", "7", "100" };
    check_cells(run_kept(tiny_folder("modernbert_masked")), text, blocks[_i], 4, 3);
}

TEST(rows_that_begin_behind_the_first_key_are_found)
{
    hl_text input = { 0 };
    for (int i = 0; i < 200; i++) {
        hl_text_print(&input, "%c ", "abcdefgh"[i * i % 8]);
    }
    CHECK_OK(hl_text_status(&input));
    check_cells(long_run(), input.bytes, "9", 2, 2);
    hl_text_free(&input);
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
