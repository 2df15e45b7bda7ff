#include "train/problems.h"

#include "core/memory.h"
#include "core/shown_text.h"

#include <stdarg.h>
#include <stdio.h>

__attribute__((format(printf, 1, 0))) static char *formatted(const char *format, va_list arguments)
{
    va_list again;
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, arguments);
    char *line = length < 0 ? NULL : hl_malloc((size_t)length + 1);
    if (line != NULL) {
        vsnprintf(line, (size_t)length + 1, format, again);
    }
    va_end(again);
    return line;
}

/* Replaces the line by the text that is shown for it. */
static char *shown(char *line)
{
    size_t size = line != NULL ? hl_shown_text(NULL, 0, line) + 1 : 0;
    char *text = line != NULL ? hl_malloc(size) : NULL;
    if (text != NULL) {
        hl_shown_text(text, size, line);
    }
    hl_free(line);
    return text;
}

void hl_problems_add(hl_problems *problems, const char *format, ...)
{
    if (problems->n == HL_MAX_PROBLEMS) {
        return;
    }
    char *line;
    if (problems->n == HL_MAX_PROBLEMS - 1) {
        line = hl_strdup("further problems are not listed");
    } else {
        va_list arguments;
        va_start(arguments, format);
        line = shown(formatted(format, arguments));
        va_end(arguments);
    }
    if (line == NULL) {
        problems->no_memory = true;
        return;
    }
    problems->lines[problems->n++] = line;
}

void hl_problems_free(hl_problems *problems)
{
    for (int i = 0; i < problems->n; i++) {
        hl_free(problems->lines[i]);
    }
    *problems = (hl_problems){ 0 };
}
