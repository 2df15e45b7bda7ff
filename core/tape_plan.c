#include "core/tape_plan.h"

#include "core/memory.h"
#include "core/private/free_list.h"
#include "core/private/tape_memory.h"

/* On a tape without gradients a tensor is read for the last time by the last op it is an input of, and what an op saves
 * for backward by itself. An op's own pieces are asked for before its output. */
static void end_forward_only(const hl_tape *tape)
{
    for (const hl_node *node = tape->last; node != NULL; node = node->previous) { /* backwards: last readers first */
        const hl_tape_piece *output = node->pieces[node->n_pieces - 1];
        for (int i = 0; i < node->n_pieces - 1; i++) {
            hl_tape_piece_end(node->pieces[i], output->birth + 1 + (node->op->scratch != NULL));
        }
        for (int i = 0; i < node->n_inputs; i++) {
            hl_tape_piece *input = node->in[i] != NULL ? node->in[i]->piece : NULL;
            hl_tape_piece_end(input, output->birth + 1 + (node->op->scratch != NULL));
        }
    }
}

/* Gives every piece its place, in the order of their births; `ended` (n): the list of those that end at each birth. */
static void place(hl_tape_piece *const *pieces, hl_tape_piece **ended, hl_free_block *blocks, hl_tape_plan *plan)
{
    hl_free_list free = { 0 };
    const uintptr_t base = 64; /* the free list keeps 0 for nothing */
    for (int64_t k = 0; k < plan->n_slots; k++) {
        for (const hl_tape_piece *dead = ended[k]; dead != NULL; dead = dead->next_ended) {
            hl_tape_slot slot = plan->slots[dead->birth];
            hl_free_list_give(&free, &blocks[dead->birth], base + slot.begin, slot.size);
        }
        size_t size = pieces[k]->size;
        uintptr_t at = size > 0 ? hl_free_list_take(&free, size) : 0;
        plan->slots[k] = (hl_tape_slot){ at != 0 ? at - base : plan->numbers, size };
        plan->numbers += at != 0 ? 0 : size;
    }
}

static void fill(const hl_tape *tape, hl_tape_piece **pieces, hl_tape_piece **ended, hl_free_block *blocks,
                 hl_tape_plan *plan)
{
    for (hl_tape_piece *piece = tape->pieces; piece != NULL; piece = piece->previous) {
        pieces[piece->birth] = piece;
        if (piece->end < tape->n_pieces) {
            piece->next_ended = ended[piece->end];
            ended[piece->end] = piece;
        }
    }
    place(pieces, ended, blocks, plan);
    plan->bytes = tape->records + plan->numbers;
}

hl_status hl_tape_plan_make(const hl_tape *tape, hl_tape_plan *plan)
{
    *plan = (hl_tape_plan){ 0 };
    HL_TRY(tape->error);
    if (tape->options.reuse && !tape->options.gradients) {
        end_forward_only(tape);
    }
    size_t n = (size_t)tape->n_pieces;
    *plan = (hl_tape_plan){ .flops = tape->flops,
                            .reuse = tape->options.reuse,
                            .n_slots = tape->n_pieces,
                            .slots = hl_calloc(n, sizeof *plan->slots) };
    hl_tape_piece **pieces = hl_calloc(n, sizeof *pieces), **ended = hl_calloc(n, sizeof *ended);
    hl_free_block *blocks = hl_calloc(n, sizeof *blocks);
    hl_status status = hl_ok();
    if (plan->slots != NULL && pieces != NULL && ended != NULL && blocks != NULL) {
        fill(tape, pieces, ended, blocks, plan);
    } else {
        status = hl_error_memory("the plan of a pass");
        hl_tape_plan_free(plan);
    }
    hl_free(pieces);
    hl_free(ended);
    hl_free(blocks);
    return status;
}

void hl_tape_plan_free(hl_tape_plan *plan)
{
    hl_free(plan->slots);
    *plan = (hl_tape_plan){ 0 };
}
