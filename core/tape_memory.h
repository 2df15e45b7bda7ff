/* Where the numbers of a pass lie.
 *
 * A forward pass computes one tensor after another. Backward then walks through the same ops in reverse and reads many
 * of these tensors again. So each tensor needs memory from the op that computes it to the last op that reads it. All
 * memory of a pass comes from one arena. hl_tape_memory says how the arena is used; there are three ways:
 *
 * In a row (a zeroed hl_tape_memory): each tensor takes the next bytes of the arena, and all of them stay until the
 * caller rewinds it. This is the simplest way, and it needs the most memory.
 *
 * Dry: the ops check their shapes and request memory, but nothing is computed and no number is stored. A piece is the
 * memory of one request: for an output, a gradient, what forward saves, or scratch. The tape notes the size of each
 * piece, the order of the requests, and when the last reader of each piece is done. Records are real on every tape:
 * nodes, tensors and attributes, which describe the pass. A step of training allocates no memory, because a dry pass
 * has found out how much it needs.
 *
 * With a plan: hl_tape_plan_make turns a dry pass into a plan, which gives each piece a slot: its bytes in the arena.
 * Pieces that are never needed at the same time may share memory.
 *
 *     hl_tape_begin(&tape, &records, (hl_tape_options){ ..., .memory = { .dry = true, .reuse = true } });
 *     ... the pass, and its backward ...
 *     HL_TRY(hl_tape_plan_make(&tape, &plan));          // plan.bytes: for hl_arena_init
 *     hl_tape_begin(&tape, &arena, (hl_tape_options){ ..., .memory = { .plan = &plan } });
 *     ... the same pass, for real ...
 *
 * Passes of one model request their pieces in the same order, whatever the sizes of their batches: the k-th piece lies
 * in slot k. So the plan of the largest batch also serves every smaller one. */
#pragma once

#include "core/base/declarations.h"
#include "core/base/real.h"
#include "core/base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

HL_BEGIN_DECLS

typedef struct hl_tape hl_tape;                 /* tape.h */
typedef struct hl_tape_options hl_tape_options; /* tape.h */
typedef struct hl_tape_piece hl_tape_piece;     /* private/tape_pieces.h */

typedef struct hl_tape_slot {
    size_t begin, size; /* bytes; `begin` counts from hl_tape_use.numbers on */
} hl_tape_slot;

/* A zeroed plan is empty. */
typedef struct hl_tape_plan {
    size_t bytes;   /* arena bytes that the pass needs, for records and numbers */
    size_t numbers; /* the bytes for numbers alone */
    size_t sums;    /* bytes of scratch for backward on hl_tape_memory.leaves passes at once */
    size_t kept;    /* bytes for hl_tape_kept.numbers */
    double flops;   /* operations in its matrix products */
    bool reuse;     /* as the dry tape had it */
    int64_t n_slots;
    hl_tape_slot *slots; /* owned */
} hl_tape_plan;

/* Numbers that ops compute from parameters alone, such as a packed weight. The first pass stores them here, and later
 * passes with the same weights read them. The first pass must run alone; once `made` is set, passes may run in
 * parallel. */
typedef struct hl_tape_kept {
    hl_real *numbers; /* hl_tape_plan.kept bytes, not owned; NULL: nothing is kept */
    bool made;        /* set by the caller after the first pass */
} hl_tape_kept;

/* What the user of a tape chooses. `plan` and `kept` are not owned and must outlive the tape. */
typedef struct hl_tape_memory {
    bool dry;     /* count memory and arithmetic instead of computing */
    bool reuse;   /* dry: memory that is no longer read is reused for later pieces. After such a pass, only the last
                     outputs are left, or the loss and the gradients of parameters and of hl_tape_tensor's tensors */
    bool prepare; /* dry: ops generate the machine code (small_matmul.h) for passes of any smaller size */
    int leaves;   /* dry: how many such passes backward may run on at once (private/tape_leaves.h); 0 counts as 1 */
    const hl_tape_plan *plan; /* not dry: made by a dry tape with the same options; NULL: in a row */
    const hl_tape_kept *kept; /* or NULL */
} hl_tape_memory;

/* What a tape has requested so far. Only the tape uses this; only dry tapes need the fields from `held` on. */
typedef struct hl_tape_use {
    int64_t n_pieces;      /* pieces so far: piece k lies in slot k */
    int64_t n_kept;        /* numbers so far in hl_tape_kept */
    char *numbers;         /* with a plan: the memory in which its slots lie */
    size_t held;           /* bytes of numbers that are allocated now, counted as on a tape in a row */
    size_t records;        /* bytes of the records so far */
    size_t peak;           /* the largest sum of both so far, bytes */
    hl_tape_piece *pieces; /* all pieces, linked backwards */
} hl_tape_use;

/* The most arena bytes that the pass of a dry tape will use when it runs for real and in a row. Backward is included if
 * it was called on the dry tape. */
size_t hl_tape_bytes(const hl_tape *tape);

/* Plans the pass that was recorded on a dry tape, including backward if it was called. With hl_tape_memory.reuse,
 * numbers that are no longer read give their memory to later ones: numbers that backward has passed, or, on a tape
 * without gradients, a tensor after its last reader. HL_NO_MEMORY, or the tape's sticky error; *plan is then empty.
 * After success, free the plan with hl_tape_plan_free. */
hl_status hl_tape_plan_make(const hl_tape *tape, hl_tape_plan *plan);

/* Records a pass on a tape, and its backward if wanted. Returns the tape's error, or an error of the caller. */
typedef hl_status hl_tape_pass(hl_tape *tape, void *context);

/* Plans a pass by running it on a dry tape with these options. `records`: the bytes of a temporary arena for the pass's
 * nodes, tensors and attributes, and for a dry tape's descriptions of its pieces; hl_model_record_bytes returns enough
 * for a model. HL_NO_MEMORY, or what `pass` returns; *plan is then empty. After success, free it as above. */
hl_status hl_tape_plan_pass(size_t records, hl_tape_options options, hl_tape_pass *pass, void *context,
                            hl_tape_plan *plan);

/* A zeroed or already freed plan is allowed. */
void hl_tape_plan_free(hl_tape_plan *plan);

HL_END_DECLS
