#include "core/base/memory.h"
#include "core/private/tape_leaves.h"
#include "core/private/tape_pieces.h"
#include "core/tape_memory.h"

#include <stdlib.h>

/* On a tape without gradients, the last op that has a tensor as its input is the tensor's last reader. Only the op
 * itself reads what its infer allocates. An op requests these pieces first, then its output, then its scratch memory.
 * So from the first request after the op on, other pieces may use the memory that only this op still read. */
static void end_forward_only(const hl_tape *tape)
{
    for (const hl_node *node = tape->last; node != NULL; node = node->previous) { /* backwards: last readers first */
        const hl_tape_piece *output = node->pieces[node->n_pieces - 1];
        int64_t next_request = output->birth + 1 + (node->op->scratch != NULL);
        for (int i = 0; i < node->n_pieces - 1; i++) {
            hl_tape_piece_end(node->pieces[i], next_request);
        }
        for (int i = 0; i < node->n_inputs; i++) {
            hl_tape_piece_end(node->in[i] != NULL ? node->in[i]->piece : NULL, next_request);
        }
    }
}

static int by_size(const void *a, const void *b)
{
    const hl_tape_piece *const *x = a, *const *y = b;
    return (*x)->size != (*y)->size ? ((*x)->size < (*y)->size ? 1 : -1) : ((*x)->birth < (*y)->birth ? -1 : 1);
}

/* Puts a piece at the lowest address that is free for as long as the piece is needed. `placed`: the other pieces so
 * far, by address. */
static void place(hl_tape_piece *piece, hl_tape_piece **placed, hl_tape_plan *plan)
{
    size_t begin = 0;
    for (const hl_tape_piece *other = *placed; other != NULL; other = other->next_placed) {
        hl_tape_slot slot = plan->slots[other->birth];
        bool together = other->birth < piece->end && piece->birth < other->end;
        if (together && slot.begin < begin + piece->size && begin < slot.begin + slot.size) {
            begin = slot.begin + slot.size;
        }
    }
    while (*placed != NULL && plan->slots[(*placed)->birth].begin < begin) {
        placed = &(*placed)->next_placed;
    }
    piece->next_placed = *placed;
    *placed = piece;
    plan->slots[piece->birth] = (hl_tape_slot){ begin, piece->size };
    plan->numbers = begin + piece->size > plan->numbers ? begin + piece->size : plan->numbers;
}

/* The largest pieces come first, because smaller ones fit between them. So the plan needs hardly more memory than the
 * pass does at its worst moment. */
static void fill(const hl_tape *tape, hl_tape_piece **pieces, hl_tape_plan *plan)
{
    hl_tape_piece *placed = NULL;
    for (hl_tape_piece *piece = tape->memory.pieces; piece != NULL; piece = piece->previous) {
        pieces[piece->birth] = piece;
    }
    qsort(pieces, (size_t)plan->n_slots, sizeof *pieces, by_size);
    for (int64_t i = 0; i < plan->n_slots; i++) {
        place(pieces[i], &placed, plan);
    }
    plan->bytes = tape->memory.records + plan->numbers;
}

static size_t sums_of(const hl_tape *tape)
{
    const hl_tape_options *o = &tape->options;
    int leaves = o->memory.leaves;
    return leaves > 1 ? (size_t)hl_tape_leaves_scratch(tape, o->threads, leaves) * sizeof(hl_real) : 0;
}

hl_status hl_tape_plan_make(const hl_tape *tape, hl_tape_plan *plan)
{
    *plan = (hl_tape_plan){ 0 };
    HL_TRY(tape->error);
    if (tape->options.memory.leaves > 1 && hl_tape_leaves_share(tape)) {
        return hl_error(HL_INVALID,
                        "passes that walk back together: an op has a parameter twice, or two have the same");
    }
    if (tape->options.memory.reuse && !tape->options.gradients) {
        end_forward_only(tape);
    }
    size_t n = (size_t)tape->memory.n_pieces;
    *plan = (hl_tape_plan){ .sums = sums_of(tape),
                            .kept = (size_t)tape->memory.n_kept * sizeof(hl_real),
                            .flops = tape->flops,
                            .reuse = tape->options.memory.reuse,
                            .n_slots = tape->memory.n_pieces,
                            .slots = hl_calloc(n, sizeof *plan->slots) };
    hl_tape_piece **pieces = hl_calloc(n, sizeof *pieces);
    hl_status status = hl_ok();
    if (plan->slots != NULL && pieces != NULL) {
        fill(tape, pieces, plan);
    } else {
        status = hl_error_memory("the plan of a pass");
        hl_tape_plan_free(plan);
    }
    hl_free(pieces);
    return status;
}

hl_status hl_tape_plan_pass(size_t records, hl_tape_options options, hl_tape_pass *pass, void *context,
                            hl_tape_plan *plan)
{
    *plan = (hl_tape_plan){ 0 };
    hl_arena arena;
    HL_TRY(hl_arena_init(&arena, records));
    options.memory.dry = true;
    hl_tape tape;
    hl_tape_begin(&tape, &arena, options);
    hl_status status = pass(&tape, context);
    HL_THEN(status, hl_tape_plan_make(&tape, plan));
    hl_arena_free(&arena);
    return status;
}

void hl_tape_plan_free(hl_tape_plan *plan)
{
    hl_free(plan->slots);
    *plan = (hl_tape_plan){ 0 };
}
