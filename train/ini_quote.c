/* Which bytes a line may hold, and values in quotes, which can stand for any text. */
#include "core/private/utf8.h"
#include "train/ini.h"

#include <stdio.h>
#include <string.h>

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

/* ---- reading ---- */

size_t hl_ini_quoted_length(const char *text)
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

/* ---- writing ---- */

static bool is_plain(const char *value)
{
    char wrong[HL_INI_WRONG_TEXT];
    size_t length = strlen(value);
    bool blank_ends = length > 0 && (strchr(" \t", value[0]) != NULL || strchr(" \t", value[length - 1]) != NULL);
    return *value != '"' && !blank_ends && strpbrk(value, "#;") == NULL && hl_ini_bytes_allowed(value, length, wrong);
}

/* Writes one byte as it stands between quotes; `utf8`: bytes beyond ASCII stand as they are. */
static size_t write_byte(unsigned char byte, bool utf8, char *text, size_t size)
{
    if (byte == '"' || byte == '\\') {
        return (size_t)snprintf(text, size, "\\%c", byte);
    }
    bool shown = byte >= ' ' && byte != 0x7f && (utf8 || byte < 0x80);
    return (size_t)(shown ? snprintf(text, size, "%c", byte) : snprintf(text, size, "\\x%02x", byte));
}

bool hl_ini_quote(const char *value, char *text, size_t size)
{
    if (is_plain(value)) {
        return (size_t)snprintf(text, size, "%s", value) < size;
    }
    char wrong[HL_INI_WRONG_TEXT];
    bool utf8 = hl_ini_bytes_allowed(value, strlen(value), wrong);
    size_t used = (size_t)snprintf(text, size, "\"");
    for (; *value != '\0' && used < size; value++) {
        used += write_byte((unsigned char)*value, utf8, text + used, size - used);
    }
    if (used < size) {
        used += (size_t)snprintf(text + used, size - used, "\"");
    }
    return used < size;
}
