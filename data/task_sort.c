#include "data/private/task_parts.h"

enum { DIGIT_BITS = 8, DIGITS = 1 << DIGIT_BITS, PASSES = 3 /* an odd number */ };
_Static_assert(HL_SPECIAL_TOKENS + HL_TASK_MAX_SYMBOLS <= 1 << (PASSES * DIGIT_BITS), "a token has PASSES digits");

/* Counting sort: `to` receives the positions of `from`, ordered by one digit of their tokens. Equal ones keep their
 * order. */
static void sort_by_digit(int64_t n, const int32_t *tokens, int shift, const int32_t *from, int32_t *to)
{
    int64_t starts[DIGITS + 1] = { 0 };
    for (int64_t i = 0; i < n; i++) {
        starts[(tokens[i] >> shift) % DIGITS + 1]++;
    }
    for (int digit = 0; digit < DIGITS; digit++) {
        starts[digit + 1] += starts[digit];
    }
    for (int64_t i = 0; i < n; i++) {
        to[starts[(tokens[from[i]] >> shift) % DIGITS]++] = from[i];
    }
}

/* Sorts the positions 0 .. n - 1 by their tokens, and equal ones by position. Both arrays have n entries. */
static void sort_positions(int64_t n, const int32_t *tokens, int32_t *positions, int32_t *scratch)
{
    int32_t *from = scratch, *to = positions;
    for (int32_t i = 0; i < n; i++) {
        from[i] = i;
    }
    for (int pass = 0; pass < PASSES; pass++) {
        sort_by_digit(n, tokens, pass * DIGIT_BITS, from, to);
        int32_t *sorted = to;
        to = from;
        from = sorted;
    }
}

static void make(const hl_task_spec *spec, int64_t n, hl_draw *draw, hl_example example)
{
    hl_slots_draw(spec, n, draw, example);
    const int32_t *sorted = example.sources + n + 1;
    sort_positions(n, example.tokens, example.sources + n + 1, example.targets + n + 1);
    for (int64_t i = 0; i < n; i++) {
        hl_slots_answer(n, i, sorted[i], example);
    }
}

const hl_task hl_task_sort = {
    .name = "sort",
    .summary = "read x_1 .. x_n, then write it out in the order of the alphabet; equal symbols keep their order",
    .keys = { "length", "min_length", "symbols" },
    .n_tokens = hl_slots_n_tokens,
    .make = make,
};
