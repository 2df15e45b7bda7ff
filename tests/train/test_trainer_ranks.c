/* Trainers and loops of several ranks, as threads: what they compute together is what one process computes. */
#include "core/base/memory.h"
#include "core/kernels/bf16.h"
#include "heads/all_subsets.h"
#include "heads/importance.h"
#include "tests/check_suite.h"
#include "tests/messages.h"
#include "tests/runs/runs.h"
#include "tests/scratch.h"
#include "tests/train/loop_ranks.h"
#include "tests/train/thread_ranks.h"
#include "tests/train/trainer_example.h"
#include "train/loop.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 4, LEAVES = LOOP_RANKS_LEAVES };

typedef struct result {
    hl_update update;
    hl_evaluation evaluation;
    size_t bytes, n_sums;
    const hl_real *values, *m, *v; /* weights and moments */
    double *sums;
    int64_t confusion[7 * 7], cases[7];
} result;

/* A few updates and a validation with all that is gathered then. */
static void train_rank(hl_ranks *ranks, const hl_config *config, result *r)
{
    hl_trainer trainer;
    loop_ranks_trainer(&trainer, config, ranks);
    trainer.scored = HL_METRICS_CLASSES;
    CHECK_OK(hl_class_counts_init(&trainer.classes, 7));
    r->update = trainer_updated(&trainer, STEPS);
    hl_validation_sums_pass pass;
    trainer_sums(&trainer, &pass);
    CHECK_OK(hl_trainer_evaluate(&trainer, &pass, &r->evaluation));
    const hl_validation_sums *sums = hl_validation_sums_pass_end(&pass);
    ck_assert_int_eq(hl_validation_sums_scores(sums, 1, 1).normalised.n, trainer.validation.batch.n_rows);

    ck_assert_double_gt(*sums->entropy_uniform, 0.1);
    r->bytes = (size_t)trainer.model.parameters.count * sizeof(hl_real);
    r->values = trainer_copied(&trainer, trainer.model.parameters.values);
    r->m = trainer_copied(&trainer, trainer.optimizer.m);
    r->v = trainer_copied(&trainer, trainer.optimizer.v);
    r->n_sums = pass.count;
    r->sums = scratch_own(hl_malloc(r->n_sums * sizeof(double)), hl_free);
    hl_validation_sums_pass_save(&pass, r->sums);
    memcpy(r->confusion, trainer.classes.confusion, sizeof r->confusion);
    memcpy(r->cases, trainer.classes.cases, sizeof r->cases);
    hl_validation_sums_pass_free(&pass);
    hl_trainer_free(&trainer);
}

static void expect_same(const result *a, const result *b)
{
    ck_assert_mem_eq(a->values, b->values, b->bytes);
    ck_assert_mem_eq(a->m, b->m, b->bytes);
    ck_assert_mem_eq(a->v, b->v, b->bytes);
    ck_assert_mem_eq(a->sums, b->sums, b->n_sums * sizeof *b->sums);
    ck_assert_mem_eq(a->confusion, b->confusion, sizeof b->confusion);
    ck_assert_mem_eq(a->cases, b->cases, sizeof b->cases);
    ck_assert(a->update.loss == b->update.loss && a->update.grad_norm == b->update.grad_norm);
    ck_assert_int_eq(a->update.scored, b->update.scored);
    ck_assert_int_eq(a->update.correct, b->update.correct);
    ck_assert_int_eq(a->update.tokens, b->update.tokens);
    ck_assert(a->update.flops == b->update.flops);
    ck_assert(a->evaluation.scores.loss == b->evaluation.scores.loss);
    ck_assert(a->evaluation.scores.accuracy == b->evaluation.scores.accuracy);
    ck_assert(a->evaluation.scores.macro_f1 == b->evaluation.scores.macro_f1);
}

typedef struct sharing {
    hl_config config;
    result alone;
} sharing;

