#include "data/text/unicode/private/unicode.h"

#include "core/base/private/utf8.h"
#include "data/text/unicode/private/tables.h"

#include <stdlib.h>

static int compare(const void *key, const void *entry)
{
    uint32_t code = *(const uint32_t *)key;
    const hl_code_range *range = entry;
    return code < range->first ? -1 : code > range->last;
}

const void *hl_code_entry(const void *table, size_t n, size_t size, uint32_t code)
{
    return bsearch(&code, table, n, size, compare);
}

static const hl_code_class *class_of(uint32_t code)
{
    if (code < HL_LATIN) {
        return &hl_code_classes[hl_latin_classes[code]];
    }
    size_t last = 0, above = hl_class_starts_n; /* the last start that is not above the code is in [last, above) */
    while (above - last > 1) {
        size_t middle = last + (above - last) / 2;
        if (hl_class_starts[middle] >> 8 <= code) {
            last = middle;
        } else {
            above = middle;
        }
    }
    return &hl_code_classes[hl_class_starts[last] & 0xFF];
}

unsigned hl_bert_class(uint32_t code)
{
    return class_of(code)->bert;
}

unsigned hl_bert_mark(uint32_t code)
{
    unsigned mark = class_of(code)->mark;
    return mark < HL_MARK_IS_ACCENT ? mark : mark == HL_MARK_IS_ACCENT ? HL_STARTER_REMOVED : HL_MARK_REMOVED;
}

unsigned hl_combining_class(uint32_t code)
{
    return class_of(code)->mark % HL_MARK_IS_ACCENT;
}

hl_kind hl_byte_level_kind(uint32_t code)
{
    return (hl_kind)class_of(code)->byte_level;
}

bool hl_is_of_word(uint32_t code)
{
    return class_of(code)->of_word;
}

unsigned hl_cluster_class(uint32_t code)
{
    return class_of(code)->cluster;
}

int hl_bert_lower_case(uint32_t code, uint32_t lower[2])
{
    enum { I_WITH_DOT = 0x130, DOT_ABOVE = 0x307 };
    lower[0] = code;
    if (code == I_WITH_DOT) { /* the only character that becomes two */
        lower[0] = 'i';
        lower[1] = DOT_ABOVE;
        return 2;
    }
    const hl_code_run *run = hl_code_entry(hl_bert_lower, hl_bert_lower_n, sizeof *run, code);
    if (run != NULL && (code - run->codes.first) % run->codes.value == 0) {
        lower[0] = (uint32_t)((int64_t)code + run->by);
    }
    return 1;
}

size_t hl_utf8_encode(uint32_t code, char bytes[4])
{
    if (code < 0x80) {
        bytes[0] = (char)code;
        return 1;
    }
    size_t n = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    for (size_t i = n - 1; i > 0; i--, code >>= 6) {
        bytes[i] = (char)(0x80 | (code & 0x3F));
    }
    bytes[0] = (char)((0xF00u >> n & 0xF0) | code);
    return n;
}

void hl_add_lower_case(hl_text *text, const char *bytes, size_t size)
{
    for (size_t at = 0, step; at < size; at += step) {
        uint32_t code, lower[2];
        step = hl_utf8_decode(bytes + at, size - at, &code);
        int n = step > 0 ? hl_bert_lower_case(code, lower) : 0;
        for (int i = 0; i < n; i++) {
            char encoded[4];
            hl_text_add(text, encoded, hl_utf8_encode(lower[i], encoded));
        }
        if (n == 0) {
            step = 1;
            hl_text_add(text, bytes + at, step);
        }
    }
}

size_t hl_utf8_before(const char *text, size_t at)
{
    at--;
    while (at > 0 && hl_continues(text[at])) {
        at--;
    }
    return at;
}

size_t hl_white_bytes(const char *text, size_t size, size_t at)
{
    unsigned char c = (unsigned char)text[at];
    if (c < 0x80) {
        return c == ' ' || (c >= '\t' && c <= '\r');
    }
    uint32_t code = 0;
    size_t bytes = hl_utf8_decode(text + at, size - at, &code);
    return (hl_bert_class(code) & HL_BERT_WHITE) != 0 ? bytes : 0;
}

size_t hl_white_begin(const char *text, size_t least, size_t at)
{
    while (at > least) {
        size_t first = hl_utf8_before(text, at);
        if (hl_white_bytes(text, at, first) != at - first) { /* also of bytes that are not UTF-8 */
            break;
        }
        at = first;
    }
    return at;
}
