/* Memory for a batch, and the way from examples to it. */
#ifndef HL_DATA_BATCH_STORAGE_H
#define HL_DATA_BATCH_STORAGE_H

#include "core/base/declarations.h"
#include "core/base/status.h"
#include "core/batch.h"
#include "core/examples.h"

#include <stddef.h>
#include <stdint.h>

HL_BEGIN_DECLS

/* A zeroed one holds nothing. */
typedef struct hl_batch_storage {
    hl_batch batch;             /* the examples added so far */
    int64_t n_examples, n_rows; /* the most it holds */
    int64_t max_length;         /* the model's greatest length, by which places are counted */
    int64_t *places;            /* the batch's arrays; this is the block of all, owned */
    int32_t *offsets, *tokens, *positions, *target_rows, *target_ids;
    int32_t *types;                /* NULL where hl_batch_storage_take_types was not called; owned */
    hl_examples example;           /* room for one that hl_dataset_batch makes; owned */
    struct hl_text_reader *reader; /* of text, where it reads them; owned, as the next */
    struct hl_length_window *window;
} hl_batch_storage;

/* Takes memory for a batch of up to n_examples and n_rows, with a target in every row. HL_INVALID (a size below 1 or
 * out of range), HL_NO_MEMORY; *storage is then empty. On success owned by the caller: hl_batch_storage_free. */
hl_status hl_batch_storage_init(hl_batch_storage *storage, int64_t n_examples, int64_t n_rows, int64_t max_length);

/* The bytes of its block; SIZE_MAX where a size is out of range. */
size_t hl_batch_storage_bytes(int64_t n_examples, int64_t n_rows);

/* Takes memory for types of rows, too; none of them is 1 until hl_batch_storage_add_example says so. HL_NO_MEMORY. */
hl_status hl_batch_storage_take_types(hl_batch_storage *storage);

void hl_batch_storage_free(hl_batch_storage *storage);

/* Empties the batch. */
void hl_batch_storage_clear(hl_batch_storage *storage);

/* Adds an example of `length` tokens, with those of its targets that are not HL_IGNORE (an HL_UNSEEN one becomes
 * HL_IGNORE); `targets` may be NULL. HL_INVALID where it does not fit or is longer than max_length; the batch is then
 * unchanged. */
hl_status hl_batch_storage_add(hl_batch_storage *storage, const int32_t *tokens, const int32_t *targets,
                               int64_t length);

/* Adds example e with its targets and, where the storage has memory for them, its types. HL_INVALID as above. */
hl_status hl_batch_storage_add_example(hl_batch_storage *storage, const hl_examples *examples, int64_t e);

/* Makes the batch of the examples first ... first + count - 1. HL_INVALID as above. */
hl_status hl_batch_pack(hl_batch_storage *storage, const hl_examples *examples, int64_t first, int64_t count);

/* Memory for all of the examples, and for their types where they have some, and hl_batch_pack. To be freed, whatever
 * this returns. */
hl_status hl_batch_storage_of(hl_batch_storage *storage, const hl_examples *examples, int64_t max_length);

HL_END_DECLS

#endif
