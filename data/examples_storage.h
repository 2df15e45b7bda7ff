/* Memory for padded examples (core/examples.h). */
#pragma once

#include "core/base/declarations.h"
#include "core/base/status.h"
#include "core/examples.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

HL_BEGIN_DECLS

/* Allocates the arrays of *batch as one zeroed block, for n_examples of n_tokens each (both at least 1) and n_relations
 * (at least 0). The arrays can also hold any smaller batch: set n_examples and n_tokens. HL_INVALID (a size out of
 * range), HL_NO_MEMORY; *batch is then unchanged. After success the caller owns it: hl_examples_free. */
hl_status hl_examples_allocate(int64_t n_examples, int64_t n_tokens, int64_t n_relations, hl_examples *batch);

/* The same for examples of text, which have `words`, `types` if asked for, and no relations. */
hl_status hl_examples_allocate_text(int64_t n_examples, int64_t n_tokens, bool types, hl_examples *batch);

/* The bytes of that block; SIZE_MAX if a size is out of range. Words and types count like relations. */
size_t hl_examples_bytes(int64_t n_examples, int64_t n_tokens, int64_t n_relations);

/* Frees the memory from hl_examples_allocate and zeroes *batch. A zeroed batch is allowed. */
void hl_examples_free(hl_examples *batch);

HL_END_DECLS