static void share(hl_ranks *ranks, void *context)
{
    const sharing *s = context;
    result r;
    train_rank(ranks, &s->config, &r);
    expect_same(&r, &s->alone);
}

/* Of one micro-batch a leaf, which are computed at once, and of two; in float and in bf16. Of a parameter that two ops
 * have, leaf by leaf. */
LOOP_TEST(any_number_of_ranks_and_threads_computes_the_same_bits, 0, 5)
{
    sharing s = { .config = loop_ranks_config() };
    s.config.optimizer.accumulate = _i % 2 + 1;
    if (_i / 2 == 1) {
        if (hl_bf16_missing() != NULL) {
            return;
        }
        s.config.train.precision = HL_PRECISION_BF16;
    }
    s.config.model.tie_embedding = _i / 2 == 2;
    train_rank(NULL, &s.config, &s.alone);
    for (int threads = 1; threads <= 3; threads++) {
        s.config.train.threads = threads;
        for (int n = 1; n <= LEAVES; n++) {
            thread_ranks_run(n, share, &s);
        }
    }
}

/* The sums are those of one leaf, but for their order. */
TEST(leaves_change_an_update_by_rounding_alone)
{
    hl_config config = loop_ranks_config();
    result leaves, whole;
    train_rank(NULL, &config, &leaves);
    config.train.leaves = 1;
    train_rank(NULL, &config, &whole);
    ck_assert_double_eq_tol(leaves.update.loss, whole.update.loss, 1e-5);
    ck_assert_double_eq_tol(leaves.update.grad_norm, whole.update.grad_norm, 1e-4);
    ck_assert_int_eq(leaves.update.scored, whole.update.scored);
    ck_assert_int_eq(leaves.update.correct, whole.update.correct);
    ck_assert_double_eq_tol(leaves.evaluation.scores.loss, whole.evaluation.scores.loss, 1e-5);
    ck_assert_mem_eq(leaves.cases, whole.cases, sizeof whole.cases);
    ck_assert_double_ne(leaves.update.grad_norm, whole.update.grad_norm);
    for (size_t i = 0; i < whole.n_sums; i++) { /* counts are equal and read as numbers next to 0 */
        ck_assert_double_eq_tol(leaves.sums[i], whole.sums[i], 1e-5);
    }
}

static void fail_alone(hl_ranks *ranks, void *context)
{
    const hl_config *config = context;
    hl_trainer trainer;
    loop_ranks_trainer(&trainer, config, ranks);
    trainer_updated(&trainer, 1);
    if (ranks->rank == 1) {
        hl_parameters_find(&trainer.model.parameters, "encoder.layers.1.linear1.weight")->tensor->data[3] = NAN;
    }
    hl_update update;
    hl_status status = hl_trainer_update(&trainer, &update);
    ck_assert_int_eq(status.code, HL_NOT_FINITE);
    ck_assert_msg(strstr(status.text, "rank 1: step 2: the loss is nan;") == status.text, "%s", status.text);
    ck_assert_int_eq(trainer.optimizer.step, 1);
    hl_trainer_free(&trainer);
}

TEST(what_fails_on_one_rank_ends_all_before_a_weight_has_changed)
{
    hl_config config = loop_ranks_config();
    thread_ranks_run(3, fail_alone, &config);
}

TEST(more_ranks_than_leaves_are_refused)
{
    hl_config config = loop_ranks_config();
    hl_task_spec spec = hl_config_task_spec(&config);
    hl_dataset *dataset;
    CHECK_OK(hl_dataset_open(&spec, 1, &dataset));
    hl_trainer trainer;
    message_check(hl_trainer_reserve(&trainer, &config, dataset, &(hl_ranks){ .n = LEAVES + 1 }), HL_INVALID,
                  "train.the_config_train_leaves_4_cuts");
    hl_trainer_free(&trainer);
}

/* ---- the loop ---- */

