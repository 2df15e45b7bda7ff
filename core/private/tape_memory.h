/* How a tape allocates memory and runs an op; for tape.c and tape_backward.c alone. */
#ifndef HL_CORE_PRIVATE_TAPE_MEMORY_H
#define HL_CORE_PRIVATE_TAPE_MEMORY_H

#include "core/declarations.h"
#include "core/op.h"

HL_BEGIN_DECLS

/* The bytes of `count` elements, rounded as the arena does. False with a sticky error where no machine has so many. */
bool hl_tape_bytes_of(hl_tape *tape, int64_t count, size_t size, size_t *bytes);

/* Memory that backward has given back, or else new memory at the arena's end; on a dry tape only an address. NULL with
 * a sticky error when the arena is full. */
void *hl_tape_reuse(hl_tape *tape, size_t bytes);

/* Runs the op's backward, or its forward where `din` is NULL, and frees its scratch memory; a dry tape only counts
 * memory and arithmetic. False with a sticky error when the arena is full. */
bool hl_tape_run(hl_tape *tape, hl_node *node, const hl_grad *din);

HL_END_DECLS

#endif
