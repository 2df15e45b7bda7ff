#include "core/tape_memory.h"

#include "core/base/threads.h"
#include "core/private/op_parts.h"
#include "core/private/tape_pieces.h"

#include <assert.h>
#include <string.h>

static void *fail_full(hl_tape *tape, const char *what)
{
    HL_THEN(tape->error, hl_error_memory(what));
    return NULL;
}

void *hl_tape_record_new(hl_tape *tape, size_t bytes)
{
    void *record = hl_arena_allocate(tape->arena, bytes);
    if (record == NULL) {
        return fail_full(tape, "the arena of one step is full");
    }
    tape->memory.records += hl_arena_round(bytes);
    return memset(record, 0, bytes);
}

bool hl_tape_bytes_of(hl_tape *tape, int64_t count, size_t size, size_t *bytes)
{
    if (count < 0 || __builtin_mul_overflow((size_t)count, size, bytes) || *bytes > SIZE_MAX / 4) {
        fail_full(tape, "a tensor too large for this machine's addresses");
        return false;
    }
    *bytes = hl_arena_round(*bytes);
    return true;
}

static void count_peak(hl_tape *tape)
{
    size_t bytes = tape->memory.records + tape->memory.held;
    tape->memory.peak = bytes > tape->memory.peak ? bytes : tape->memory.peak;
}

/* The slot of the next piece. */
static void *take_slot(hl_tape *tape, size_t bytes)
{
    const hl_tape_plan *plan = tape->options.memory.plan;
    int64_t k = tape->memory.n_pieces++;
    if (k >= plan->n_slots || bytes > plan->slots[k].size) {
        HL_THEN(tape->error, hl_error(HL_INVALID, "a pass that is not the planned one, or larger"));
        return NULL;
    }
    return tape->memory.numbers + plan->slots[k].begin;
}

/* Describes the next piece of a dry tape. */
static void *describe_piece(hl_tape *tape, size_t bytes, hl_tape_piece **piece)
{
    size_t records = tape->memory.records;
    hl_tape_piece *made = hl_tape_record_new(tape, sizeof *made);
    tape->memory.records = records; /* a real tape describes none */
    if (made == NULL || bytes > SIZE_MAX / 2 - tape->memory.held) {
        return fail_full(tape, "a step too large for this machine's addresses");
    }
    *made = (hl_tape_piece){
        .previous = tape->memory.pieces, .birth = tape->memory.n_pieces++, .end = INT64_MAX, .size = bytes
    };
    tape->memory.pieces = made;
    tape->memory.held += bytes;
    count_peak(tape);
    if (piece != NULL) {
        *piece = made;
    }
    return made;
}

void *hl_tape_piece_new(hl_tape *tape, size_t bytes, hl_tape_piece **piece)
{
    if (tape->options.memory.dry) {
        return describe_piece(tape, bytes, piece);
    }
    if (tape->options.memory.plan != NULL) {
        return take_slot(tape, bytes);
    }
    void *numbers = hl_arena_allocate(tape->arena, bytes);
    return numbers != NULL ? numbers : fail_full(tape, "the arena of one step is full");
}

void hl_tape_piece_end(hl_tape_piece *piece, int64_t end)
{
    if (piece != NULL && piece->end == INT64_MAX) {
        piece->end = end;
    }
}

void *hl_tape_allocate(hl_tape *tape, hl_node *node, int64_t count, size_t size)
{
    assert(node->n_pieces < HL_MAX_NODE_MEMORY);
    size_t bytes;
    hl_tape_piece **piece = &node->pieces[node->n_pieces];
    void *numbers = hl_tape_bytes_of(tape, count, size, &bytes) ? hl_tape_piece_new(tape, bytes, piece) : NULL;
    node->n_pieces += numbers != NULL && tape->options.memory.dry;
    return numbers;
}

hl_real *hl_tape_keep(hl_tape *tape, int64_t count)
{
    const hl_tape_kept *kept = tape->options.memory.kept;
    int64_t first = tape->memory.n_kept;
    tape->memory.n_kept += (count + HL_CACHE_LINE - 1) / HL_CACHE_LINE * HL_CACHE_LINE;
    return kept != NULL && kept->numbers != NULL ? kept->numbers + first : NULL;
}

bool hl_tape_has_kept(const hl_tape *tape)
{
    const hl_tape_kept *kept = tape->options.memory.kept;
    return kept != NULL && kept->numbers != NULL && kept->made;
}

size_t hl_tape_bytes(const hl_tape *tape)
{
    size_t now = tape->memory.records + tape->memory.held;
    return now > tape->memory.peak ? now : tape->memory.peak;
}
