#include "tests/train/loop_ranks.h"

#include "core/base/threads.h"
#include "tests/check_suite.h"
#include "tests/train/trainer_example.h"

hl_config loop_ranks_config(void)
{
    hl_config config = trainer_config("");
    config.train.leaves = LOOP_RANKS_LEAVES;
    config.train.eval_examples = 11;
    return config;
}

void loop_ranks_trainer(hl_trainer *trainer, const hl_config *config, hl_ranks *ranks)
{
    hl_task_spec spec = hl_config_task_spec(config);
    hl_dataset *dataset;
    hl_threads_setup();
    CHECK_OK(hl_dataset_open(&spec, (uint64_t)config->train.seed, &dataset));
    CHECK_OK(hl_trainer_reserve(trainer, config, dataset, ranks));
    hl_trainer_draw(trainer);
}

void loop_ranks_run(hl_ranks *ranks, void *context)
{
    loop_ranks *l = context;
    hl_trainer trainer;
    loop_ranks_trainer(&trainer, &l->config, ranks);
    hl_validation_sums_pass sums;
    trainer_sums(&trainer, &sums);
    hl_loop loop = { .config = &l->config,
                     .folder = hl_ranks_leads(ranks) ? &l->folder : NULL,
                     .trainer = &trainer,
                     .sums = &sums,
                     .config_text = "",
                     .metrics = { .fd = -1 },
                     .checkpoint_step = -1 };
    if (hl_ranks_leads(ranks) && !l->fails) {
        CHECK_OK(hl_metrics_csv_open(&loop.metrics, l->folder.metrics, HL_METRICS_PLAIN, (hl_metrics_sum){ 0 }));
    }
    int rank = hl_ranks_rank(ranks);
    l->status[rank] = hl_loop_run(&loop);
    l->step[rank] = trainer.optimizer.step;
    hl_metrics_csv_close(&loop.metrics);
    hl_validation_sums_pass_free(&sums);
    hl_trainer_free(&trainer);
}

void loop_ranks_make(loop_ranks *l, const char *path, bool fails)
{
    *l = (loop_ranks){ .config = loop_ranks_config(), .fails = fails };
    l->config.train.steps = 6;
    l->config.train.eval_every = 2;
    l->config.train.log_every = 1;
    CHECK_OK(hl_run_folder_open(&l->folder, path, HL_RUN_NEW));
    CHECK_OK(hl_run_folder_make(&l->folder));
}
