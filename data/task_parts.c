#include "data/private/task_parts.h"

#include <inttypes.h>

hl_status hl_task_check_range(const char *key, int64_t value, int64_t low, int64_t high)
{
    if (value >= low && value <= high) {
        return hl_ok();
    }
    return hl_error(HL_INVALID, "task.%s = %" PRId64 ": must be from %" PRId64 " to %" PRId64, key, value, low, high);
}

hl_status hl_task_check_lengths(const hl_task_spec *spec, int64_t shortest)
{
    HL_TRY(hl_task_check_range("length", spec->length, shortest, HL_TASK_MAX_SIZE));
    if (spec->min_length < shortest || spec->min_length > spec->length) {
        return hl_error(HL_INVALID, "task.min_length = %" PRId64 ": must be from %" PRId64 " to task.length = %" PRId64,
                        spec->min_length, shortest, spec->length);
    }
    return hl_ok();
}

void hl_task_add_letters(int64_t n, hl_text *text)
{
    enum { LETTERS = 26 };
    for (int64_t i = 0; i < n; i++) {
        if (n <= LETTERS) {
            hl_text_print(text, "%c\n", (char)('a' + i));
        } else {
            hl_text_print(text, "s%" PRId64 "\n", i);
        }
    }
}

void hl_task_add_words(const char *const *words, int n, hl_text *text)
{
    for (int i = 0; i < n; i++) {
        hl_text_print(text, "%s\n", words[i]);
    }
}

hl_status hl_sequence_check(const hl_task_spec *spec)
{
    HL_TRY(hl_task_check_range("symbols", spec->symbols, 2, HL_TASK_MAX_SYMBOLS));
    return hl_task_check_lengths(spec, 1);
}

void hl_sequence_draw(const hl_task_spec *spec, int64_t n, hl_draw *draw, int32_t *tokens)
{
    hl_draw_each_below(draw, spec->symbols, n, tokens);
    for (int64_t i = 0; i < n; i++) {
        tokens[i] += HL_SPECIAL_TOKENS;
    }
}

int64_t hl_slots_n_tokens(const hl_task_spec *spec, int64_t n)
{
    (void)spec;
    return 2 * n + 1;
}

void hl_slots_draw(const hl_task_spec *spec, int64_t n, hl_draw *draw, hl_example example)
{
    hl_sequence_draw(spec, n, draw, example.tokens);
    example.tokens[n] = HL_SEPARATOR;
    for (int64_t i = n + 1; i < 2 * n + 1; i++) {
        example.tokens[i] = HL_MASK;
    }
}

void hl_slots_answer(int64_t n, int64_t slot, int64_t source, hl_example example)
{
    example.targets[n + 1 + slot] = example.tokens[source];
    example.sources[n + 1 + slot] = (int32_t)source;
}
