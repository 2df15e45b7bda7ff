/* Core and layers report wrong arguments in words, in every build: one row for each function and wrong argument. */
#include "core/files/npz.h"
#include "core/files/safetensors.h"
#include "core/ops/attention.h"
#include "core/ops/dropout.h"
#include "core/ops/embedding.h"
#include "core/ops/gather_rows.h"
#include "core/ops/layer_norm.h"
#include "core/ops/mean_rows.h"
#include "core/ops/scale.h"
#include "core/ops/slice.h"
#include "tests/check_suite.h"
#include "tests/layers/examples.h"
#include "tests/messages.h"
#include "tests/scratch.h"

#include <math.h>
#include <string.h>

/* ---- builders of ops: a tape, and what they are given ---- */

static hl_tape *tape;
static const hl_real six[6] = { 1, 2, 3, 4, 5, 6 };
static const int32_t ids[6] = { 0, 1, 0, 1, 0, 1 };

static hl_tensor *matrix(const hl_real *numbers)
{
    return hl_tape_tensor(tape, HL_SHAPE(2, 3), numbers, true);
}

static hl_shape five_dims(void)
{
    hl_shape shape = HL_SHAPE(1, 2, 3, 1);
    shape.n_dims = HL_MAX_DIMS + 1;
    return shape;
}

static hl_attention_args attention_of(int64_t n_heads)
{
    static const int32_t offsets[2] = { 0, 2 };
    hl_tensor *x = hl_tape_tensor(tape, HL_SHAPE(2, 3), six, false);
    const hl_sequences sequences = { .n = 1, .longest = 2, .offsets = offsets };
    return (hl_attention_args){ .q.x = x,
                                .k.x = x,
                                .v.x = x,
                                .queries = sequences,
                                .keys = sequences,
                                .n_heads = n_heads,
                                .n_kv_heads = 1,
                                .d_k = 1,
                                .d_v = 1 };
}

/* The call before has left this on the tape; forgets it, for the next one. */
static void left_on_the_tape(const hl_tensor *result, const char *id)
{
    ck_assert_ptr_null(result);
    message_check(hl_tape_status(tape), HL_INVALID, id);
    tape->error = hl_ok();
}

static hl_tensor *scaled(hl_shape shape)
{
    return hl_scale(tape, hl_tape_tensor(tape, shape, six, false), 2);
}

TEST(builders_leave_it_on_the_tape)
{
    static hl_tensor parameter = { .shape = { 2, { 2, 3 } }, .is_parameter = true, .grad_written = true };
    tape = example_tape((hl_tape_options){ .threads = -1, .gradients = true });
    hl_tensor *x = matrix(six), *row = hl_tape_tensor(tape, HL_SHAPE(3), six, false);
    left_on_the_tape(hl_scale(tape, matrix(NULL), 2), "misuse.no_numbers");
    left_on_the_tape(scaled(five_dims()), "misuse.too_many_dims");
    left_on_the_tape(scaled((hl_shape){ .n_dims = -1 }), "misuse.negative_dims");
    left_on_the_tape(scaled(HL_SHAPE(2, -3)), "misuse.negative_size");
    left_on_the_tape(hl_embedding(tape, (hl_embedding_args){ .W = x, .n = 6 }), "misuse.no_ids");
    left_on_the_tape(hl_embedding(tape, (hl_embedding_args){ .W = x, .ids = ids, .n = -6 }), "misuse.negative_ids");
    left_on_the_tape(hl_gather_rows(tape, x, ids, 0, five_dims()), "misuse.rows_of_many_dims");
    left_on_the_tape(hl_gather_rows(tape, x, ids, 0, (hl_shape){ .n_dims = -2 }), "misuse.rows_of_negative_dims");
    hl_sequences sequences = { .n = -1, .longest = 2, .offsets = ids };
    left_on_the_tape(hl_mean_rows(tape, x, sequences, ids, 1, false), "misuse.negative_sequences");
    left_on_the_tape(hl_cross_entropy(tape, x, (hl_cross_entropy_args){ 0 }), "misuse.no_targets");
    hl_cross_entropy_args of_negative_count = { .targets = ids, .n = -1 };
    left_on_the_tape(hl_cross_entropy(tape, x, of_negative_count), "misuse.negative_divisor");
    left_on_the_tape(hl_dropout(tape, x, (hl_real)NAN, 0), "misuse.dropout"); /* also where nothing would be dropped */
    left_on_the_tape(hl_layer_norm(tape, x, row, NULL, -1), "misuse.negative_epsilon");
    left_on_the_tape(hl_slice(tape, x, -1, 2), "misuse.negative_columns");
    left_on_the_tape(hl_tape_parameter_rows(tape, x, 0, 1), "misuse.rows_of_no_parameter");
    left_on_the_tape(hl_tape_parameter_rows(tape, &parameter, 1, 2), "misuse.rows_beyond_the_last");
    left_on_the_tape(hl_attention(tape, attention_of(-1)), "misuse.negative_heads");
    static const hl_tensor bias = { .shape = { 4, { 1, 1, 2, 2 } } };
    hl_attention_args args = attention_of(1);
    args.mask.bias = &bias;
    left_on_the_tape(hl_attention(tape, args), "misuse.bias_without_numbers");
}

