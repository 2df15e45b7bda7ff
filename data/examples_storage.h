/* Memory for a batch. */
#ifndef HL_DATA_EXAMPLES_STORAGE_H
#define HL_DATA_EXAMPLES_STORAGE_H

#include "core/base/declarations.h"
#include "core/base/status.h"
#include "core/examples.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

HL_BEGIN_DECLS

/* Allocates the arrays of *batch for n_examples of n_tokens each, both at least 1, and n_relations, at least 0, as one
 * zeroed block. They also hold any smaller batch: set n_examples and n_tokens. HL_INVALID (a size out of range),
 * HL_NO_MEMORY; *batch is then unchanged. On success owned by the caller: hl_examples_free. */
hl_status hl_examples_allocate(int64_t n_examples, int64_t n_tokens, int64_t n_relations, hl_examples *batch);

/* The same for examples of text, which have `words`, perhaps `types`, and no relations. */
hl_status hl_examples_allocate_text(int64_t n_examples, int64_t n_tokens, bool types, hl_examples *batch);

/* The bytes of that block; SIZE_MAX where a size is out of range. Words and types count as relations do. */
size_t hl_examples_bytes(int64_t n_examples, int64_t n_tokens, int64_t n_relations);

/* Frees what hl_examples_allocate gave and zeroes *batch; a zeroed one is allowed. */
void hl_examples_free(hl_examples *batch);

HL_END_DECLS

#endif
