#include "train/problems.h"

#include "core/base/memory.h"
#include "core/base/text.h"

#include <stdarg.h>

void hl_problems_add(hl_problems *problems, const char *format, ...)
{
    if (problems->n == HL_MAX_PROBLEMS) {
        return;
    }
    hl_text raw = { 0 }, line = { 0 };
    va_list arguments;
    va_start(arguments, format);
    hl_text_vprint(&raw, format, arguments);
    va_end(arguments);
    hl_text_fail(&line, raw.error);
    bool last = problems->n == HL_MAX_PROBLEMS - 1;
    hl_text_shown(&line, last || raw.bytes == NULL ? "further problems are not listed" : raw.bytes);
    hl_text_free(&raw);
    problems->no_memory = problems->no_memory || line.error.code != HL_OK;
    if (line.error.code == HL_OK) {
        problems->lines[problems->n++] = line.bytes;
    }
}

void hl_problems_free(hl_problems *problems)
{
    for (int i = 0; i < problems->n; i++) {
        hl_free(problems->lines[i]);
    }
    *problems = (hl_problems){ 0 };
}
