#include "programs/print_line.h"

#include "core/shown_text.h"

#include <stdarg.h>

void hl_print_line(FILE *to, const char *format, ...)
{
    char text[2048], shown[2 * sizeof text];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    hl_shown_cut(shown, sizeof shown, text, length >= (int)sizeof text);
    fprintf(to, "%s\n", shown);
}

hl_status hl_print_problems(FILE *to, hl_problems *problems, hl_status status)
{
    for (int i = 0; i + 1 < problems->n; i++) {
        fprintf(to, "%s\n", problems->lines[i]);
    }
    if (status.code == HL_INVALID && problems->n > 0) {
        status = hl_error(HL_INVALID, "%s", problems->lines[problems->n - 1]);
    }
    hl_problems_free(problems);
    return status;
}