TEST(backward_from_nothing_is_refused)
{
    tape = example_tape((hl_tape_options){ .gradients = true });
    hl_tensor *y = hl_scale(tape, matrix(six), 2);
    message_check(hl_tape_backward_from(tape, y, NULL), HL_INVALID, "misuse.no_gradient");
    message_check(hl_tape_backward(tape, y), HL_INVALID, "misuse.no_scalar");
    message_check(hl_tape_backward(tape, NULL), HL_INVALID, "misuse.no_loss");
}

/* ---- models ---- */

static hl_model_config config;

TEST(a_model_without_memory_and_a_batch_without_arrays_are_told)
{
    static hl_model model;
    config = example_config();
    config.dropout_embedding = 0;
    hl_batch batch = example_batch(2, 5, config.vocabulary, NULL), bare = hl_batch_largest(2, 5);
    CHECK_OK(hl_model_init(&model, &config));
    message_check(hl_model_reserve(&model, (hl_model_use)9), HL_INVALID, "misuse.use");
    for (int i = 0; i < 3; i++) {
        static const char *const words[] = { "misuse.no_memory", "misuse.no_ids_in_embedding", "misuse.no_rows" };
        tape = example_tape((hl_tape_options){ .gradients = true });
        hl_model_loss(tape, &model, i == 0 ? &batch : &bare, (hl_cross_entropy_args){ 0 }, NULL);
        message_check(hl_tape_status(tape), HL_INVALID, words[i]);
        if (i == 0) {
            CHECK_OK(hl_model_allocate(&model, 1));
        } else {
            bare.tokens = batch.tokens;
            bare.positions = batch.positions;
            bare.offsets = batch.offsets;
        }
    }
    message_check(hl_model_allocate(&model, 1), HL_INVALID, "misuse.allocated_twice");
    for (int layer = -1; layer <= model.config.n_layers + 1; layer += model.config.n_layers + 2) {
        tape = example_tape((hl_tape_options){ .gradients = true });
        hl_tensor *x = hl_model_embed(tape, &model, &batch);
        ck_assert_ptr_null(hl_model_layers(tape, &model, &batch, layer, x, NULL));
        message_check(hl_tape_status(tape), HL_INVALID, layer < 0 ? "misuse.layer_below_0" : "misuse.layer_too_high");
    }
    hl_tape_plan plan;
    bare.n_rows = -5;
    message_check(hl_model_plan(&model, &bare, (hl_tape_options){ 0 }, &plan), HL_INVALID, "misuse.planned_ids");
    hl_encoder encoder;
    message_check(hl_encoder_init(&encoder, &model.parameters, hl_name_of("e"), NULL, 0), HL_INVALID,
                  "misuse.no_layers");
    hl_model_free(&model);
}

/* ---- parameters ---- */

