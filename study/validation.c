#include "study/validation.h"

hl_status hl_heads_validation_make(hl_heads_validation *validation, const hl_model_source *run)
{
    int64_t n = run->config.train.eval_examples, T = hl_dataset_sizes(run->dataset)->longest, all = n * T;
    *validation = (hl_heads_validation){ .dataset = run->dataset,
                                         .n_examples = n,
                                         .rows = run->rows_at_once < all ? run->rows_at_once : all,
                                         .threads = run->threads };
    int64_t most = validation->rows < n ? validation->rows : n, rows = validation->rows > T ? validation->rows : T;
    return hl_dataset_storage(run->dataset, most, rows, run->shape.max_length, &validation->room);
}

void hl_heads_validation_free(hl_heads_validation *validation)
{
    hl_batch_storage_free(&validation->room);
}

hl_status hl_heads_validation_slice(hl_heads_validation *validation, int64_t first, hl_batch *slice)
{
    HL_TRY(hl_dataset_fill(validation->dataset, HL_VALIDATION, first, validation->n_examples - first, validation->rows,
                           &validation->room));
    *slice = validation->room.batch;
    return hl_ok();
}

hl_status hl_heads_validate(hl_heads_validation *validation, const hl_model *model, const bool *kept,
                            hl_subset_worth *worth)
{
    hl_subset subset = { .model = model, .rows = validation->rows, .threads = validation->threads };
    hl_status status = hl_subset_begin(&subset, hl_dataset_sizes(validation->dataset)->longest);
    hl_cross_entropy_result sum = { 0 };
    hl_batch slice;
    for (int64_t first = 0; first < validation->n_examples && status.code == HL_OK; first += slice.n_examples) {
        status = hl_heads_validation_slice(validation, first, &slice);
        HL_THEN(status, hl_subset_add(&subset, &slice, kept, &sum));
    }
    hl_subset_free(&subset);
    HL_TRY(status);
    *worth = hl_subset_worth_of(&sum);
    return hl_ok();
}
