/* Gradients of relations against differences of their losses. */
#include "heads/relation_gradients.h"

#include "core/base/memory.h"
#include "data/batch_storage.h"
#include "heads/head_set.h"
#include "layers/head_parts.h"
#include "tests/check_suite.h"
#include "tests/heads/double/written.h"

#include <string.h>

enum { R = 3 };

static int32_t *relations;

/* The answers at even positions have a source that relation 0 states, those at odd ones one that relation 1 states.
 * Relation 2 states other pairs, which no answer has. */
static void state_relations(void)
{
    int64_t T = batch.n_tokens;
    relations = hl_calloc((size_t)(E * R * T), sizeof *relations);
    ck_assert_ptr_nonnull(relations);
    for (int64_t i = 0; i < E * T; i++) {
        int64_t e = i / T, t = i % T;
        bool real = t < batch.lengths[e];
        batch.sources[i] = real ? (int32_t)(t * 5 % batch.lengths[e]) : HL_IGNORE;
        batch.targets[i] = real ? (int32_t)(3 + i % 4) : HL_IGNORE;
        for (int64_t r = 0; r < R; r++) {
            bool states = real && (r == 2 || t % 2 == r);
            int32_t other = real ? (batch.sources[i] + 1) % batch.lengths[e] : HL_IGNORE;
            relations[(e * R + r) * T + t] = !states ? HL_IGNORE : r == 2 ? other : batch.sources[i];
        }
    }
    batch.relations = relations;
    batch.n_relations = R;
}

/* The mean loss over the answers at even or odd positions. */
static double loss_of(int64_t r)
{
    int64_t T = batch.n_tokens;
    hl_examples asked = batch;
    asked.targets = hl_malloc((size_t)(E * T) * sizeof *asked.targets);
    for (int64_t i = 0; i < E * T; i++) {
        asked.targets[i] = i % T % 2 == r ? batch.targets[i] : HL_IGNORE;
    }
    hl_batch_storage storage;
    expect_ok(hl_batch_storage_of(&storage, &asked, T));
    hl_arena arena;
    hl_tape tape;
    expect_ok(hl_arena_init(&arena, 1 << 22));
    hl_tape_begin(&tape, &arena, (hl_tape_options){ 0 });
    const hl_tensor *loss = hl_model_loss(&tape, &model, &storage.batch, (hl_cross_entropy_args){ 0 }, NULL);
    ck_assert_msg(loss != NULL, "%s", hl_tape_status(&tape).text);
    double value = *loss->data;
    hl_arena_free(&arena);
    hl_batch_storage_free(&storage);
    hl_free(asked.targets);
    return value;
}

/* The derivative of the loss by a number of the model. */
static double slope(hl_real *number, int64_t r)
{
    double h = 1e-3, at = *number, values[4];
    static const double steps[] = { -2, -1, 1, 2 };
    for (int i = 0; i < 4; i++) {
        *number = at + steps[i] * h;
        values[i] = loss_of(r);
    }
    *number = at;
    return (8 * (values[2] - values[1]) - (values[3] - values[0])) / (12 * h);
}

static void check_head(const hl_relation_gradients *found, int64_t head)
{
    hl_head_place at = hl_head_at(&model.config, head);
    hl_head_part parts[HL_HEAD_PARTS];
    int n = hl_head_parts(&model.encoder.layers[at.layer].self_attn, at.head, parts);
    double products[2][2] = { { 0 } };
    for (int i = 0; i < n; i++) {
        for (int64_t k = 0; k < parts[i].n_rows * parts[i].n_columns; k++) {
            hl_real *number =
                parts[i].x->data + hl_head_part_at(&parts[i], k / parts[i].n_columns, k % parts[i].n_columns);
            double g[2] = { slope(number, 0), slope(number, 1) };
            for (int pair = 0; pair < 4; pair++) {
                products[pair / 2][pair % 2] += g[pair / 2] * g[pair % 2];
            }
        }
    }
    for (int r = 0; r < 2; r++) {
        ck_assert_double_eq_tol(hl_relation_gradients_norm(found, head, r), sqrt(products[r][r]), 1e-7);
    }
    ck_assert_double_eq_tol(hl_relation_gradients_cosine(found, head, 0, 1),
                            products[0][1] / sqrt(products[0][0] * products[1][1]), 1e-6);
}

LOOP_TEST(they_are_the_slopes_of_each_relations_loss, 0, 2)
{
    set_up_shape(_i == 0 ? gelu : grouped);
    for (int l = 0; l < model.encoder.n_layers; l++) { /* no kinks */
        model.encoder.layers[l].feed_forward.activation = HL_GELU;
    }
    model.config.activation = HL_GELU;
    state_relations();
    hl_relation_gradients found;
    expect_ok(hl_relation_gradients_make(&found, &model, &batch, 1));
    ck_assert_int_eq(found.n_relations, R);
    for (int64_t r = 0; r < 2; r++) {
        ck_assert(hl_relation_gradients_has(&found, r));
        ck_assert_double_eq_tol(found.losses[r], loss_of(r), 1e-12);
    }
    ck_assert_int_eq(found.answers[0] + found.answers[1], hl_examples_scored(&batch));
    ck_assert(!hl_relation_gradients_has(&found, 2) && found.answers[2] == 0);
    ck_assert(hl_relation_gradients_norm(&found, 0, 2) == 0 && hl_relation_gradients_cosine(&found, 0, 0, 2) == 0);
    check_head(&found, 0);
    check_head(&found, found.n_heads - 1);
    hl_relation_gradients_free(&found);
    hl_free(relations);
}

TEST(examples_without_relations_are_refused)
{
    set_up_shape(plain);
    hl_relation_gradients found;
    ck_assert_int_eq(hl_relation_gradients_make(&found, &model, &batch, 1).code, HL_INVALID);
    ck_assert_ptr_null(found.products);
}

SUITE("gradients of relations", .after = tear_down)
