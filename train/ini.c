#include "train/ini.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void hl_ini_begin(hl_ini *ini, const char *text, size_t size)
{
    *ini = (hl_ini){ .next = text, .end = text + size };
}

__attribute__((format(printf, 3, 4))) static hl_ini_kind wrong(hl_ini *ini, hl_ini_kind kind, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(ini->wrong, sizeof ini->wrong, format, arguments);
    va_end(arguments);
    return kind;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

char *hl_ini_trim(char *text)
{
    while (is_blank(*text)) {
        text++;
    }
    size_t length = strlen(text);
    while (length > 0 && is_blank(text[length - 1])) {
        length--;
    }
    text[length] = '\0';
    return text;
}

static hl_ini_kind section(hl_ini *ini, char *text)
{
    char *end = strchr(text, ']');
    if (end == NULL) {
        return wrong(ini, HL_INI_WRONG_SECTION, "\"]\" is missing");
    }
    if (end[1] != '\0') {
        return wrong(ini, HL_INI_WRONG_SECTION, "a section stands on a line of its own");
    }
    *end = '\0';
    ini->name = hl_ini_trim(text + 1);
    return *ini->name != '\0' ? HL_INI_SECTION : wrong(ini, HL_INI_WRONG_SECTION, "the section has no name");
}

static hl_ini_kind pair(hl_ini *ini, char *text)
{
    char *equals = strchr(text, '=');
    if (equals == NULL) {
        return wrong(ini, HL_INI_WRONG, "\"=\" is missing: a line is key = value, [section] or a comment");
    }
    *equals = '\0';
    ini->name = hl_ini_trim(text);
    char *value = hl_ini_trim(equals + 1);
    ini->value = value;
    if (*ini->name == '\0') {
        return wrong(ini, HL_INI_WRONG, "the key before \"=\" is missing");
    }
    return hl_ini_unquote(value, ini->wrong) ? HL_INI_PAIR : HL_INI_WRONG;
}

/* Where the line's comment begins, or its end: not in a value in quotes. */
static char *comment_of(char *line)
{
    char *at = line + strcspn(line, "=#;");
    if (*at == '=') {
        at += 1 + strspn(at + 1, " \t");
        at += *at == '"' ? hl_ini_quoted_length(at) : 0;
    }
    return at + strcspn(at, "#;");
}

/* The next line of the text: returns its first byte, *length is without the line's end. */
static const char *take_line(hl_ini *ini, size_t *length)
{
    const char *start = ini->next;
    const char *newline = memchr(start, '\n', (size_t)(ini->end - start));
    const char *stop = newline != NULL ? newline : ini->end;
    ini->next = newline != NULL ? newline + 1 : ini->end;
    ini->line = ++ini->lines_read;
    *length = (size_t)(stop - start);
    if (newline != NULL && *length > 0 && stop[-1] == '\r') {
        --*length;
    }
    return start;
}

static bool skip_byte_order_mark(hl_ini *ini)
{
    if (ini->lines_read > 0 || ini->end - ini->next < 3 || memcmp(ini->next, "\xef\xbb\xbf", 3) != 0) {
        return false;
    }
    ini->next += 3;
    ini->line = 1;
    return true;
}

hl_ini_kind hl_ini_next(hl_ini *ini)
{
    if (skip_byte_order_mark(ini)) {
        return wrong(ini, HL_INI_WRONG, "the file starts with a byte order mark: save it as UTF-8 without one");
    }
    while (ini->next < ini->end) {
        size_t length;
        const char *line = take_line(ini, &length);
        if (length > HL_INI_MAX_LINE) {
            return wrong(ini, HL_INI_WRONG, "the line is longer than %d bytes", (int)HL_INI_MAX_LINE);
        }
        if (!hl_ini_bytes_allowed(line, length, ini->wrong)) {
            return HL_INI_WRONG;
        }
        memcpy(ini->buffer, line, length);
        ini->buffer[length] = '\0';
        *comment_of(ini->buffer) = '\0';
        char *text = hl_ini_trim(ini->buffer);
        if (*text != '\0') {
            return *text == '[' ? section(ini, text) : pair(ini, text);
        }
    }
    return HL_INI_END;
}
