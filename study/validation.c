#include "study/validation.h"

#include "data/examples_storage.h"

hl_status hl_heads_validation_make(hl_heads_validation *validation, const hl_opened_model *run)
{
    *validation = (hl_heads_validation){ .dataset = run->dataset,
                                         .n_examples = run->config.train.eval_examples,
                                         .slice = run->slice,
                                         .threads = run->threads };
    return hl_examples_allocate(validation->slice, hl_dataset_max_length(run->dataset),
                                hl_dataset_n_relations(run->dataset), &validation->room);
}

void hl_heads_validation_free(hl_heads_validation *validation)
{
    hl_examples_free(&validation->room);
}

hl_status hl_heads_validation_slice(const hl_heads_validation *validation, int64_t first, hl_examples *slice)
{
    int64_t left = validation->n_examples - first;
    *slice = hl_examples_slice(&validation->room, 0, left < validation->slice ? left : validation->slice);
    return hl_dataset_examples(validation->dataset, HL_VALIDATION, first, slice);
}

hl_status hl_heads_validate(const hl_heads_validation *validation, const hl_model *model, const bool *kept,
                            hl_subset_worth *worth)
{
    hl_subset subset = { .model = model, .slice = validation->slice, .threads = validation->threads };
    hl_status status = hl_subset_begin(&subset, validation->room.n_tokens);
    hl_cross_entropy_result sum = { 0 };
    for (int64_t first = 0; first < validation->n_examples && status.code == HL_OK; first += validation->slice) {
        hl_examples slice;
        status = hl_heads_validation_slice(validation, first, &slice);
        HL_THEN(status, hl_subset_add(&subset, &slice, kept, &sum));
    }
    hl_subset_free(&subset);
    HL_TRY(status);
    *worth = hl_subset_worth_of(&sum);
    return hl_ok();
}
