/* GPT-2's printable stand-ins for bytes. The bytes 33 to 126, 161 to 172 and 174 to 255 stand for themselves; the other
 * 68 become U+0100, U+0101, ... in order. A space is U+0120. */
#pragma once

#include <stdint.h>

enum { HL_LETTERS_END = 0x100 + 68 };

static inline uint32_t hl_byte_letter(unsigned char byte)
{
    if (byte <= 32) {
        return 0x100u + byte;
    }
    if (byte >= 127 && byte <= 160) {
        return 0x100u + 33 + (byte - 127u);
    }
    return byte == 173 ? HL_LETTERS_END - 1u : byte;
}

/* The byte whose stand-in this is; -1 if the character is not a stand-in. */
static inline int hl_byte_of_letter(uint32_t letter)
{
    if (letter >= HL_LETTERS_END || (letter < 0x100 && hl_byte_letter((unsigned char)letter) != letter)) {
        return -1;
    }
    int place = (int)letter - 0x100;
    return place < 0 ? (int)letter : place <= 32 ? place : place <= 66 ? place - 33 + 127 : 173;
}
