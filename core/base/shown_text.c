#include "core/base/shown_text.h"

#include "core/base/private/utf8.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

typedef struct range {
    uint32_t first, last;
} range;

/* Control characters; characters that combine with the one before; spaces without width, direction marks, line and
 * paragraph ends; surrogates and private use; variation selectors; noncharacters (U+FDD0 .. U+FDEF); tags. */
static const range unseen[] = {
    { 0x00, 0x1f },     { 0x7f, 0x9f },     { 0xad, 0xad },     { 0x300, 0x36f },   { 0x483, 0x489 },
    { 0x591, 0x5c7 },   { 0x600, 0x61c },   { 0x64b, 0x65f },   { 0x115f, 0x1160 }, { 0x180b, 0x180f },
    { 0x1ab0, 0x1aff }, { 0x1dc0, 0x1dff }, { 0x200b, 0x200f }, { 0x2028, 0x202e }, { 0x2060, 0x206f },
    { 0x20d0, 0x20ff }, { 0x3164, 0x3164 }, { 0xd800, 0xf8ff }, { 0xfdd0, 0xfdef }, { 0xfe00, 0xfe0f },
    { 0xfe20, 0xfe2f }, { 0xfeff, 0xfeff }, { 0xffa0, 0xffa0 }, { 0xfff0, 0xfffb }, { 0xe0000, 0x10ffff },
};

/* Characters that every terminal shows in one column; others may need two. */
static const range narrow[] = { { 0x20, 0x10ff }, { 0x1e00, 0x2319 }, { 0x2400, 0x25fc } };

static bool within(const range *ranges, size_t n, uint32_t code)
{
    for (size_t i = 0; i < n; i++) {
        if (code >= ranges[i].first && code <= ranges[i].last) {
            return true;
        }
    }
    return false;
}

/* The last two of every 65536 codes are noncharacters too: cairo draws nothing of a text that has one. */
static bool is_unseen(uint32_t code)
{
    return (code & 0xfffe) == 0xfffe || within(unseen, sizeof unseen / sizeof *unseen, code);
}

const char *hl_shown_next(const char *text, bool ascii, hl_shown *shown)
{
    if (*text == '\0') {
        return NULL;
    }
    uint32_t code;
    size_t length = hl_utf8_decode(text, strnlen(text, 4), &code);
    if (length == 0 || (length == 1 && is_unseen(code))) {
        shown->columns = snprintf(shown->bytes, sizeof shown->bytes, "\\x%02x", (unsigned)(unsigned char)*text);
        return text + 1;
    }
    if ((ascii && length > 1) || is_unseen(code)) {
        shown->columns = snprintf(shown->bytes, sizeof shown->bytes, "\\u{%x}", (unsigned)code);
        return text + length;
    }
    memcpy(shown->bytes, text, length);
    shown->bytes[length] = '\0';
    shown->columns = within(narrow, sizeof narrow / sizeof *narrow, code) ? 1 : 2;
    return text + length;
}

/* hl_shown_text for the first `bytes` bytes of the text. */
static size_t show(char *shown, size_t size, const char *text, size_t bytes)
{
    const char *end = text + bytes;
    size_t needed = 0, used = 0;
    hl_shown next;
    while (text < end) {
        text = hl_shown_next(text, false, &next);
        size_t length = strlen(next.bytes);
        if (used == needed && used + length < size) {
            memcpy(shown + used, next.bytes, length);
            used += length;
        }
        needed += length;
    }
    if (size > 0) {
        shown[used] = '\0';
    }
    return needed;
}

size_t hl_shown_text(char *shown, size_t size, const char *text)
{
    return show(shown, size, text, strlen(text));
}

/* The length of a cut text without the character that was cut with it. */
static size_t length_of_whole(const char *text)
{
    size_t length = strlen(text), begin = length;
    while (begin > 0 && length - begin < 3 && ((unsigned char)text[begin - 1] & 0xc0) == 0x80) {
        begin--;
    }
    bool leads = begin > 0 && (unsigned char)text[begin - 1] >= 0xc0;
    return leads && hl_utf8_decode(text + begin - 1, length - begin + 1, NULL) == 0 ? begin - 1 : length;
}

void hl_shown_cut(char *shown, size_t size, const char *text, bool cut)
{
    static const char dots[] = "...";
    if (cut || hl_shown_text(shown, size, text) >= size) {
        show(shown, size - (sizeof dots - 1), text, cut ? length_of_whole(text) : strlen(text));
        memcpy(shown + strlen(shown), dots, sizeof dots);
    }
}

void hl_shown_print(char *shown, size_t size, const char *format, va_list arguments)
{
    char text[2048];
    int length = vsnprintf(text, sizeof text, format, arguments);
    hl_shown_cut(shown, size, text, length >= (int)sizeof text);
}
