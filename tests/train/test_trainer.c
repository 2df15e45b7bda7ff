#include "core/base/memory.h"
#include "core/op.h"
#include "tests/check_suite.h"
#include "tests/fault_checks.h"
#include "tests/faults.h"
#include "tests/messages.h"
#include "tests/train/trainer_example.h"
#include "train/checkpoint.h"

#include <math.h>
#include <string.h>

static size_t block_bytes(const hl_trainer *trainer)
{
    return (size_t)trainer->model.parameters.count * sizeof(hl_real);
}

TEST(an_update_counts_what_it_trained_on)
{
    hl_trainer *trainer = trainer_of(trainer_config(""));
    hl_update first = trainer_updated(trainer, 1);
    ck_assert_int_eq(trainer->optimizer.step, 1);
    ck_assert_int_eq(first.scored, trainer->batch.batch.n_targets);
    ck_assert_int_eq(first.tokens, trainer->batch.batch.n_rows);
    ck_assert_int_lt(first.tokens, 8 * 7); /* some are shorter */
    ck_assert_int_le(first.correct, first.scored);
    ck_assert_double_eq_tol(first.learning_rate, 0.01 / 20, 1e-15); /* the first of 20 warm-up steps */
    ck_assert(first.grad_norm > 0 && isfinite(first.grad_norm));
    ck_assert(first.loss > 0.5 && first.loss < 5);
}

TEST(every_update_has_examples_of_its_own)
{
    hl_trainer *trainer = trainer_of(trainer_config(""));
    trainer_updated(trainer, 1);
    int32_t tokens[8];
    memcpy(tokens, trainer->batch.tokens, sizeof tokens);
    trainer_updated(trainer, 1);
    ck_assert_int_ne(memcmp(tokens, trainer->batch.tokens, sizeof tokens), 0);
}

/* Whatever the last one left: of all leaves at once or one by one, and of a parameter that no gradient reaches. */
LOOP_TEST(an_update_begins_without_gradients, 0, 2)
{
    hl_config config = trainer_config(_i == 0 ? "" : "leaves = 2\n");
    ck_assert_int_eq(hl_trainer_at_once(&config, 1, 0), _i == 0 ? 1 : 2);
    hl_trainer *clean = trainer_of(config), *dirty = trainer_of(config);
    clean->model.parameters.list[1].tensor->requires_grad = dirty->model.parameters.list[1].tensor->requires_grad =
        false;
    for (int i = 0; i < 2; i++) {
        memset(dirty->model.parameters.grads, 0x41, block_bytes(dirty));
        double norm = trainer_updated(clean, 1).grad_norm;
        ck_assert_double_eq(trainer_updated(dirty, 1).grad_norm, norm);
    }
    ck_assert_mem_eq(clean->model.parameters.values, dirty->model.parameters.values, block_bytes(clean));
}

enum { FATES = 400 };

/* An observer: which of the first numbers the dropout of the embedding dropped. */
static void note_fates(void *context, const hl_node *node, bool backward)
{
    bool *dropped = context;
    for (int i = 0; i < FATES && strcmp(node->op->name, "dropout") == 0 && !backward; i++) {
        dropped[i] = node->out->data[i] == 0;
    }
}

static void pass_over(void *context, const hl_node *node, bool backward)
{
    (void)context;
    (void)node;
    (void)backward;
}

TEST(every_update_has_dropouts_of_its_own)
{
    hl_config config = trainer_config("");
    config.task.min_length = config.task.length; /* rows stand at the same places in every batch */
    hl_trainer *trainer = trainer_of(config);
    bool dropped[2][FATES] = { { false } };
    for (int i = 0; i < 2; i++) {
        trainer->observer = &(hl_tape_observer){ .begin = pass_over, .end = note_fates, .context = dropped[i] };
        trainer_updated(trainer, 1);
        ck_assert_ptr_nonnull(memchr(dropped[i], true, FATES));
    }
    ck_assert(memcmp(dropped[0], dropped[1], sizeof dropped[0]) != 0);
}

TEST(validating_changes_nothing)
{
    hl_config config = trainer_config("");
    hl_trainer *quiet = trainer_of(config), *validated = trainer_of(config);
    for (int i = 0; i < 5; i++) {
        trainer_updated(quiet, 1);
        trainer_updated(validated, 1);
        hl_evaluation once = trainer_evaluated(validated), again = trainer_evaluated(validated);
        ck_assert_double_eq(once.scores.loss, again.scores.loss);
    }
    ck_assert_mem_eq(quiet->model.parameters.values, validated->model.parameters.values, block_bytes(quiet));
    ck_assert_mem_eq(quiet->optimizer.v, validated->optimizer.v, block_bytes(quiet));
}

