#include "core/base/status.h"

#include "core/base/shown_text.h"

#include <stdarg.h>

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

hl_status hl_error_newer(const char *path, long long format, int newest)
{
    return hl_error(HL_BAD_FILE, "%s: format %lld, this Headlight reads up to %d; use a newer one", path, format,
                    newest);
}
