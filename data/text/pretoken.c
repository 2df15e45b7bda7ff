#include "data/text/private/pretoken.h"

#include "core/base/private/utf8.h"
#include "data/text/private/unicode.h"

#include <string.h>

static hl_kind kind_at(const char *text, size_t size, size_t at, size_t *bytes)
{
    uint32_t code;
    *bytes = hl_utf8_decode(text + at, size - at, &code);
    return hl_byte_level_kind(code);
}

static size_t contraction(const char *text, size_t size)
{
    static const char *const ends[] = { "'s", "'t", "'re", "'ve", "'m", "'ll", "'d" };
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        size_t length = strlen(ends[i]);
        if (length <= size && memcmp(text, ends[i], length) == 0) {
            return length;
        }
    }
    return 0;
}

size_t hl_pretoken_end(const char *text, size_t size, size_t begin)
{
    size_t bytes, length = text[begin] == '\'' ? contraction(text + begin, size - begin) : 0;
    if (length > 0) {
        return begin + length;
    }
    size_t at = begin + (text[begin] == ' ' && begin + 1 < size);
    hl_kind kind = kind_at(text, size, at, &bytes);
    if (kind == HL_KIND_WHITE) {
        at = begin;
        kind = kind_at(text, size, at, &bytes);
    }
    size_t end = at, last = at;
    while (end < size && kind_at(text, size, end, &bytes) == kind) {
        last = end;
        end += bytes;
    }
    /* White space before anything else leaves its last character to the next match. */
    return kind == HL_KIND_WHITE && end < size && last > begin ? last : end;
}
