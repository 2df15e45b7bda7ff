/* Heads that are held off or frozen: what a hold changes, and that it changes nothing else. */
#include "core/base/memory.h"
#include "heads/head_set.h"
#include "layers/head_parts.h"
#include "tests/check_suite.h"
#include "tests/train/trainer_example.h"
#include "train/holds.h"

#include <math.h>
#include <string.h>

/* ---- lists ---- */

static hl_holds parsed(const char *text)
{
    hl_config config = trainer_config("");
    hl_holds holds;
    CHECK_OK(hl_holds_parse(&config.model, text, &holds));
    return holds;
}

TEST(a_list_names_heads_and_steps)
{
    static const struct {
        int layer;
        int64_t head, first, last; /* the steps in which it is held; last -1: for good */
    } expected[] = { { 0, 1, 0, 499 }, { 0, 0, 7, 7 }, { 1, 0, 200, -1 }, { 1, 1, 200, -1 }, { 0, 0, 30, 40 } };
    hl_holds holds = parsed("L0H1@0-500 , l0h0@7-8,L1H*@200-, L0H0@30-41");
    ck_assert_int_eq(holds.n, 4);
    for (int l = 0; l < 2; l++) {
        for (int64_t h = 0; h < 2; h++) {
            for (int64_t step = 0; step < 600; step++) {
                bool held = false;
                for (int i = 0; i < ROWS(expected); i++) {
                    held = held || (expected[i].layer == l && expected[i].head == h && expected[i].first <= step &&
                                    (expected[i].last < 0 || step <= expected[i].last));
                }
                ck_assert_int_eq(hl_holds_at(&holds, l, h, step), held);
            }
        }
    }
    ck_assert_int_eq(parsed("").n, 0);
    holds = parsed("L1H1");
    ck_assert(hl_holds_at(&holds, 1, 1, 0) && hl_holds_at(&holds, 1, 1, INT64_MAX - 1));
}

/* ---- trainers ---- */

/* The sum of squares of a head's numbers in a block that is laid out as the parameters; of all parts, or without those
 * of K and V. */
static double squares_of(const hl_trainer *trainer, const hl_real *block, int layer, int64_t head, bool all)
{
    hl_head_part parts[HL_HEAD_PARTS];
    int n = hl_head_parts(&trainer->model.encoder.layers[layer].self_attn, head, parts);
    double sum = 0;
    for (int i = 0; i < n; i++) {
        bool own = i == HL_PART_Q || i == HL_PART_O || i == HL_PART_Q_BIAS;
        const hl_real *its = block + (parts[i].x->data - trainer->model.parameters.values);
        for (int64_t k = 0; k < parts[i].n_rows * parts[i].n_columns && (own || all); k++) {
            hl_real number = its[hl_head_part_at(&parts[i], k / parts[i].n_columns, k % parts[i].n_columns)];
            sum += (double)number * (double)number;
        }
    }
    return sum;
}

/* How far the head's numbers are from those of a copy. */
static double moved(const hl_trainer *trainer, const hl_real *block, const hl_real *before, int layer, int64_t head,
                    bool all)
{
    hl_real *difference = trainer_copied(trainer, block);
    for (int64_t i = 0; i < trainer->model.parameters.count; i++) {
        difference[i] -= before[i];
    }
    return squares_of(trainer, difference, layer, head, all);
}

/* Until step 2 head L0H1 writes nothing and has no gradient. At step 2 it is as any other. */
LOOP_TEST(a_head_that_is_off_writes_nothing, 0, 2)
{
    const char *leaves = _i == 0 ? "" : "leaves = 2\n"; /* one after the other, and at once */
    hl_trainer *off = trainer_of(trainer_config(scratch_format("%soff = L0H1@0-2\n", leaves)));
    hl_trainer *on = trainer_of(trainer_config(leaves));
    size_t bytes = (size_t)on->model.parameters.count * sizeof(hl_real);
    for (int step = 0; step < 2; step++) {
        memcpy(on->model.parameters.values, off->model.parameters.values, bytes);
        hl_real whole = (hl_real)trainer_evaluated(on).scores.loss;
        hl_head_part parts[HL_HEAD_PARTS];
        hl_head_parts(&on->model.encoder.layers[0].self_attn, 1, parts);
        for (int64_t row = 0; row < parts[HL_PART_O].n_rows; row++) {
            memset(parts[HL_PART_O].x->data + hl_head_part_at(&parts[HL_PART_O], row, 0), 0,
                   (size_t)parts[HL_PART_O].n_columns * sizeof(hl_real));
        }
        double loss = trainer_evaluated(off).scores.loss;
        ck_assert_double_eq(loss, trainer_evaluated(on).scores.loss);
        ck_assert((hl_real)loss != whole);
        trainer_updated(off, 1);
        const hl_real *grads = off->model.parameters.grads;
        ck_assert_double_eq(squares_of(off, grads, 0, 1, true), 0);
        ck_assert(squares_of(off, grads, 0, 0, true) > 0 && squares_of(off, grads, 1, 1, true) > 0);
    }
    memcpy(on->model.parameters.values, off->model.parameters.values, bytes);
    ck_assert_double_eq(trainer_evaluated(off).scores.loss, trainer_evaluated(on).scores.loss);
    trainer_updated(off, 1);
    ck_assert(squares_of(off, off->model.parameters.grads, 0, 1, true) > 0);
}

