/* What is wrong with a config, with its place. */
#include "train/config/reader.h"
#include "train/ini.h"

#include <stdarg.h>
#include <stdio.h>

void hl_config_complain(hl_config_reader *reader, int line, const char *format, ...)
{
    char text[HL_INI_MAX_LINE + 2048]; /* it quotes at most one line */
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (line == HL_CONFIG_COMMAND_LINE) {
        hl_problems_add(reader->problems, "command line: %s", text);
    } else if (line == HL_CONFIG_NOWHERE) {
        hl_problems_add(reader->problems, "%s: %s", reader->path, text);
    } else if (line == HL_CONFIG_SHAPE) {
        hl_problems_add(reader->problems, "%s: %s", reader->shape->path, text);
    } else {
        hl_problems_add(reader->problems, "%s:%d: %s", reader->path, line, text);
    }
}
