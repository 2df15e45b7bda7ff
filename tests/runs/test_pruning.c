/* The order in which heads go, against importance measured here on each smaller model. */
#include "core/base/threads.h"
#include "heads/importance.h"
#include "heads/prune.h"
#include "programs/heads/pruning.h"
#include "study/study.h"
#include "tests/check_suite.h"
#include "tests/runs/runs.h"

#include <math.h>

enum { HEADS = 8, LAYER_HEADS = 4 };

static void expect_ok(hl_status status)
{
    CHECK_OK(status);
}

static void open_trained(hl_opened_model *run)
{
    const char *folder = run_path("run");
    EXPECT_RUN(0, run_tiny_config(), "model.heads=4", "--overwrite", "--quiet", "--out", folder);
    hl_threads_setup();
    expect_ok(hl_opened_model_open(run, folder));
}

/* The importance of the heads that are kept, at their places in the whole model; NaN of those that are gone. */
static void measure(hl_opened_model *run, const bool *kept, hl_heads_prune_by by, double importance[HEADS])
{
    const hl_snapshot *last;
    hl_model model;
    hl_importance found;
    expect_ok(hl_opened_model_snapshot(run, 24, &last));
    expect_ok(hl_prune(&run->model, kept, &model));
    expect_ok(hl_importance_measure(&model, &last->examples, last->layers, 4, 1, HL_IMPORTANCE_ZERO, NULL, &found));
    for (int64_t l = 0, at = 0; l < 2; l++) {
        for (int64_t h = 0; h < LAYER_HEADS; h++) {
            int64_t i = l * LAYER_HEADS + h;
            const hl_head_importance *head = kept[i] ? &found.heads[at++] : NULL;
            importance[i] = head == NULL ? NAN : by == HL_PRUNE_BY_LOSS ? head->zero.mean : head->gradient.mean;
        }
    }
    hl_importance_free(&found);
    hl_model_free(&model);
}

/* Of a layer that has another one. */
static int64_t least_of(const double importance[HEADS], const bool *kept)
{
    int64_t least = -1;
    for (int64_t i = 0; i < HEADS; i++) {
        int64_t left = hl_head_set_size(kept + i / LAYER_HEADS * LAYER_HEADS, LAYER_HEADS);
        if (kept[i] && left > 1 && (least < 0 || importance[i] < importance[least])) {
            least = i;
        }
    }
    return least;
}

/* Returns how many rows differ from the order of the first measurement. */
static int expect_least_first(hl_heads_prune_by by)
{
    hl_opened_model run;
    open_trained(&run);
    hl_heads_pruning pruning;
    expect_ok(hl_heads_pruning_make(&pruning, &run, 2, by, false));
    ck_assert_int_eq(pruning.n_rows, HEADS - 1);
    ck_assert_ptr_null(run.model.parameters.grads); /* nobody trains them */
    ck_assert_ptr_null(pruning.model.parameters.grads);
    bool kept[HEADS], once_kept[HEADS];
    double importance[HEADS], first[HEADS];
    for (int i = 0; i < HEADS; i++) {
        kept[i] = once_kept[i] = true;
    }
    measure(&run, kept, by, first);
    int differ = 0;
    for (int64_t i = 1; i < pruning.n_rows; i++) {
        measure(&run, kept, by, importance);
        int64_t least = least_of(importance, kept), once = least_of(first, once_kept);
        ck_assert_int_eq(pruning.rows[i].removed, least);
        kept[least] = once_kept[once] = false;
        differ += least != once;
    }
    ck_assert_mem_eq(pruning.kept, kept, sizeof kept);
    ck_assert_int_eq(hl_heads_count(&pruning.model.config), 2);
    hl_heads_pruning_free(&pruning);
    hl_opened_model_close(&run);
    return differ;
}

/* Where no order changed, measuring again would not be seen. */
TEST(importance_is_measured_again_on_what_is_left)
{
    ck_assert_int_gt(expect_least_first(HL_PRUNE_BY_LOSS) + expect_least_first(HL_PRUNE_BY_GRADIENT), 0);
}

SUITE("pruning step by step", .seconds = 60)
