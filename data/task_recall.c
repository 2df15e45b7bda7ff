#include "data/private/task_parts.h"

#include <inttypes.h>
#include <stdbool.h>

/* key value key value ... <sep> query query ...: each query is one of the keys, and the answer is that key's value. No
 * key and no query occurs twice; values may repeat. */

/* The first half of the symbols are keys, the others are values, so that a token shows which of the two it is. */
static int64_t n_keys(const hl_task_spec *spec)
{
    return spec->symbols / 2;
}

static int64_t n_values(const hl_task_spec *spec)
{
    return spec->symbols - n_keys(spec);
}

static hl_status check(const hl_task_spec *spec)
{
    HL_TRY(hl_task_check_range("symbols", spec->symbols, 2, HL_TASK_MAX_SYMBOLS));
    HL_TRY(hl_task_check_range("pairs", spec->pairs, 1, HL_TASK_MAX_SIZE));
    if (spec->pairs > n_keys(spec)) {
        return hl_error(HL_INVALID,
                        "task.pairs = %" PRId64 ": task.symbols = %" PRId64 " gives only %" PRId64
                        " different keys (half of them); raise task.symbols to %" PRId64 " or lower task.pairs",
                        spec->pairs, spec->symbols, n_keys(spec), 2 * spec->pairs);
    }
    if (spec->queries < 1 || spec->queries > spec->pairs) {
        return hl_error(HL_INVALID, "task.queries = %" PRId64 ": must be from 1 to task.pairs = %" PRId64,
                        spec->queries, spec->pairs);
    }
    return hl_ok();
}

static int64_t n_tokens(const hl_task_spec *spec, int64_t pairs)
{
    return 2 * pairs + 1 + spec->queries;
}

static void words(const hl_task_spec *spec, hl_text *text)
{
    hl_task_add_letters(n_keys(spec), text);
    for (int64_t i = 0; i < n_values(spec); i++) {
        hl_text_print(text, "%" PRId64 "\n", i);
    }
}

static bool contains(const int32_t *numbers, int64_t count, int64_t stride, int32_t number)
{
    for (int64_t i = 0; i < count; i++) {
        if (numbers[i * stride] == number) {
            return true;
        }
    }
    return false;
}

/* Writes `count` different numbers below `bound` to numbers[0], numbers[stride], .... Every ordered choice is equally
 * likely: Floyd's sampling, which needs no memory, is followed by a shuffle. */
static void draw_different(hl_draw *draw, int64_t bound, int64_t count, int64_t stride, int32_t *numbers)
{
    for (int64_t i = 0; i < count; i++) {
        int32_t newest = (int32_t)(bound - count + i);
        int32_t number = hl_draw_below(draw, newest + 1);
        numbers[i * stride] = contains(numbers, i, stride, number) ? newest : number;
    }
    for (int64_t i = count - 1; i > 0; i--) {
        int64_t other = hl_draw_below(draw, i + 1);
        int32_t number = numbers[i * stride];
        numbers[i * stride] = numbers[other * stride];
        numbers[other * stride] = number;
    }
}

static void make(const hl_task_spec *spec, int64_t pairs, hl_draw *draw, hl_example example)
{
    int32_t first_value = (int32_t)(HL_SPECIAL_TOKENS + n_keys(spec));
    draw_different(draw, n_keys(spec), pairs, 2, example.tokens);
    for (int64_t i = 0; i < pairs; i++) {
        example.tokens[2 * i] += HL_SPECIAL_TOKENS;
        example.tokens[2 * i + 1] = first_value + hl_draw_below(draw, n_values(spec));
    }
    int64_t queries = 2 * pairs + 1;
    example.tokens[2 * pairs] = HL_SEPARATOR;
    draw_different(draw, pairs, spec->queries, 1, example.sources + queries);
    for (int64_t i = queries; i < queries + spec->queries; i++) {
        int32_t key = 2 * example.sources[i];
        example.tokens[i] = example.tokens[key];
        example.targets[i] = example.tokens[key + 1];
        example.sources[i] = key + 1;
    }
}

const hl_task hl_task_recall = {
    .name = "recall",
    .summary = "read key-value pairs, then answer each queried key with its value",
    .keys = { "symbols", "pairs", "queries" },
    .is_of_pairs = true,
    .check = check,
    .n_tokens = n_tokens,
    .words = words,
    .make = make,
};