/* Ten examples in parts of eight and two: the mean over all tokens, not of the parts' means. */
TEST(validation_is_the_mean_over_all_scored_tokens)
{
    hl_config at_once = trainer_config("");
    at_once.train.batch_size = 10;
    hl_trainer *a = trainer_of(trainer_config("")), *b = trainer_of(at_once);
    hl_evaluation parts = trainer_evaluated(a), whole = trainer_evaluated(b);
    ck_assert_double_eq_tol(parts.scores.loss, whole.scores.loss, 1e-6);
    ck_assert_double_eq(parts.scores.accuracy, whole.scores.accuracy);
}

TEST(micro_batches_make_the_same_update)
{
    hl_config parts = trainer_config("");
    parts.optimizer.accumulate = 4;
    hl_trainer *a = trainer_of(trainer_config("")), *b = trainer_of(parts);
    for (int i = 0; i < 5; i++) {
        hl_update one = trainer_updated(a, 1), other = trainer_updated(b, 1);
        ck_assert_double_eq_tol(other.loss, one.loss, 1e-6 * one.loss);
        ck_assert_double_eq_tol(other.grad_norm, one.grad_norm, 1e-5 * one.grad_norm);
        ck_assert_int_eq(other.correct, one.correct);
    }
}

TEST(labels_are_smoothed_in_updates_alone)
{
    hl_config sharp = trainer_config("");
    sharp.optimizer.label_smoothing = 0;
    hl_trainer *a = trainer_of(trainer_config("")), *b = trainer_of(sharp);
    ck_assert_double_eq(trainer_evaluated(a).scores.loss, trainer_evaluated(b).scores.loss);
    ck_assert_double_ne(trainer_updated(a, 1).loss, trainer_updated(b, 1).loss);
}

/* 10 examples in parts of 4, 4 and 2; every query has two keys or more. */
TEST(sums_change_no_bit_of_a_validation_and_are_of_all_examples)
{
    hl_config config = trainer_config("");
    config.optimizer.accumulate = 2;
    hl_trainer *trainer = trainer_of(config);
    trainer_updated(trainer, 3);
    static hl_validation_sums_pass sums;
    trainer_sums(trainer, &sums);
    hl_evaluation without = trainer_evaluated(trainer), with;
    for (int again = 0; again < 2; again++) {
        CHECK_OK(hl_trainer_evaluate(trainer, &sums, &with));
        ck_assert_double_eq(with.scores.loss, without.scores.loss);
        ck_assert_double_eq(with.scores.accuracy, without.scores.accuracy);
        const hl_validation_sums *all = hl_validation_sums_pass_end(&sums);
        for (int layer = 0; layer < 2; layer++) {
            ck_assert_int_eq(hl_validation_sums_scores(all, layer, 1).normalised.n, trainer->validation.batch.n_rows);
            ck_assert_double_gt(hl_validation_sums_scores(all, layer, 1).entropy.value, 0.1);
        }
    }
    hl_validation_sums_pass_free(&sums);
}

/* ---- numbers that are not finite ---- */

/* Of a whole batch, and of leaves that are computed at once. */
LOOP_TEST(a_loss_that_is_not_finite_is_named_and_changes_no_weight, 0, 2)
{
    hl_config config = trainer_config("");
    config.train.leaves = _i == 1 ? 2 : 1;
    hl_trainer *trainer = trainer_of(config);
    trainer_updated(trainer, 2);
    const hl_parameter *spoiled = hl_parameters_find(&trainer->model.parameters, "encoder.layers.1.linear1.weight");
    spoiled->tensor->data[3] = -NAN;
    const hl_real *before = trainer_copied(trainer, trainer->model.parameters.values);
    hl_update update;
    hl_status status = hl_trainer_update(trainer, &update);
    ck_assert_int_eq(status.code, HL_NOT_FINITE);
    ck_assert_msg(strstr(status.text, "step 3: the loss is nan;") == status.text, "%s", status.text);
    ck_assert_msg(strstr(status.text, "linear in encoder.layers.1.linear1") != NULL, "%s", status.text);
    ck_assert_mem_eq(before, trainer->model.parameters.values, block_bytes(trainer));
    ck_assert_int_eq(trainer->optimizer.step, 2);

    hl_evaluation evaluation;
    message_check(hl_trainer_evaluate(trainer, NULL, &evaluation), HL_NOT_FINITE,
                  "train.step_2_the_validation_loss_is");
}

