/* Several processes that measure one model together; each runs its share of the passes. */
#pragma once

#include "core/base/declarations.h"
#include "core/base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

HL_BEGIN_DECLS

/* NULL stands for one process that measures everything. */
typedef struct hl_share {
    int index, count; /* 0 <= index < count: the process measures the items numbered index, index + count, ... */

    /* All processes call it at the same time. Each passes its own status and n numbers, which are 0 if another
     * process measures them. Afterwards every process has all numbers. If a process failed, its failure is returned on
     * all of them. */
    hl_status (*join)(void *context, hl_status own, double *numbers, int64_t n);
    void *context;
} hl_share;

/* Whether this process measures number i. */
static inline bool hl_share_has(const hl_share *share, int64_t i)
{
    return share == NULL || i % share->count == share->index;
}

/* Joins; returns `own` for NULL. */
static inline hl_status hl_share_join(const hl_share *share, hl_status own, double *numbers, int64_t n)
{
    return share == NULL ? own : share->join(share->context, own, numbers, n);
}

HL_END_DECLS