static const struct {
    hl_parameter_spec spec;
    const char *id;
} specs[] = {
    { { .name = NULL, .shape = { 1, { 2 } } }, "misuse.no_name" },
    { { .name = "w", .shape = { 5, { 2, 2, 2, 2 } } }, "misuse.parameter_dims" },
    { { .name = "w", .shape = { 1, { -2 } } }, "misuse.parameter_size" },
    { { .name = "w", .shape = { 1, { 2 } }, .init = (hl_init)9 }, "misuse.initialisation" },
    { { .name = "w", .shape = { 2, { 4, 2 } }, .n_matrices = -1 }, "misuse.negative_matrices" },
    { { .name = "w", .shape = { 2, { 4, 2 } }, .n_matrices = 3 }, "misuse.matrices" },
};

LOOP_TEST(a_parameter_is_refused, 0, ROWS(specs))
{
    hl_parameters parameters = { 0 };
    ck_assert_ptr_null(hl_parameters_add(&parameters, specs[_i].spec));
    message_check(hl_parameters_allocate(&parameters), HL_INVALID, specs[_i].id);
    hl_parameters_free(&parameters);
}

TEST(a_name_for_a_stranger_and_a_late_parameter_are_refused)
{
    hl_tensor stranger = { .shape = HL_SHAPE(2) };
    hl_parameters parameters = { 0 };
    message_check(hl_parameters_check_allocated(&parameters), HL_INVALID, "misuse.not_allocated");
    hl_parameters_alias(&parameters, "other", &stranger);
    message_check(hl_parameters_status(&parameters), HL_INVALID, "misuse.alias");
    hl_parameters_free(&parameters);
    CHECK_OK(hl_parameters_allocate(&parameters));
    ck_assert_ptr_null(hl_parameters_add(&parameters, (hl_parameter_spec){ .name = "w", .shape = HL_SHAPE(2) }));
    message_check(hl_parameters_status(&parameters), HL_INVALID, "misuse.late");
    hl_parameters_free(&parameters);
}

/* ---- files ---- */

static const struct {
    const char *name;
    int type;
    hl_shape shape;
    const void *data;
} arrays[] = {
    { NULL, HL_NPY_FLOAT32, { 1, { 2 } }, six },
    { "a", 4, { 1, { 2 } }, six },
    { "a", -1, { 1, { 2 } }, six },
    { "a", HL_NPY_FLOAT32, { 5, { 1, 1, 1, 1 } }, six },
    { "a", HL_NPY_FLOAT32, { 1, { -2 } }, six },
    { "a", HL_NPY_FLOAT32, { 1, { 2 } }, NULL },
};

LOOP_TEST(an_array_is_refused_by_files, 0, ROWS(arrays))
{
    hl_npz_writer *npz = hl_npz_create(scratch_path("a.npz"));
    hl_npz_add(npz, arrays[_i].name, (hl_npy_type)arrays[_i].type, arrays[_i].shape, arrays[_i].data);
    message_check(hl_npz_close(npz, HL_VOLATILE), HL_INVALID, "misuse.npz", scratch_path("a.npz"),
                  arrays[_i].name != NULL ? arrays[_i].name : "an array");
    ck_assert(!scratch_exists(scratch_path("a.npz")));
    if (arrays[_i].type != HL_NPY_FLOAT32) {
        return;
    }
    hl_named_tensor tensor = { arrays[_i].name, arrays[_i].shape, arrays[_i].data };
    const char *file_path = scratch_path("a.safetensors");
    hl_file file;
    CHECK_OK(hl_file_create(&file, file_path));
    hl_safetensors_write(&file, &tensor, 1, NULL, 0);
    message_check(hl_file_commit(&file, HL_VOLATILE), HL_INVALID, "misuse.tensor", file_path);
    CHECK_OK(hl_file_create(&file, file_path));
    hl_safetensors_write(&file, &tensor, -1, NULL, 0);
    message_check(hl_file_commit(&file, HL_VOLATILE), HL_INVALID, "misuse.negative_tensors", file_path);
}

SUITE("misuse")
