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
#include "tests/scratch.h"

#include <math.h>
#include <string.h>

/* ---- builders of ops: a tape, and what they are given ---- */

static hl_arena arena;
static hl_tape tape;
static const hl_real six[6] = { 1, 2, 3, 4, 5, 6 };
static const int32_t ids[6] = { 0, 1, 0, 1, 0, 1 };

static hl_tensor *matrix(const hl_real *numbers)
{
    return hl_tape_tensor(&tape, HL_SHAPE(2, 3), numbers, true);
}

static hl_shape five_dims(void)
{
    hl_shape shape = HL_SHAPE(1, 2, 3, 1);
    shape.n_dims = HL_MAX_DIMS + 1;
    return shape;
}

static void no_numbers(void)
{
    hl_scale(&tape, matrix(NULL), 2);
}

static void too_many_dims(void)
{
    hl_scale(&tape, hl_tape_tensor(&tape, five_dims(), six, false), 2);
}

static void negative_dims(void)
{
    hl_scale(&tape, hl_tape_tensor(&tape, (hl_shape){ .n_dims = -1 }, six, false), 2);
}

static void negative_size(void)
{
    hl_scale(&tape, hl_tape_tensor(&tape, HL_SHAPE(2, -3), six, false), 2);
}

static void no_ids(void)
{
    hl_embedding(&tape, (hl_embedding_args){ .W = matrix(six), .n = 6 });
}

static void ids_of_negative_count(void)
{
    hl_embedding(&tape, (hl_embedding_args){ .W = matrix(six), .ids = ids, .n = -6 });
}

static void rows_of_many_dims(void)
{
    hl_gather_rows(&tape, matrix(six), ids, 0, five_dims());
}

static void rows_of_negative_dims(void)
{
    hl_gather_rows(&tape, matrix(six), ids, 0, (hl_shape){ .n_dims = -2 });
}

static void sequences_without_a_count(void)
{
    hl_mean_rows(&tape, matrix(six), (hl_sequences){ .n = -1, .longest = 2, .offsets = ids }, ids, 1, false);
}

static void no_targets(void)
{
    hl_cross_entropy(&tape, matrix(six), (hl_cross_entropy_args){ 0 });
}

static void negative_divisor(void)
{
    hl_cross_entropy(&tape, matrix(six), (hl_cross_entropy_args){ .targets = ids, .n = -1 });
}

static void dropout_of_nan(void)
{
    hl_dropout(&tape, matrix(six), (hl_real)NAN, 0); /* also where nothing would be dropped */
}

static void negative_epsilon(void)
{
    hl_layer_norm(&tape, matrix(six), hl_tape_tensor(&tape, HL_SHAPE(3), six, false), NULL, -1);
}

static void negative_columns(void)
{
    hl_slice(&tape, matrix(six), -1, 2);
}

static void rows_of_no_parameter(void)
{
    hl_tape_parameter_rows(&tape, matrix(six), 0, 1);
}

static void rows_beyond_the_last(void)
{
    static hl_tensor parameter = { .shape = { 2, { 2, 3 } }, .is_parameter = true, .grad_written = true };
    hl_tape_parameter_rows(&tape, &parameter, 1, 2);
}

