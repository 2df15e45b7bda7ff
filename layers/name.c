#include "layers/name.h"

#include <stdarg.h>
#include <stdio.h>

hl_name hl_name_of(const char *format, ...)
{
    hl_name name;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(name.text, sizeof name.text, format, arguments);
    va_end(arguments);
    return name;
}
