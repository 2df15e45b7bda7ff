/* What is wrong with a config, with its place. */
#include "train/config/reader.h"
#include "train/ini.h"

#include <stdarg.h>
#include <stdio.h>

hl_config_given *hl_config_given_at(hl_config_reader *reader, size_t key)
{
    return &reader->given[hl_config_key_at(key) - hl_config_keys];
}

__attribute__((format(printf, 3, 0))) static void complain(hl_config_reader *reader, int line, const char *format,
                                                           va_list arguments)
{
    char text[HL_INI_MAX_LINE + 2048]; /* it quotes at most one line */
    vsnprintf(text, sizeof text, format, arguments);
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

void hl_config_complain(hl_config_reader *reader, int line, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    complain(reader, line, format, arguments);
    va_end(arguments);
}

void hl_config_complain_of(hl_config_reader *reader, size_t key, size_t with, const char *format, ...)
{
    const hl_config_given *first = hl_config_given_at(reader, key), *second = hl_config_given_at(reader, with);
    bool given = first->line != HL_CONFIG_NOWHERE && first->line != HL_CONFIG_SHAPE;
    if (!first->faulty && !second->faulty) {
        va_list arguments;
        va_start(arguments, format);
        complain(reader, given ? first->line : second->line, format, arguments);
        va_end(arguments);
    }
}
