#include "core/base/private/block.h"

#include "core/base/memory.h"

#include <assert.h>

void *hl_block_take(hl_block *block, int64_t count, size_t size)
{
    if (block->bytes == SIZE_MAX) { /* stays so */
        return NULL;
    }
    assert(size > 0);
    size_t unit = size & -size; /* the largest power of two that divides the size */
    size_t first = hl_size_sum(block->bytes, unit - 1) / unit * unit;
    block->bytes = hl_size_sum(first, hl_size_product((size_t)count, size));
    return block->memory != NULL ? block->memory + first : NULL;
}

size_t hl_block_bytes(hl_block_layout *layout, void *context)
{
    hl_block counted = { 0 };
    layout(context, &counted);
    return counted.bytes;
}

hl_status hl_block_make(void **memory, hl_block_layout *layout, void *context, const char *what)
{
    size_t bytes = hl_block_bytes(layout, context);
    hl_block block = { .memory = bytes < SIZE_MAX ? hl_calloc(bytes, 1) : NULL };
    *memory = block.memory;
    HL_NEED(block.memory != NULL, what);
    layout(context, &block);
    return hl_ok();
}
