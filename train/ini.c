#include "train/ini.h"

#include "core/base/private/utf8.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

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

bool hl_ini_bytes_allowed(const char *text, size_t size, char wrong[HL_INI_WRONG_TEXT])
{
    for (size_t i = 0, step; i < size; i += step) {
        unsigned byte = (unsigned char)text[i];
        if ((byte < ' ' && byte != '\t') || byte == 0x7f) {
            snprintf(wrong, HL_INI_WRONG_TEXT, "control byte 0x%02x in column %zu", byte, i + 1);
            return false;
        }
        step = hl_utf8_decode(text + i, size - i, NULL);
        if (step == 0) {
            snprintf(wrong, HL_INI_WRONG_TEXT, "byte 0x%02x in column %zu is not UTF-8", byte, i + 1);
            return false;
        }
    }
    return true;
}

/* ---- values in quotes ---- */

/* The length of a text that begins with a quote, up to the closing quote; without one, its whole length. */
static size_t quoted_length(const char *text)
{
    size_t i = 1;
    while (text[i] != '\0' && text[i] != '"') {
        i += text[i] == '\\' && text[i + 1] != '\0' ? 2 : 1;
    }
    return i + (text[i] == '"');
}

static int hex_digit(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Reads one byte, or the escape that stands for one, and moves *at past it; 0: an unknown escape. */
static int take_byte(const char **at)
{
    const char *text = *at;
    if (*text != '\\') {
        *at += 1;
        return (unsigned char)*text;
    }
    if (text[1] == '"' || text[1] == '\\') {
        *at += 2;
        return text[1];
    }
    if (text[1] == 'x' && hex_digit(text[2]) >= 0 && hex_digit(text[3]) >= 0) {
        *at += 4;
        return 16 * hex_digit(text[2]) + hex_digit(text[3]);
    }
    return 0;
}

static bool refuse(char wrong[HL_INI_WRONG_TEXT], const char *what)
{
    snprintf(wrong, HL_INI_WRONG_TEXT, "%s", what);
    return false;
}

bool hl_ini_unquote(char *text, char wrong[HL_INI_WRONG_TEXT])
{
    if (*text != '"') {
        return true;
    }
    const char *from = text + 1;
    char *to = text;
    while (*from != '"') {
        if (*from == '\0') {
            return refuse(wrong, "the value begins with \" and does not end with one");
        }
        int byte = take_byte(&from);
        if (byte == 0) {
            return refuse(wrong, "in quotes, \\ stands before \" or \\ or, for any byte but 0, as in \\x0a");
        }
        *to++ = (char)byte;
    }
    if (from[1] != '\0') {
        return refuse(wrong, "something follows the \" that ends the value");
    }
    *to = '\0';
    return true;
}

/* ---- lines ---- */

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

/* Where the line's comment begins, outside values in quotes; or the line's end. */
static char *comment_of(char *line)
{
    char *at = line + strcspn(line, "=#;");
    if (*at == '=') {
        at += 1 + strspn(at + 1, " \t");
        at += *at == '"' ? quoted_length(at) : 0;
    }
    return at + strcspn(at, "#;");
}

/* The next line of the text. Returns its first byte; *length does not include the line's end. */
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

hl_ini_kind hl_ini_next(hl_ini *ini)
{
    if (ini->lines_read == 0 && ini->end - ini->next >= 3 && memcmp(ini->next, "\xef\xbb\xbf", 3) == 0) {
        ini->next += 3;
        ini->line = 1;
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

/* ---- writing ---- */

bool hl_ini_quote(const char *value, char *text, size_t size)
{
    char wrong[HL_INI_WRONG_TEXT];
    size_t length = strlen(value);
    bool utf8 = hl_ini_bytes_allowed(value, length, wrong);
    bool blank_ends = length > 0 && (is_blank(value[0]) || is_blank(value[length - 1]));
    if (utf8 && *value != '"' && !blank_ends && strpbrk(value, "#;") == NULL) {
        return (size_t)snprintf(text, size, "%s", value) < size;
    }
    size_t used = (size_t)snprintf(text, size, "\"");
    for (; *value != '\0' && used < size; value++) {
        unsigned char byte = (unsigned char)*value;
        bool shown = byte >= ' ' && byte != 0x7f && (utf8 || byte < 0x80);
        const char *escape = byte == '"' || byte == '\\' ? "\\" : "";
        used += (size_t)(shown ? snprintf(text + used, size - used, "%s%c", escape, byte)
                               : snprintf(text + used, size - used, "\\x%02x", byte));
    }
    if (used < size) {
        used += (size_t)snprintf(text + used, size - used, "\"");
    }
    return used < size;
}
