/* What a head is worth has the same bits on any number of threads, whether these take whole changes or share passes. */
#include "core/base/memory.h"
#include "core/base/threads.h"
#include "core/kernels/small_matmul.h"
#include "heads/effect.h"
#include "heads/importance.h"
#include "heads/private/effect_losses.h"
#include "tests/check_suite.h"
#include "tests/heads/example.h"

#include <string.h>

enum { E = 33, T = 12, HEADS = 6, PART = 12 };

typedef struct worth {
    hl_effects effects;
    hl_importance importance;
} worth;

static worth measure(example *x, int threads)
{
    hl_patterns layers[EXAMPLE_LAYERS];
    hl_label labels[HEADS];
    for (int l = 0; l < EXAMPLE_LAYERS; l++) {
        layers[l] = hl_patterns_of(NULL, &x->batch, &x->model.config, l, 0);
    }
    for (int h = 0; h < HEADS; h++) { /* a group of two in either layer, one head without an ideal pattern */
        labels[h] = (hl_label){ .kind = h == 3 ? HL_LABEL_MIXED : HL_LABEL_OFFSET, .parameter = h / 2 };
    }
    worth w;
    expect_ok(hl_effects_measure(&x->model, &x->batch, layers, labels, false, PART, threads, &w.effects));
    expect_ok(
        hl_importance_measure(&x->model, &x->batch, layers, PART, threads, HL_IMPORTANCE_ALL, NULL, &w.importance));
    return w;
}

static void free_worth(worth *w)
{
    hl_effects_free(&w->effects);
    hl_importance_free(&w->importance);
}

static void expect_same(const worth *a, const worth *b)
{
    ck_assert_mem_eq(a->effects.heads, b->effects.heads, HEADS * sizeof *a->effects.heads);
    ck_assert_int_eq(a->effects.n_groups, 2);
    ck_assert_int_eq(b->effects.n_groups, 2);
    for (int g = 0; g < 2; g++) {
        const hl_group_effect *x = &a->effects.groups[g], *y = &b->effects.groups[g];
        ck_assert_mem_eq(&x->effect, &y->effect, sizeof x->effect);
    }
    ck_assert_mem_eq(a->importance.heads, b->importance.heads, HEADS * sizeof *a->importance.heads);
}

TEST(threads_change_nothing)
{
    hl_threads_setup();
    example x;
    example_set_up(&x, example_config(8), E, T - 3, PART);
    worth alone = measure(&x, 1);
    const int threads[] = { 2, 3, 4, HL_MAX_THREADS };
    for (int i = 0; i < ROWS(threads); i++) {
        worth several = measure(&x, threads[i]);
        expect_same(&alone, &several);
        free_worth(&several);
    }
    free_worth(&alone);
    example_tear_down(&x);
}

/* ---- against whole passes ---- */

enum { MANY = 48, LONG = 40, H_MOST = 4 };

/* The losses of the examples of `s` by one pass of the whole model over all of them. */
static void whole_losses(const hl_effect_losses *s, int layer, const hl_head_probe *probe, double *losses)
{
    hl_real rows[MANY / 2 * LONG];
    hl_head_probe probes[EXAMPLE_LAYERS] = { 0 };
    probes[layer] = *probe;
    hl_cross_entropy_result result = { .row_loss = rows };
    hl_arena arena;
    hl_tape tape;
    expect_ok(hl_arena_init(&arena, 64 << 20));
    hl_tape_begin(&tape, &arena, (hl_tape_options){ .threads = 1 });
    hl_model_loss(&tape, s->model, &s->storage.batch, (hl_cross_entropy_args){ .result = &result }, probes);
    expect_ok(hl_tape_status(&tape));
    hl_effect_losses_of_rows(&s->storage.batch, rows, losses);
    hl_arena_free(&arena);
}

static void expect_losses(hl_effect_losses *s, const hl_effect_change *what, int layer, const hl_head_probe *probe)
{
    double expected[MANY / 2], found[MANY / 2];
    whole_losses(s, layer, probe, expected);
    expect_ok(hl_effect_losses_measure(s, what, found));
    ck_assert_mem_eq(found, expected, sizeof found);
}

/* Each head of a layer without its output, and with ideal weights. */
static void expect_changes(hl_effect_losses *s, int layer)
{
    int64_t H = s->model->config.heads[layer], area = s->T * s->T;
    const hl_label label = { .kind = HL_LABEL_OFFSET, .parameter = -1 };
    hl_real *ideal = hl_calloc((size_t)(s->n * area), sizeof *ideal);
    ck_assert_ptr_nonnull(ideal);
    for (int64_t e = 0; e < s->n; e++) {
        hl_patterns one = s->layers[layer];
        one.first = s->rows[e];
        hl_pattern of = hl_patterns_at(&one, 0);
        hl_label_ideal(label, &of, ideal + e * area);
    }
    for (int64_t h = 0; h < H; h++) {
        bool chosen[H_MOST] = { false };
        hl_real gates[H_MOST] = { 1, 1, 1, 1 };
        const hl_real *replace[H_MOST] = { NULL };
        chosen[h] = true;
        gates[h] = 0;
        replace[h] = ideal;
        hl_tensor gate = { .shape = HL_SHAPE(1, H), .data = gates };
        expect_losses(s, &(hl_effect_change){ .layer = layer, .chosen = chosen, .label = &label }, layer,
                      &(hl_head_probe){ .replace = replace });
        expect_losses(s, &(hl_effect_change){ .layer = layer, .chosen = chosen }, layer,
                      &(hl_head_probe){ .gate = &gate });
    }
    hl_free(ideal);
}

/* On one thread a few rows go at once, with weights that were packed before; on several threads all of them. */
TEST(changes_have_the_bits_of_whole_passes)
{
    hl_threads_setup();
    example x;
    example_set_up(&x, example_config(16), MANY, LONG - 3, MANY);
    hl_patterns layers[EXAMPLE_LAYERS];
    for (int l = 0; l < EXAMPLE_LAYERS; l++) {
        layers[l] = hl_patterns_of(NULL, &x.batch, &x.model.config, l, 0);
    }
    for (int threads = 1; threads <= 2; threads++) {
        hl_effect_losses s = { .model = &x.model, .layers = layers, .slice = MANY, .threads = threads };
        expect_ok(hl_effect_losses_begin(&s, &x.batch));
        ck_assert_int_eq(s.n, MANY / 2);
        ck_assert_int_eq(s.packed.numbers != NULL, hl_small_matmul_generates());
        expect_losses(&s, NULL, 0, &(hl_head_probe){ 0 });
        for (int l = 0; l < EXAMPLE_LAYERS; l++) {
            expect_changes(&s, l);
        }
        hl_effect_losses_free(&s);
    }
    example_tear_down(&x);
}

SUITE("effects on threads")
