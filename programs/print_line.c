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
