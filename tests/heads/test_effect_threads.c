/* What a head is worth has the same bits on any number of threads, whether these take whole changes or share passes. */
#include "core/threads.h"
#include "heads/effect.h"
#include "heads/importance.h"
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
    expect_ok(hl_effects_measure(&x->model, &x->batch, layers, labels, PART, threads, &w.effects));
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

START_TEST(threads_change_nothing)
{
    hl_threads_setup();
    example x;
    example_set_up(&x, example_config(8), E, T - 3, PART);
    worth alone = measure(&x, 1);
    const int threads[] = { 2, 3, 4, HL_MAX_THREADS };
    for (size_t i = 0; i < sizeof threads / sizeof *threads; i++) {
        worth several = measure(&x, threads[i]);
        expect_same(&alone, &several);
        free_worth(&several);
    }
    free_worth(&alone);
    example_tear_down(&x);
}
END_TEST

static void add_tests(TCase *tc)
{
    tcase_add_test(tc, threads_change_nothing);
}
SUITE("effects on threads", add_tests)
