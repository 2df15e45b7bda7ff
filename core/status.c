#include "core/status.h"

#include "core/shown_text.h"

#include <stdarg.h>
#include <stdio.h>

hl_status hl_ok(void)
{
    return (hl_status){ .code = HL_OK };
}

hl_status hl_error(hl_code code, const char *format, ...)
{
    hl_status status = { .code = code };
    va_list arguments;
    va_start(arguments, format);
    hl_shown_print(status.text, sizeof status.text, format, arguments);
    va_end(arguments);
    return status;
}

hl_status hl_error_memory(const char *what)
{
    return hl_error(HL_NO_MEMORY, "out of memory: %s", what);
}