TEST(rank_0_alone_writes_the_files_of_one_process)
{
    loop_ranks alone, shared;
    loop_ranks_make(&alone, scratch_path("alone"), false);
    loop_ranks_run(NULL, &alone);
    ck_assert_int_eq(alone.status[0].code, HL_OK);
    loop_ranks_make(&shared, scratch_path("shared"), false);
    thread_ranks_run(3, loop_ranks_run, &shared);
    for (int r = 0; r < 3; r++) {
        ck_assert_msg(shared.status[r].code == HL_OK, "%s", shared.status[r].text);
        ck_assert_int_eq(shared.step[r], 6);
    }
    run_assert_same_file(alone.folder.path, shared.folder.path, "model.safetensors");
    run_assert_same_file(alone.folder.path, shared.folder.path, "checkpoint.safetensors");
    hl_run_folder_close(&alone.folder);
    hl_run_folder_close(&shared.folder);
}

TEST(a_rank_0_that_cannot_write_ends_all_of_them)
{
    loop_ranks l;
    loop_ranks_make(&l, scratch_path("run"), true);
    thread_ranks_run(3, loop_ranks_run, &l);
    for (int r = 0; r < 3; r++) {
        ck_assert_int_eq(l.status[r].code, HL_BAD_FILE);
        ck_assert_str_eq(l.status[r].text, l.status[0].text);
        ck_assert_int_eq(l.step[r], 0); /* the row of the first validation */
    }
    hl_run_folder_close(&l.folder);
}

/* ---- what heads are worth ---- */

typedef struct worth {
    hl_importance importance;
    hl_all_subsets subsets;
} worth;

static void measure_worth(hl_trainer *trainer, const hl_share *share, worth *w)
{
    hl_examples examples;
    CHECK_OK(hl_dataset_make_examples(trainer->dataset, HL_VALIDATION, 0, 6, &examples));
    hl_patterns layers[2] = { { 0 } };
    for (int l = 0; l < 2; l++) {
        layers[l] = (hl_patterns){
            .lengths = examples.lengths, .n_heads = 2, .n_tokens = examples.n_tokens, .n_examples = examples.n_examples
        };
    }
    hl_status status = hl_importance_measure(&trainer->model, &examples, layers, 2, trainer->threads, HL_IMPORTANCE_ALL,
                                             share, &w->importance);
    HL_THEN(status,
            hl_all_subsets_measure(&trainer->model, &examples, layers, 2, trainer->threads, share, &w->subsets));
    CHECK_OK(status);
    hl_examples_free(&examples);
}

static void worth_free(worth *w)
{
    hl_importance_free(&w->importance);
    hl_all_subsets_free(&w->subsets);
}

static void measure_together(hl_ranks *ranks, void *context)
{
    hl_config config = loop_ranks_config();
    const worth *alone = context;
    hl_trainer trainer;
    loop_ranks_trainer(&trainer, &config, NULL);
    hl_share share = hl_ranks_share(ranks);
    worth w;
    measure_worth(&trainer, &share, &w);
    size_t sets = (size_t)1 << w.subsets.n;
    ck_assert_mem_eq(w.importance.heads, alone->importance.heads, (size_t)w.importance.n * sizeof *w.importance.heads);
    ck_assert(w.importance.rank_correlation == alone->importance.rank_correlation);
    ck_assert_mem_eq(w.subsets.losses, alone->subsets.losses, sets * sizeof *w.subsets.losses);
    ck_assert_mem_eq(w.subsets.accuracies, alone->subsets.accuracies, sets * sizeof *w.subsets.accuracies);
    worth_free(&w);
    hl_trainer_free(&trainer);
}

TEST(ranks_measure_heads_together)
{
    hl_trainer *trainer = trainer_of(loop_ranks_config());
    worth alone;
    measure_worth(trainer, NULL, &alone);
    ck_assert(alone.importance.heads[3].uniform.error > 0);
    for (int n = 1; n <= 5; n++) { /* four heads: one rank of five has none */
        thread_ranks_run(n, measure_together, &alone);
    }
    worth_free(&alone);
}

SUITE("trainer ranks")