static hl_attention_args attention_of(int64_t n_heads)
{
    static const int32_t offsets[2] = { 0, 2 };
    hl_tensor *x = hl_tape_tensor(&tape, HL_SHAPE(2, 3), six, false);
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

static void negative_heads(void)
{
    hl_attention(&tape, attention_of(-1));
}

static void bias_without_numbers(void)
{
    static const hl_tensor bias = { .shape = { 4, { 1, 1, 2, 2 } } };
    hl_attention_args args = attention_of(1);
    args.mask.bias = &bias;
    hl_attention(&tape, args);
}

static const struct {
    void (*call)(void);
    const char *words;
} on_tape[] = {
    { no_numbers, "scale: input 0 has no numbers: it was not allocated" },
    { too_many_dims, "input 0 is empty or too large: (5 dimensions, not 0 .. 4)" },
    { negative_dims, "input 0 is empty or too large: (-1 dimensions, not 0 .. 4)" },
    { negative_size, "input 0 is empty or too large: (2, -3)" },
    { no_ids, "no ids are given" },
    { ids_of_negative_count, "-6 ids of vectors in (2, 3)" },
    { rows_of_many_dims, "(5 dimensions, not 0 .. 4)" },
    { rows_of_negative_dims, "(-2 dimensions, not 0 .. 4)" },
    { sequences_without_a_count, "-1 sequences of up to 2 rows" },
    { no_targets, "no targets are given" },
    { negative_divisor, "-1 rows with a target cannot be" },
    { dropout_of_nan, "a probability of" },
    { negative_epsilon, "an epsilon of -1 is below 0" },
    { negative_columns, "2 columns from -1 on are not in x" },
    { rows_of_no_parameter, "rows of a parameter" },
    { rows_beyond_the_last, "rows of a parameter" },
    { negative_heads, "-1 heads of widths 1 and 1" },
    { bias_without_numbers, "the bias has no numbers" },
};

static void expect(hl_status status, const char *words)
{
    ck_assert_msg(status.code == HL_INVALID && strstr(status.text, words) != NULL, "%d \"%s\", not \"%s\"", status.code,
                  status.text, words);
}

LOOP_TEST(builders_leave_it_on_the_tape, 0, ROWS(on_tape))
{
    example_tape(&tape, &arena, (hl_tape_options){ .threads = -1, .gradients = true });
    on_tape[_i].call();
    expect(hl_tape_status(&tape), on_tape[_i].words);
    hl_arena_free(&arena);
}

TEST(backward_from_nothing_is_refused)
{
    example_tape(&tape, &arena, (hl_tape_options){ .gradients = true });
    hl_tensor *y = hl_scale(&tape, matrix(six), 2);
    expect(hl_tape_backward_from(&tape, y, NULL), "no gradient is given");
    expect(hl_tape_backward(&tape, y), "the loss is no scalar");
    expect(hl_tape_backward(&tape, NULL), "was not made from anything");
    hl_arena_free(&arena);
}

/* ---- models ---- */

static hl_model_config config;

static void bad_activation(void)
{
    config.activation = (hl_activation)7;
}

static void bad_norm(void)
{
    config.norm = (hl_norm_place)-1;
}

static void bad_positions(void)
{
    config.positions = (hl_positions_kind)3;
}

static void no_layers(void)
{
    config.n_layers = -1;
}

static void negative_vocabulary(void)
{
    config.vocabulary = -1;
}

static void nan_dropout(void)
{
    config.dropout_ffn = (hl_real)NAN;
}

static const struct {
    void (*spoil)(void);
    const char *words;
} configs[] = {
    { bad_activation, "encoder.layers.0: unknown activation number 7" },
    { bad_norm, "encoder.layers.0: unknown place number -1 of the norm" },
    { bad_positions, "positions: unknown kind number 3" },
    { no_layers, "-1 layers" },
    { negative_vocabulary, "vocabulary" },
    { nan_dropout, "dropout" },
};

LOOP_TEST(a_model_is_refused, 0, ROWS(configs))
{
    static hl_model model;
    config = example_config();
    configs[_i].spoil();
    expect(hl_model_init(&model, &config), configs[_i].words);
    hl_model_free(&model);
}

TEST(a_model_without_memory_and_a_batch_without_arrays_are_told)
{
    static hl_model model;
    config = example_config();
    config.dropout_embedding = 0;
    hl_batch batch = example_batch(2, 5, config.vocabulary, NULL), bare = hl_batch_largest(2, 5);
    ck_assert_int_eq(hl_model_init(&model, &config).code, HL_OK);
    expect(hl_model_reserve(&model, (hl_model_use)9), "a model is used as no 9");
    for (int i = 0; i < 3; i++) {
        static const char *const words[] = { "embedding in embedding: input 0 has no numbers", "no ids are given",
                                             "no rows are given" };
        example_tape(&tape, &arena, (hl_tape_options){ .gradients = true });
        hl_model_loss(&tape, &model, i == 0 ? &batch : &bare, (hl_cross_entropy_args){ 0 }, NULL);
        expect(hl_tape_status(&tape), words[i]);
        hl_arena_free(&arena);
        if (i == 0) {
            ck_assert_int_eq(hl_model_allocate(&model, 1).code, HL_OK);
        } else {
            bare.tokens = batch.tokens;
            bare.positions = batch.positions;
            bare.offsets = batch.offsets;
        }
    }
    expect(hl_model_allocate(&model, 1), "allocated twice");
    for (int layer = -1; layer <= model.config.n_layers + 1; layer += model.config.n_layers + 2) {
        example_tape(&tape, &arena, (hl_tape_options){ .gradients = true });
        hl_tensor *x = hl_model_embed(&tape, &model, &batch);
        ck_assert_ptr_null(hl_model_layers(&tape, &model, &batch, layer, x, NULL));
        expect(hl_tape_status(&tape), "is not in 0 .. ");
        hl_arena_free(&arena);
    }
    hl_tape_plan plan;
    bare.n_rows = -5;
    expect(hl_model_plan(&model, &bare, (hl_tape_options){ 0 }, &plan), "-5 ids of vectors");
    hl_encoder encoder;
    expect(hl_encoder_init(&encoder, &model.parameters, hl_name_of("e"), NULL, 0), "e: 0 layers cannot be");
    example_batch_free(&batch);
    hl_model_free(&model);
}

/* ---- parameters ---- */

static const struct {
    hl_parameter_spec spec;
    const char *words;
} specs[] = {
    { { .name = NULL, .shape = { 1, { 2 } } }, "no name" },
    { { .name = "w", .shape = { 5, { 2, 2, 2, 2 } } }, "parameter w: impossible shape (5 dimensions, not 0 .. 4)" },
    { { .name = "w", .shape = { 1, { -2 } } }, "impossible shape" },
    { { .name = "w", .shape = { 1, { 2 } }, .init = (hl_init)9 }, "unknown initialisation number 9" },
    { { .name = "w", .shape = { 2, { 4, 2 } }, .n_matrices = -1 }, "-1 matrices" },
    { { .name = "w", .shape = { 2, { 4, 2 } }, .n_matrices = 3 }, "does not hold 3 matrices" },
};

LOOP_TEST(a_parameter_is_refused, 0, ROWS(specs))
{
    hl_parameters parameters = { 0 };
    ck_assert_ptr_null(hl_parameters_add(&parameters, specs[_i].spec));
    expect(hl_parameters_allocate(&parameters), specs[_i].words);
    hl_parameters_free(&parameters);
}

TEST(a_name_for_a_stranger_and_a_late_parameter_are_refused)
{
    hl_tensor stranger = { .shape = HL_SHAPE(2) };
    hl_parameters parameters = { 0 };
    expect(hl_parameters_check_allocated(&parameters), "not allocated");
    hl_parameters_alias(&parameters, "other", &stranger);
    expect(hl_parameters_status(&parameters), "a second name of no parameter");
    hl_parameters_free(&parameters);
    ck_assert_int_eq(hl_parameters_allocate(&parameters).code, HL_OK);
    ck_assert_ptr_null(hl_parameters_add(&parameters, (hl_parameter_spec){ .name = "w", .shape = HL_SHAPE(2) }));
    expect(hl_parameters_status(&parameters), "after their allocation");
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
    expect(hl_npz_close(npz, HL_VOLATILE), "a.npz: ");
    ck_assert(!scratch_exists(scratch_path("a.npz")));
    if (arrays[_i].type != HL_NPY_FLOAT32) {
        return;
    }
    hl_named_tensor tensor = { arrays[_i].name, arrays[_i].shape, arrays[_i].data };
    hl_file file;
    ck_assert_int_eq(hl_file_create(&file, scratch_path("a.safetensors")).code, HL_OK);
    hl_safetensors_write(&file, &tensor, 1, NULL, 0);
    expect(hl_file_commit(&file, HL_VOLATILE), "a.safetensors: tensor number 0 ");
    ck_assert_int_eq(hl_file_create(&file, scratch_path("a.safetensors")).code, HL_OK);
    hl_safetensors_write(&file, &tensor, -1, NULL, 0);
    expect(hl_file_commit(&file, HL_VOLATILE), "-1 tensors");
}

SUITE("misuse")
