#include "train/heads_validation.h"

#include "data/batch_storage.h"
#include "train/setup.h"
#include "train/trainer.h"

hl_status hl_heads_validation_make(hl_heads_validation *validation, const hl_opened_run *run)
{
    *validation = (hl_heads_validation){ .part = hl_trainer_evaluation_part(&run->config),
                                         .threads = hl_setup_threads(&run->config) };
    HL_TRY(hl_batch_allocate(run->config.train.eval_examples, hl_dataset_max_length(run->dataset),
                             hl_dataset_n_relations(run->dataset), &validation->examples));
    return hl_dataset_batch(run->dataset, HL_VALIDATION, 0, &validation->examples);
}

void hl_heads_validation_free(hl_heads_validation *validation)
{
    hl_batch_free(&validation->examples);
}

hl_status hl_heads_validate(const hl_heads_validation *validation, const hl_model *model, const bool *kept,
                            hl_subset_worth *worth)
{
    hl_subset subset = { .model = model, .part = validation->part, .threads = validation->threads };
    hl_status status = hl_subset_begin(&subset, validation->examples.n_tokens);
    if (status.code == HL_OK) {
        status = hl_subset_measure(&subset, &validation->examples, kept, worth);
    }
    hl_subset_free(&subset);
    return status;
}
