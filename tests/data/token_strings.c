#include "tests/data/token_strings.h"

#include "core/kernels/random.h"
#include "data/text/unicode/private/unicode.h"

#include <string.h>

static const struct {
    uint32_t first, last;
} scripts[] = { { 0x20, 0x7E },       { 0x61, 0x7A },       { 0x80, 0x24F },      { 0x300, 0x36F },
                { 0x370, 0x52F },     { 0x591, 0x6FF },     { 0x8D4, 0x97F },     { 0xE00, 0xE7F },
                { 0x1100, 0x11FF },   { 0x1B00, 0x1C4F },   { 0x1DC0, 0x1FFF },   { 0x2000, 0x2BFF },
                { 0x3000, 0x30FF },   { 0x3400, 0x9FFF },   { 0xAC00, 0xD7A3 },   { 0xE000, 0xFFFF },
                { 0x10000, 0x11FFF }, { 0x1D100, 0x1D7FF }, { 0x1E000, 0x1E95F }, { 0x1F300, 0x1FAFF },
                { 0x20000, 0x2FA1F }, { 0xE0000, 0xE01EF } };

static const char *const words[] = { "the", " can't", " we'll ",      "  ",    " ",
                                     "\t",  "...",    "na\xC3\xAFve", "[SEP]", "x[UNK]y" };

size_t token_string(uint32_t i, char text[TOKEN_STRING_BYTES])
{
    hl_random random = { .seed = 14, .stream = i };
    size_t size = 0, script = 0;
    uint32_t draws = hl_random_below(random, 0, 40) * 4;
    for (uint32_t at = 4; at < draws; at += 4) {
        uint32_t kind = hl_random_below(random, at, 10);
        if (kind == 0) {
            script = hl_random_below(random, at + 1, sizeof scripts / sizeof scripts[0]);
        } else if (kind == 1) {
            const char *word = words[hl_random_below(random, at + 1, sizeof words / sizeof words[0])];
            memcpy(text + size, word, strlen(word));
            size += strlen(word);
        } else if (kind == 2) { /* a mark */
            size += hl_utf8_encode(0x300 + hl_random_below(random, at + 1, 0x70), text + size);
        } else {
            uint32_t n = scripts[script].last - scripts[script].first + 1;
            size += hl_utf8_encode(scripts[script].first + hl_random_below(random, at + 1, n), text + size);
        }
    }
    return size;
}

hl_status token_strings_next(void *context, const char **text, size_t *size)
{
    static char string[TOKEN_STRING_BYTES];
    uint32_t *i = context;
    *text = *i < TOKEN_STRINGS ? string : NULL;
    *size = *i < TOKEN_STRINGS ? token_string((*i)++, string) : 0;
    return hl_ok();
}
