/* Where the numbers of a pass lie in its arena, found once by a dry pass of the largest sizes.
 *
 *     hl_tape_begin(&tape, &records, (hl_tape_options){ ..., .reuse = true, .dry = true });
 *     ... the pass ...
 *     HL_TRY(hl_tape_plan_make(&tape, &plan));          // plan.bytes: for hl_arena_init
 *     hl_tape_begin(&tape, &arena, (hl_tape_options){ ..., .plan = &plan });
 *
 * A pass asks for memory in the same order whatever its sizes: its k-th piece lies in slot k, which is large enough for
 * the largest. Slots share memory where none is needed while the other is. So passes of all sizes up to the planned
 * ones run out of one arena, however their sizes vary. */
#ifndef HL_CORE_TAPE_PLAN_H
#define HL_CORE_TAPE_PLAN_H

#include "core/declarations.h"
#include "core/real.h"
#include "core/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

HL_BEGIN_DECLS

typedef struct hl_tape hl_tape; /* tape.h */

/* Bytes, from the beginning of the numbers on. */
typedef struct hl_tape_slot {
    size_t begin, size;
} hl_tape_slot;

/* What ops make of parameters alone, such as a transposed weight, for several passes with the same weights: the first
 * one fills it, the others find it. One pass at a time until `made`, then any number at once. */
typedef struct hl_tape_kept {
    hl_real *numbers; /* hl_tape_plan.kept bytes; not owned */
    bool made;        /* set by the caller after the first pass */
} hl_tape_kept;

/* A zeroed one is empty. */
typedef struct hl_tape_plan {
    size_t bytes;   /* of arena that the pass needs: its records and numbers */
    size_t numbers; /* of these, its numbers */
    size_t sums;    /* with hl_tape_options.leaves: of scratch memory for their way back (tape_leaves.h) */
    size_t kept;    /* of what it makes of parameters alone (hl_tape_kept) */
    double flops;   /* of its matrix products */
    bool reuse;     /* the option of the dry tape */
    int64_t n_slots;
    hl_tape_slot *slots; /* owned */
} hl_tape_plan;

/* Plans the pass that was recorded on a dry tape, with backward where that was called. With hl_tape_options.reuse, what
 * nothing reads any more gives its memory to what comes later: numbers that backward has passed, or, on a tape without
 * gradients, a tensor after the last op that reads it. HL_NO_MEMORY, or the tape's sticky error; *plan is then empty.
 * On success ended by hl_tape_plan_free. */
hl_status hl_tape_plan_make(const hl_tape *tape, hl_tape_plan *plan);

/* A zeroed or already freed plan is allowed. */
void hl_tape_plan_free(hl_tape_plan *plan);

HL_END_DECLS

#endif
