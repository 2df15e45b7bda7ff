#include "core/status.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

hl_status hl_ok(void)
{
    return (hl_status){ .code = HL_OK };
}

hl_status hl_error(hl_code code, const char *format, ...)
{
    hl_status status = { .code = code };
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(status.text, sizeof status.text, format, arguments);
    va_end(arguments);
    if (length >= (int)sizeof status.text) {
        memcpy(status.text + sizeof status.text - 4, "...", 4);
    }
    for (char *c = status.text; *c != '\0'; c++) {
        if ((unsigned char)*c < ' ' || *c == 127) {
            *c = '?'; /* names from files may hold anything; the text stays one line */
        }
    }
    return status;
}

hl_status hl_error_memory(const char *what)
{
    return hl_error(HL_NO_MEMORY, "out of memory: %s", what);
}
