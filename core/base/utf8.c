#include "core/base/private/utf8.h"

#include <stdbool.h>

size_t hl_utf8_decode(const char *text, size_t size, uint32_t *code)
{
    static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 }; /* the smallest code that needs this many bytes */
    unsigned char first = (unsigned char)text[0];
    size_t length = first < 0x80 ? 1 : first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;
    if (length == 0 || length > size) {
        return 0;
    }
    uint32_t read = length == 1 ? first : first & (0xffu >> (length + 1));
    for (size_t i = 1; i < length; i++) {
        unsigned char next = (unsigned char)text[i];
        if ((next & 0xc0) != 0x80) {
            return 0;
        }
        read = read << 6 | (next & 0x3fu);
    }
    bool surrogate = read >= 0xd800 && read <= 0xdfff;
    if (read < least[length] || read > 0x10ffff || surrogate) {
        return 0;
    }
    if (code != NULL) {
        *code = read;
    }
    return length;
}
