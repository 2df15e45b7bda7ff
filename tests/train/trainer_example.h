/* Tiny configs and trainers for tests of train/. */
#pragma once

#include "core/base/threads.h"
#include "tests/check_suite.h"
#include "tests/scratch.h"
#include "tests/train/config_parsing.h"
#include "train/trainer.h"

/* Two layers of two heads on the copy task with dropout, 8 examples of 5 to 7 tokens; `more` is more of [train]. */
static inline hl_config trainer_config(const char *more)
{
    const char *text =
        scratch_format("[task]\nlength = 3\nmin_length = 2\nsymbols = 4\n"
                       "[model]\nd_model = 16\nheads = 2\nd_ff = 32\ndropout = 0.1\ndropout_embedding = 0.1\n"
                       "[optimizer]\nlearning_rate = 0.01\nlabel_smoothing = 0.1\n"
                       "[train]\nsteps = 20\nbatch_size = 8\neval_examples = 10\nthreads = 1\n%s",
                       more);
    hl_config config;
    config_parse(text, &config);
    return config;
}

static inline void trainer_make(hl_trainer *trainer, const hl_config *config)
{
    hl_threads_setup();
    CHECK_OK(hl_trainer_init(trainer, config));
}

typedef struct trainer_owned {
    hl_trainer trainer;
    hl_config config;
} trainer_owned;

static inline void trainer_release(void *owned)
{
    hl_trainer_free(&((trainer_owned *)owned)->trainer);
    hl_free(owned);
}

/* One for the rest of the test. */
static inline hl_trainer *trainer_of(hl_config config)
{
    trainer_owned *owned = scratch_own(hl_calloc(1, sizeof *owned), trainer_release);
    owned->config = config;
    trainer_make(&owned->trainer, &owned->config);
    return &owned->trainer;
}

/* A copy of a block that is laid out as the parameters, for the rest of the test. */
static inline hl_real *trainer_copied(const hl_trainer *trainer, const hl_real *block)
{
    size_t bytes = (size_t)trainer->model.parameters.count * sizeof *block;
    return memcpy(scratch_own(hl_malloc(bytes), hl_free), block, bytes);
}

static inline hl_update trainer_updated(hl_trainer *trainer, int times)
{
    hl_update update = { 0 };
    for (int i = 0; i < times; i++) {
        CHECK_OK(hl_trainer_update(trainer, &update));
    }
    return update;
}

/* To be freed by hl_validation_sums_pass_free. */
static inline void trainer_sums(hl_trainer *trainer, hl_validation_sums_pass *sums)
{
    hl_status status =
        hl_validation_sums_pass_init(sums, &trainer->model.config, hl_trainer_evaluation_rows(trainer->config),
                                     hl_dataset_sizes(trainer->dataset)->longest);
    HL_THEN(status, hl_trainer_reserve_sums(trainer, sums));
    CHECK_OK(status);
}

static inline hl_evaluation trainer_evaluated(hl_trainer *trainer)
{
    hl_evaluation evaluation;
    CHECK_OK(hl_trainer_evaluate(trainer, NULL, &evaluation));
    return evaluation;
}
