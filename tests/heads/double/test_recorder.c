#include "core/files/npz.h"
#include "tests/check_suite.h"
#include "tests/heads/example.h"
#include "tests/scratch.h"

#include <string.h>

TEST(the_double_library_writes_float64)
{
    hl_model_config config = example_config(8);
    hl_model model;
    example_model(&model, &config);
    hl_examples batch = example_batch(3, 6);
    hl_recorder recorder;
    expect_ok(hl_recorder_init(&recorder, &model, &batch, 12, 1, scratch_path("patterns")));
    hl_arena arena = example_arena(&recorder);
    expect_ok(hl_recorder_record(&recorder, 0, NULL, &arena));
    hl_npz npz;
    size_t limit = hl_recorder_bytes(&config, 3, 6, 0);
    expect_ok(hl_npz_read(scratch_path("patterns/step_000000.npz"), limit, &npz));
    const hl_npz_array *weights = hl_npz_find(&npz, "layer_0"), *logits = hl_npz_find(&npz, "logits");
    ck_assert_int_eq(weights->type, HL_NPY_FLOAT64);
    ck_assert_int_eq(logits->type, HL_NPY_FLOAT64);
    ck_assert_mem_eq(weights->data, recorder.weights[0], sizeof(double) * 3 * 4 * 6 * 6);
    ck_assert_mem_eq(logits->data, recorder.logits, sizeof(double) * 3 * 6 * EXAMPLE_VOCABULARY);
    hl_npz_free(&npz);
    hl_recorder_free(&recorder);
    hl_arena_free(&arena);
    hl_examples_free(&batch);
    hl_model_free(&model);
}

SUITE("recorder in double")