/* The model is sure of token 0, which is never right; its loss is finite. The gradient at the last norm's output is
 * 3e38 of one sign, and its products with normalised numbers, some of which are above 1.14, are not. */
TEST(a_gradient_that_is_not_finite_is_named_and_changes_no_weight)
{
    hl_config config = trainer_config("");
    config.train.batch_size = 1;
    config.task.length = config.task.min_length; /* 2 scored tokens */
    config.optimizer.label_smoothing = 0;
    hl_trainer *trainer = trainer_of(config);
    hl_parameters_find(&trainer->model.parameters, "output.bias")->tensor->data[0] = 50;
    const hl_parameter *norm = hl_parameters_find(&trainer->model.parameters, "encoder.norm.weight");
    const hl_parameter *output = hl_parameters_find(&trainer->model.parameters, "output.weight");
    for (int64_t i = 0; i < norm->count; i++) {
        norm->tensor->data[i] = 2e-38F;
    }
    for (int64_t i = 0; i < output->count; i++) {
        output->tensor->data[i] = i < config.model.d_model ? 3e38F : -3e38F;
    }
    const hl_real *before = trainer_copied(trainer, trainer->model.parameters.values);
    hl_update update;
    CHECK_FAILS(hl_trainer_update(trainer, &update), HL_NOT_FINITE, "step 1: the gradient norm", "that of e");
    ck_assert_mem_eq(before, trainer->model.parameters.values, block_bytes(trainer));
    ck_assert_int_eq(trainer->optimizer.step, 0);
}

TEST(weights_and_moments_are_checked_before_they_are_saved)
{
    hl_trainer *trainer = trainer_of(trainer_config(""));
    trainer_updated(trainer, 3);
    CHECK_OK(hl_trainer_check_finite(trainer));
    const hl_parameter *parameter = hl_parameters_find(&trainer->model.parameters, "output.bias");
    hl_real *blocks[] = { trainer->model.parameters.values, trainer->optimizer.m, trainer->optimizer.v };
    static const char *const words[] = { "a weight of output.bias", "a first moment of output.bias",
                                         "a second moment of output.bias" };
    for (int i = 0; i < 3; i++) {
        hl_real *number = blocks[i] + parameter->offset + parameter->count - 1, good = *number;
        *number = i == 1 ? -INFINITY : NAN;
        CHECK_FAILS(hl_trainer_check_finite(trainer), HL_NOT_FINITE, words[i], "step 3");
        *number = good;
    }
}

/* ---- memory ---- */

/* Of one leaf, and of several at once. */
LOOP_TEST(a_trainer_that_runs_out_of_memory_leaves_nothing, 1, 3)
{
    hl_config config = trainer_config("");
    config.train.leaves = _i;
    faults_begin();
    int n = 0;
    while (fault_checks_next(&n, FAULTS_ONCE)) {
        hl_trainer trainer;
        fault_checks_turn(hl_trainer_init(&trainer, &config));
        hl_trainer_free(&trainer);
        hl_trainer_free(&trainer); /* nothing is freed twice */
    }
    ck_assert_int_gt(n, 20);
    faults_end();
}

TEST(the_plan_is_what_a_step_takes)
{
    hl_config config = trainer_config("");
    hl_trainer *trainer = trainer_of(config);
    size_t bytes;
    double flops;
    CHECK_OK(hl_trainer_plan(&trainer->model, &config, 1, &bytes, &flops));
    ck_assert_uint_le(bytes, trainer->arena.capacity);
    ck_assert_double_gt(flops, 6.0 * 8 * 7 * 16 * 32);
    config.optimizer.accumulate = 4;
    size_t part_bytes;
    double part_flops;
    CHECK_OK(hl_trainer_plan(&trainer->model, &config, 1, &part_bytes, &part_flops));
    ck_assert_uint_lt(part_bytes, bytes);
    ck_assert_double_eq_tol(part_flops, flops, 1e-9 * flops);
}

SUITE("trainer")