/* From step 2 on, with moments and decay. The gradients of all else are what they are without the hold. */
LOOP_TEST(a_frozen_head_keeps_every_number, 0, 3)
{
    static const hl_optimizer_name names[] = { HL_ADAM, HL_ADAMW, HL_SGD };
    hl_config plain = trainer_config(""), config = trainer_config("frozen = L1H0@2-4\n");
    plain.optimizer.update.name = config.optimizer.update.name = names[_i];
    plain.optimizer.update.weight_decay = config.optimizer.update.weight_decay = 0.1;
    plain.optimizer.clip_norm = config.optimizer.clip_norm = 0; /* so that the gradients stay as they were computed */
    hl_trainer *frozen = trainer_of(config), *free = trainer_of(plain);
    trainer_updated(frozen, 2);
    trainer_updated(free, 2);
    hl_real *const blocks[] = { frozen->model.parameters.values, frozen->optimizer.m, frozen->optimizer.v };
    const hl_real *before[3] = { NULL };
    for (int i = 0; i < 3 && blocks[i] != NULL; i++) {
        before[i] = trainer_copied(frozen, blocks[i]);
        ck_assert(squares_of(frozen, blocks[i], 1, 0, true) > 0);
    }
    double norm = trainer_updated(frozen, 1).grad_norm, whole = trainer_updated(free, 1).grad_norm;
    double its = squares_of(free, free->model.parameters.grads, 1, 0, true);
    ck_assert_double_eq_tol(norm * norm, whole * whole - its, 1e-5 * whole * whole);
    ck_assert_double_eq(squares_of(frozen, frozen->model.parameters.grads, 1, 0, true), 0);
    trainer_updated(frozen, 1);
    for (int i = 0; i < 3 && blocks[i] != NULL; i++) {
        ck_assert_double_eq(moved(frozen, blocks[i], before[i], 1, 0, true), 0);
        ck_assert(moved(frozen, blocks[i], before[i], 1, 1, true) > 0);
    }
    trainer_updated(frozen, 1);
    ck_assert(moved(frozen, blocks[0], before[0], 1, 0, true) > 0); /* step 4 */
}

/* Two heads share keys and values, which are frozen with both. */
LOOP_TEST(shared_keys_are_frozen_with_the_whole_group, 0, 2)
{
    hl_config config = trainer_config(_i == 0 ? "frozen = L0H1\n" : "frozen = L0H*\n");
    config.model.kv_heads[0] = 1;
    hl_trainer *trainer = trainer_of(config);
    const hl_real *values = trainer->model.parameters.values, *before = trainer_copied(trainer, values);
    trainer_updated(trainer, 3);
    ck_assert_double_eq(moved(trainer, values, before, 0, 1, false), 0);
    ck_assert_int_eq(moved(trainer, values, before, 0, 1, true) == 0, _i == 1);
    ck_assert_int_eq(moved(trainer, values, before, 0, 0, false) == 0, _i == 1);
    ck_assert(moved(trainer, values, before, 1, 0, false) > 0);
}

/* A model that is only evaluated computes the same, by its weights alone. */
TEST(a_muted_model_computes_what_the_run_computed)
{
    hl_config config = trainer_config("off = L0H0@0-1, L1H*@1-\n");
    hl_trainer *off = trainer_of(config), *on = trainer_of(trainer_config(""));
    for (int step = 0; step < 2; step++) {
        memcpy(on->model.parameters.values, off->model.parameters.values,
               (size_t)on->model.parameters.count * sizeof(hl_real));
        hl_holds_mute(&config, step, &on->model);
        ck_assert_double_eq(trainer_evaluated(off).scores.loss, trainer_evaluated(on).scores.loss);
        trainer_updated(off, 1);
    }
}

SUITE("held heads")
