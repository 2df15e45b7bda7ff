#include "data/text/unicode/private/unicode.h"

#include "core/base/private/utf8.h"
#include "data/text/unicode/private/tables.h"

/* The letters of Korean syllables, and whole syllables without or with a final consonant. */
typedef enum hangul { NO_HANGUL, LEADING, VOWEL, TRAILING, OPEN, CLOSED } hangul;

static hangul hangul_of(uint32_t code)
{
    if (code - HL_SYLLABLE < HL_SYLLABLES) {
        return (code - HL_SYLLABLE) % HL_TRAILINGS == 0 ? OPEN : CLOSED;
    }
    return (code >= 0x1100 && code < 0x1160) || (code >= 0xA960 && code < 0xA97D)   ? LEADING
           : (code >= 0x1160 && code < 0x11A8) || (code >= 0xD7B0 && code < 0xD7C7) ? VOWEL
           : (code >= 0x11A8 && code < 0x1200) || (code >= 0xD7CB && code < 0xD7FC) ? TRAILING
                                                                                    : NO_HANGUL;
}

static bool joins_hangul(uint32_t before, uint32_t code)
{
    hangul left = hangul_of(before), right = hangul_of(code);
    return (left == LEADING && right != NO_HANGUL && right != TRAILING) ||
           ((left == OPEN || left == VOWEL) && (right == VOWEL || right == TRAILING)) ||
           ((left == CLOSED || left == TRAILING) && right == TRAILING);
}

enum { ZERO_WIDTH_NON_JOINER = 0x200C, ZERO_WIDTH_JOINER = 0x200D };

/* What the characters of a cluster up to its last have shown. */
typedef struct cluster {
    uint32_t code; /* the last */
    unsigned class;
    bool consonant, linker; /* a consonant, and a linker after it; only characters that conjoin follow */
    bool picture, joiner;   /* a picture and marks that extend it; a joiner directly after them */
} cluster;

static void take(cluster *c, uint32_t code, unsigned class)
{
    bool conjoins = (class & (HL_CLUSTER_LINKER | HL_CLUSTER_CONJOINS)) != 0;
    bool extends = (conjoins || code == ZERO_WIDTH_NON_JOINER) && code != ZERO_WIDTH_JOINER;
    bool consonant = (class & HL_CLUSTER_CONSONANT) != 0;
    c->linker = c->consonant && conjoins && (c->linker || (class & HL_CLUSTER_LINKER) != 0);
    c->consonant = consonant || (c->consonant && conjoins);
    c->joiner = c->picture && code == ZERO_WIDTH_JOINER;
    c->picture = (class & HL_CLUSTER_PICTURE) != 0 || (c->picture && extends);
    c->code = code;
    c->class = class;
}

static bool joins(const cluster *c, uint32_t code, unsigned class)
{
    if (c->class & HL_CLUSTER_CONTROL || class & HL_CLUSTER_CONTROL) {
        return c->code == '\r' && code == '\n';
    }
    return (class & HL_CLUSTER_JOINS) || (c->class & HL_CLUSTER_PREPENDED) || joins_hangul(c->code, code) ||
           (c->linker && (class & HL_CLUSTER_CONSONANT)) || (c->joiner && (class & HL_CLUSTER_PICTURE));
}

size_t hl_cluster_end(const char *text, size_t size, size_t begin)
{
    cluster c = { 0 };
    uint32_t code;
    size_t at = begin + hl_utf8_decode(text + begin, size - begin, &code);
    take(&c, code, hl_cluster_class(code));
    while (at < size) {
        size_t bytes = hl_utf8_decode(text + at, size - at, &code);
        unsigned class = hl_cluster_class(code);
        if (!joins(&c, code, class)) {
            break;
        }
        take(&c, code, class);
        at += bytes;
    }
    return at;
}
