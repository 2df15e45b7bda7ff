/* The parts of a dataset, of a toy task or of a user's files. For the dataset's own files. */
#pragma once

#include "data/dataset.h"

struct hl_dataset {
    hl_data_sizes sizes;
    uint64_t seed;
    hl_vocabulary *vocabulary, *labels; /* labels: NULL if targets are tokens */

    const hl_task *task; /* NULL for text */
    hl_task_spec spec;
    hl_task_sizes range; /* of example sizes */

    hl_text_data *text;       /* NULL for a toy task */
    int64_t window, in_batch; /* set by hl_dataset_set_window; window 0: none */
};

/* For text: as the functions of data/dataset.h without `text` in their names. */
hl_status hl_dataset_text_examples(const hl_dataset *dataset, hl_split split, int64_t first_index, hl_examples *into);
hl_status hl_dataset_text_storage(const hl_dataset *dataset, hl_batch_storage *storage);
hl_status hl_dataset_text_fill(const hl_dataset *dataset, hl_split split, int64_t first_index, int64_t most_examples,
                               int64_t most_rows, hl_batch_storage *storage);
