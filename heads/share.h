/* Several processes that measure one model together, each its share of the passes. */
#ifndef HL_HEADS_SHARE_H
#define HL_HEADS_SHARE_H

#include "core/base/declarations.h"
#include "core/base/status.h"

#include <stdbool.h>
#include <stdint.h>

HL_BEGIN_DECLS

/* NULL stands for a process that measures all. */
typedef struct hl_share {
    int index, count; /* 0 <= index < count: it measures what is numbered index, index + count, ... */

    /* All processes call it at once, each with how it went and n numbers, which are 0 where they are another's: they
     * become everybody's. Returns the failure of one that has one, on all of them. */
    hl_status (*join)(void *context, hl_status own, double *numbers, int64_t n);
    void *context;
} hl_share;

/* Whether it measures number i. */
bool hl_share_has(const hl_share *share, int64_t i);

/* Joins; returns `own` for NULL. */
hl_status hl_share_join(const hl_share *share, hl_status own, double *numbers, int64_t n);

HL_END_DECLS

#endif
