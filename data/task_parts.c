#include "data/private/task_parts.h"

#include "core/base/memory.h"

#include <inttypes.h>
#include <stdio.h>

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

enum { LETTERS = 26, LINE = 16 /* enough bytes for the line of any token */ };

static size_t print_tokens(int64_t letters, int64_t numbers, char *text, size_t size)
{
    size_t used = (size_t)snprintf(text, size, "<pad>\n<sep>\n<mask>\n");
    for (int64_t i = 0; i < letters; i++) {
        if (letters <= LETTERS) {
            used += (size_t)snprintf(text + used, size - used, "%c\n", (char)('a' + i));
        } else {
            used += (size_t)snprintf(text + used, size - used, "s%" PRId64 "\n", i);
        }
    }
    for (int64_t i = 0; i < numbers; i++) {
        used += (size_t)snprintf(text + used, size - used, "%" PRId64 "\n", i);
    }
    return used;
}

hl_status hl_task_name_tokens(int64_t letters, int64_t numbers, hl_vocabulary **out)
{
    size_t size = (size_t)(HL_SPECIAL_TOKENS + letters + numbers) * LINE;
    char *text = hl_malloc(size);
    HL_NEED(text != NULL, "vocabulary");
    size_t used = print_tokens(letters, numbers, text, size);
    hl_status status = hl_vocabulary_parse("vocabulary", text, used, out);
    hl_free(text);
    return status;
}

hl_status hl_sequence_check(const hl_task_spec *spec)
{
    HL_TRY(hl_task_check_range("symbols", spec->symbols, 2, HL_TASK_MAX_SYMBOLS));
    return hl_task_check_lengths(spec, 1);
}

hl_task_sizes hl_sequence_sizes(const hl_task_spec *spec)
{
    return (hl_task_sizes){ spec->min_length, spec->length };
}

hl_status hl_sequence_vocabulary(const hl_task_spec *spec, hl_vocabulary **out)
{
    return hl_task_name_tokens(spec->symbols, 0, out);
}

void hl_sequence_draw(const hl_task_spec *spec, int64_t n, hl_draw *draw, int32_t *tokens)
{
    hl_draw_each_below(draw, spec->symbols, n, tokens);
    for (int64_t i = 0; i < n; i++) {
        tokens[i] += HL_SPECIAL_TOKENS;
    }
}

int64_t hl_task_n_tokens(const hl_task_spec *spec, int64_t n)
{
    (void)spec;
    return n;
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
    for (int64_t i = 0; i < 2 * n + 1; i++) {
        example.targets[i] = HL_IGNORE;
        example.sources[i] = HL_IGNORE;
    }
}

void hl_slots_answer(int64_t n, int64_t slot, int64_t source, hl_example example)
{
    example.targets[n + 1 + slot] = example.tokens[source];
    example.sources[n + 1 + slot] = (int32_t)source;
}
