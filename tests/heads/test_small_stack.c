/* Programs may measure heads on threads whose stacks are small. */
#include "core/base/threads.h"
#include "heads/all_subsets.h"
#include "heads/importance.h"
#include "heads/prune.h"
#include "heads/subset.h"
#include "tests/check_suite.h"
#include "tests/heads/example.h"
#include "tests/sanitized.h"
#include "tests/stack_used.h"

enum { E = 4, T = 9, HEADS = 6, MOST = 32 << 10 /* bytes */ };

static example x;

static void measure(void)
{
    static hl_model pruned;
    static const bool kept[HEADS] = { 1, 0, 1, 1, 0, 1 };
    hl_patterns layers[EXAMPLE_LAYERS];
    for (int l = 0; l < EXAMPLE_LAYERS; l++) {
        layers[l] = hl_patterns_of(NULL, &x.batch, &x.model.config, l, 0);
    }
    hl_importance importance;
    expect_ok(hl_importance_measure(&x.model, &x.batch, layers, E, 2, HL_IMPORTANCE_ALL, NULL, &importance));
    hl_importance_free(&importance);
    hl_all_subsets subsets;
    expect_ok(hl_all_subsets_measure(&x.model, &x.batch, layers, E, 2, NULL, &subsets));
    hl_all_subsets_free(&subsets);
    hl_subset subset = { .model = &x.model, .rows = E * T, .threads = 2 };
    hl_batch_storage storage = example_rows(&x.batch);
    hl_subset_worth worth;
    expect_ok(hl_subset_begin(&subset, T));
    expect_ok(hl_subset_measure(&subset, &storage.batch, kept, &worth));
    hl_subset_free(&subset);
    hl_batch_storage_free(&storage);
    expect_ok(hl_prune(&x.model, kept, &pruned));
    hl_model_free(&pruned);
    expect_ok(hl_recorder_run(&x.recorder, &x.arena));
}

/* The first time LIBXSMM generates code, which alone takes more than 128 KB of stack. */
TEST(measuring_heads_takes_little_stack)
{
    hl_threads_setup();
    example_set_up(&x, example_config(8), E, T - 3, E);
    measure();
    size_t used = stack_used(measure);
    ck_assert_msg(SANITIZED || used < MOST, "%zu bytes", used);
    example_tear_down(&x);
}

SUITE("small stacks")
