/* What the loop refuses to write. The rest of it shows in whole runs (tests/runs). */
#include "core/memory.h"
#include "tests/check_suite.h"
#include "tests/scratch.h"
#include "tests/train/trainer_example.h"
#include "train/loop.h"

#include <math.h>
#include <string.h>

/* The embedding of <pad>, which no full-length example reads: neither loss nor gradients show it. */
static void spoil_what_nobody_reads(hl_trainer *trainer)
{
    *hl_parameters_find(&trainer->model.parameters, "embedding.weight")->tensor->data = INFINITY;
}

START_TEST(no_file_gets_a_weight_that_is_not_finite)
{
    hl_config config = trainer_config("eval_every = 0\n");
    config.task.min_length = config.task.length;
    config.train.steps = 2;
    hl_trainer trainer;
    trainer_make(&trainer, &config);
    spoil_what_nobody_reads(&trainer);
    hl_run_folder folder;
    ck_assert_int_eq(hl_run_folder_open(&folder, scratch_path("run"), HL_RUN_NEW).code, HL_OK);
    ck_assert_int_eq(hl_run_folder_make(&folder).code, HL_OK);
    hl_loop loop = {
        .config = &config, .folder = &folder, .trainer = &trainer, .config_text = "", .checkpoint_step = -1
    };
    ck_assert_int_eq(hl_metrics_csv_open(&loop.metrics, folder.metrics, HL_METRICS_PLAIN, (hl_metrics_sum){ 0 }).code,
                     HL_OK);
    if (_i == 1) { /* no validation is the best one, and only the checkpoint after the last step is left */
        loop.state = (hl_train_state){ .has_best = true, .best_loss = 0 };
    }
    hl_status status = hl_loop_run(&loop);
    ck_assert_int_eq(status.code, HL_NOT_FINITE);
    char words[64];
    snprintf(words, sizeof words, "step %d: a weight of embedding.weight", _i == 0 ? 0 : 2);
    ck_assert_msg(strstr(status.text, words) != NULL, "%s", status.text);
    ck_assert(!scratch_exists(folder.model) && !scratch_exists(folder.checkpoint));
    hl_metrics_csv_close(&loop.metrics);
    hl_run_folder_close(&folder);
    hl_trainer_free(&trainer);
}
END_TEST

static void add_tests(TCase *tc)
{
    tcase_add_loop_test(tc, no_file_gets_a_weight_that_is_not_finite, 0, 2);
}
SUITE("loop", add_tests)
