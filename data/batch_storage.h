/* Memory for a batch, and the functions that copy examples into it. */
#pragma once

#include "core/base/declarations.h"
#include "core/base/status.h"
#include "core/batch.h"
#include "core/examples.h"

#include <stddef.h>
#include <stdint.h>

HL_BEGIN_DECLS

/* A zeroed storage holds nothing. */
typedef struct hl_batch_storage {
    hl_batch batch;             /* the examples added so far */
    int64_t n_examples, n_rows; /* the most that it can hold */
    int64_t max_length;         /* the model's greatest length; it enters the numbers in `places` */
    int64_t *places;            /* the batch's arrays; `places` also begins the block that holds them all; owned */
    int32_t *offsets, *tokens, *positions, *target_rows, *target_ids;
    int32_t *types;                /* NULL unless hl_batch_storage_take_types was called; owned */
    hl_examples example;           /* room for one example that hl_dataset_batch makes; owned */
    struct hl_text_reader *reader; /* for text: reads the examples; owned, like the next field */
    struct hl_length_window *window;
} hl_batch_storage;

/* Allocates memory for a batch of up to n_examples and n_rows, with a target in every row. HL_INVALID (a size below 1
 * or out of range), HL_NO_MEMORY; *storage is then empty. After success the caller owns it: hl_batch_storage_free. */
hl_status hl_batch_storage_init(hl_batch_storage *storage, int64_t n_examples, int64_t n_rows, int64_t max_length);

/* The bytes of the block; SIZE_MAX if a size is out of range. */
size_t hl_batch_storage_bytes(int64_t n_examples, int64_t n_rows);

/* Also allocates memory for the types of rows. Every type is 0 until hl_batch_storage_add_example sets it.
 * HL_NO_MEMORY. */
hl_status hl_batch_storage_take_types(hl_batch_storage *storage);

void hl_batch_storage_free(hl_batch_storage *storage);

/* Empties the batch. */
void hl_batch_storage_clear(hl_batch_storage *storage);

/* Adds an example of `length` tokens, with its targets except those that are HL_IGNORE. HL_UNSEEN becomes HL_IGNORE in
 * the batch. `targets` may be NULL. HL_INVALID if the example does not fit or is longer than max_length; the batch is
 * then unchanged. */
hl_status hl_batch_storage_add(hl_batch_storage *storage, const int32_t *tokens, const int32_t *targets,
                               int64_t length);

/* Adds example e with its targets and, if the storage has memory for them, its types. HL_INVALID as above. */
hl_status hl_batch_storage_add_example(hl_batch_storage *storage, const hl_examples *examples, int64_t e);

/* Makes the batch from the examples first ... first + count - 1. HL_INVALID as above. */
hl_status hl_batch_pack(hl_batch_storage *storage, const hl_examples *examples, int64_t first, int64_t count);

/* Allocates memory for all of the examples, and for their types if they have any, and runs hl_batch_pack. Free the
 * storage, also on failure. */
hl_status hl_batch_storage_of(hl_batch_storage *storage, const hl_examples *examples, int64_t max_length);

HL_END_DECLS
