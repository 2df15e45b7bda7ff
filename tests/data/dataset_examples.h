/* Datasets of toy tasks and their examples, which go when the test ends. */
#pragma once

#include "data/dataset.h"
#include "tests/check_suite.h"
#include "tests/scratch.h"

#include <stdlib.h>

static inline void release_dataset(void *dataset)
{
    hl_dataset_free(dataset);
}

static inline void release_examples(void *examples)
{
    hl_examples_free(examples);
    free(examples);
}

static inline hl_dataset *open_dataset(hl_task_spec spec, uint64_t seed)
{
    hl_dataset *dataset;
    CHECK_OK(hl_dataset_open(&spec, seed, &dataset));
    return scratch_own(dataset, release_dataset);
}

static inline hl_examples read_batch(const hl_dataset *dataset, hl_split split, int64_t first, int64_t count,
                                     int64_t n_tokens)
{
    hl_examples batch;
    CHECK_OK(hl_examples_allocate(count, n_tokens, hl_dataset_sizes(dataset)->relations, &batch));
    CHECK_OK(hl_dataset_examples(dataset, split, first, &batch));
    hl_examples *kept = malloc(sizeof *kept);
    ck_assert_ptr_nonnull(kept);
    *kept = batch; /* of the same memory */
    scratch_own(kept, release_examples);
    return batch;
}
