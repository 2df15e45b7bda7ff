#include "tests/optim/accuracy_run.h"

#include "core/base/threads.h"
#include "layers/model.h"
#include "tests/golden/accuracy_golden.h"

#include <tgmath.h>

#ifdef HL_DOUBLE
#define accuracy_alone_run double_accuracy_alone_run
#define accuracy_training_run double_accuracy_training_run
#endif

_Static_assert((int)ACCURACY_NUMBERS == ACCURACY_WEIGHTS + ACCURACY_BIASES, "as the golden file has it");
_Static_assert((int)ACCURACY_UPDATES == (int)ACCURACY_STEPS, "as the golden file has it");

/* In [-1, 1). */
static double number(int seed, int use, int64_t i)
{
    return (double)(golden_hash((uint32_t)seed, (uint32_t)use, (uint32_t)i) >> 9) / 4194304 - 1;
}

/* ---- the optimizer alone ---- */

/* Weights, which decay, and biases, which do not; both start at multiples of 16 in the blocks. */
static bool make_blocks(hl_parameters *parameters)
{
    static const int64_t counts[] = { ACCURACY_WEIGHTS, ACCURACY_BIASES };
    for (int i = 0; i < 2; i++) {
        hl_parameters_add(parameters, (hl_parameter_spec){ .name = i == 0 ? "weight" : "bias",
                                                           .shape = HL_SHAPE(counts[i]),
                                                           .init = HL_INIT_ZERO,
                                                           .decay = i == 0 });
    }
    return hl_parameters_allocate(parameters).code == HL_OK && parameters->list[1].offset == ACCURACY_WEIGHTS;
}

bool accuracy_alone_run(int index, double values[ACCURACY_UPDATES][ACCURACY_NUMBERS])
{
    hl_parameters parameters = { 0 };
    hl_optimizer optimizer = { 0 };
    bool good = make_blocks(&parameters) &&
                hl_optimizer_init(&optimizer, &parameters, accuracy_alone[index].options).code == HL_OK;
    for (int i = 0; good && i < ACCURACY_NUMBERS; i++) {
        parameters.values[i] = (hl_real)number(0, ACCURACY_START, i);
    }
    for (int step = 1; good && step <= ACCURACY_STEPS; step++) {
        for (int i = 0; i < ACCURACY_NUMBERS; i++) {
            /* Rounded to float in double too: both are given the same gradients. */
            double size = exp2((double)-(i % 16));
            parameters.grads[i] = (float)((number(0, ACCURACY_TREND, i) + number(step, ACCURACY_NOISE, i)) * size);
        }
        hl_optimizer_step(&optimizer, 1, hl_schedule_rate(&accuracy_alone[index].schedule, step));
        for (int i = 0; i < ACCURACY_NUMBERS; i++) {
            values[step - 1][i] = (double)parameters.values[i];
        }
    }
    hl_optimizer_free(&optimizer);
    hl_parameters_free(&parameters);
    return good;
}

/* ---- trainings ---- */

static bool make_model(hl_model *model, int seed)
{
    hl_model_config config = {
        .vocabulary = ACCURACY_V,
        .max_length = ACCURACY_T,
        .n_layers = 2,
        .d_model = ACCURACY_D,
        .d_ff = ACCURACY_F,
        .norm = HL_NORM_PRE,
        .bias = true,
    };
    hl_model_config_heads(&config, ACCURACY_H);
    if (hl_model_init(model, &config).code != HL_OK || hl_model_allocate(model, 1).code != HL_OK) {
        return false;
    }
    for (int p = 0; p < model->parameters.n; p++) {
        const hl_parameter *parameter = &model->parameters.list[p];
        double first = parameter->init == HL_INIT_ONE ? 1 : 0;
        double scale = parameter->tensor->shape.n_dims == 2 ? 0.375 : 0.125;
        for (int64_t i = 0; i < parameter->count; i++) {
            parameter->tensor->data[i] = (hl_real)(first + scale * number(seed, ACCURACY_MODEL + p, i));
        }
    }
    return true;
}

/* Tokens, and for each of them the successor of the one before it. */
static void fill_batch(int seed, int step, int32_t *tokens, int32_t *targets)
{
    for (int i = 0; i < ACCURACY_B * ACCURACY_T; i++) {
        uint32_t place = (uint32_t)(step * ACCURACY_B * ACCURACY_T + i);
        tokens[i] = 1 + (int32_t)(golden_hash((uint32_t)seed, ACCURACY_TOKENS, place) % (ACCURACY_V - 1));
    }
    for (int i = 0; i < ACCURACY_B * ACCURACY_T; i++) {
        int before = i % ACCURACY_T == 0 ? i + ACCURACY_T - 1 : i - 1;
        targets[i] = 1 + tokens[before] % (ACCURACY_V - 1);
    }
}

static bool update(const hl_model *model, const hl_batch *batch, hl_arena *arena, double *mean_loss)
{
    hl_tape tape;
    hl_cross_entropy_result result = { 0 };
    hl_tape_begin(&tape, arena, (hl_tape_options){ .threads = 1, .training = true, .gradients = true });
    hl_tensor *loss = hl_model_loss(&tape, model, batch, (hl_cross_entropy_args){ .result = &result }, NULL);
    hl_parameters_zero_grad((hl_parameters *)&model->parameters);
    bool good = hl_tape_backward(&tape, loss).code == HL_OK;
    *mean_loss = good ? result.loss_sum / (double)result.n_scored : 0;
    hl_arena_rewind(arena, 0);
    return good;
}

bool accuracy_training_run(int index, int seed, double losses[ACCURACY_UPDATES])
{
    hl_threads_setup();
    enum { N = ACCURACY_B * ACCURACY_T };
    int32_t tokens[N], targets[N], rows[N], positions[N], offsets[ACCURACY_B + 1] = { 0 };
    const hl_batch batch = { .n_examples = ACCURACY_B,
                             .n_rows = N,
                             .longest = ACCURACY_T,
                             .offsets = offsets,
                             .tokens = tokens,
                             .positions = positions,
                             .n_targets = N,
                             .target_rows = rows,
                             .target_ids = targets };
    for (int i = 0; i < N; i++) {
        rows[i] = i;
        positions[i] = i % ACCURACY_T;
        offsets[i / ACCURACY_T + 1] = i + 1;
    }
    hl_model model = { 0 };
    hl_optimizer optimizer = { 0 };
    hl_arena arena = { 0 };
    bool good = make_model(&model, seed) && hl_arena_init(&arena, (size_t)4 << 20).code == HL_OK &&
                hl_optimizer_init(&optimizer, &model.parameters, accuracy_trainings[index].options).code == HL_OK;
    for (int step = 1; good && step <= ACCURACY_STEPS; step++) {
        fill_batch(seed, step, tokens, targets);
        good = update(&model, &batch, &arena, &losses[step - 1]);
        hl_optimizer_step(&optimizer, 1, hl_schedule_rate(&accuracy_trainings[index].schedule, step));
    }
    hl_optimizer_free(&optimizer);
    hl_arena_free(&arena);
    hl_model_free(&model);
    return good;
}
