#include "data/text/private/unicode.h"

#include "core/base/private/utf8.h"
#include "data/text/private/unicode_tables.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static int compare(const void *key, const void *entry)
{
    uint32_t code = *(const uint32_t *)key;
    const hl_code_range *range = entry;
    return code < range->first ? -1 : code > range->last;
}

/* The entry that contains the code, in a table whose entries begin with a range; NULL if there is none. */
static const void *entry_of(const void *table, size_t n, size_t size, uint32_t code)
{
    return bsearch(&code, table, n, size, compare);
}

static unsigned value_of(const hl_code_range *ranges, size_t n, uint32_t code)
{
    const hl_code_range *range = entry_of(ranges, n, sizeof *ranges, code);
    return range != NULL ? range->value : 0;
}

unsigned hl_bert_class(uint32_t code)
{
    /* in ASCII, the usual case: neither */
    bool letter_or_digit = (code | 0x20) - 'a' < 26 || code - '0' < 10;
    return letter_or_digit ? 0 : value_of(hl_bert_classes, hl_bert_classes_n, code);
}

static unsigned mark_of(uint32_t code)
{
    return code < 0x300 ? 0 : value_of(hl_marks, hl_marks_n, code);
}

unsigned hl_bert_mark(uint32_t code)
{
    unsigned mark = mark_of(code);
    return mark < HL_MARK_IS_ACCENT ? mark : mark == HL_MARK_IS_ACCENT ? HL_STARTER_REMOVED : HL_MARK_REMOVED;
}

unsigned hl_combining_class(uint32_t code)
{
    return mark_of(code) % HL_MARK_IS_ACCENT;
}

hl_kind hl_byte_level_kind(uint32_t code)
{
    bool letter = (code | 0x20) - 'a' < 26; /* in ASCII, the usual case */
    return letter ? HL_KIND_LETTER : (hl_kind)value_of(hl_byte_level_kinds, hl_byte_level_kinds_n, code);
}

bool hl_is_of_word(uint32_t code)
{
    hl_kind kind = hl_byte_level_kind(code);
    return (kind == HL_KIND_LETTER || kind == HL_KIND_NUMBER) != (value_of(hl_word_others, hl_word_others_n, code) > 0);
}

unsigned hl_cluster_class(uint32_t code)
{
    bool printable = code - ' ' < 0x7F - ' '; /* in ASCII, the usual case */
    return printable ? 0 : value_of(hl_cluster_classes, hl_cluster_classes_n, code);
}

/* A Korean syllable is a leading consonant, a vowel and perhaps a trailing consonant (Unicode 15, section 3.12). */
enum {
    SYLLABLE = 0xAC00,
    FIRST_LEADING = 0x1100,
    FIRST_VOWEL = 0x1161,
    NO_TRAILING = 0x11A7,
    LEADINGS = 19,
    VOWELS = 21,
    TRAILINGS = 28,
    SYLLABLES = LEADINGS * VOWELS * TRAILINGS
};

int hl_decompose(uint32_t code, uint32_t parts[HL_PARTS_MAX])
{
    enum { FIRST_CHANGED = 0xC0 };
    uint32_t syllable = code - SYLLABLE;
    if (syllable < SYLLABLES) {
        parts[0] = FIRST_LEADING + syllable / (VOWELS * TRAILINGS);
        parts[1] = FIRST_VOWEL + syllable / TRAILINGS % VOWELS;
        parts[2] = NO_TRAILING + syllable % TRAILINGS;
        return parts[2] == NO_TRAILING ? 2 : 3;
    }
    parts[0] = code;
    const hl_code_parts *run =
        code < FIRST_CHANGED ? NULL : entry_of(hl_decompositions, hl_decompositions_n, sizeof *run, code);
    if (run == NULL) {
        return 1;
    }
    unsigned n = run->codes.value;
    memcpy(parts, hl_parts + run->at + (code - run->codes.first) * n, n * sizeof *parts);
    return (int)n;
}

static int compare_pairs(const void *key, const void *entry)
{
    const hl_code_pair *a = key, *b = entry;
    int order = (a->first > b->first) - (a->first < b->first);
    return order != 0 ? order : (a->second > b->second) - (a->second < b->second);
}

uint32_t hl_compose(uint32_t first, uint32_t second)
{
    enum { LOWEST_SECOND = 0x300 };
    if (second < LOWEST_SECOND) {
        return 0;
    }
    if (first - FIRST_LEADING < LEADINGS && second - FIRST_VOWEL < VOWELS) {
        return SYLLABLE + ((first - FIRST_LEADING) * VOWELS + (second - FIRST_VOWEL)) * TRAILINGS;
    }
    if (first - SYLLABLE < SYLLABLES && (first - SYLLABLE) % TRAILINGS == 0 &&
        second - NO_TRAILING - 1 < TRAILINGS - 1) {
        return first + (second - NO_TRAILING);
    }
    const hl_code_pair key = { .first = first, .second = second };
    const hl_code_pair *pair = bsearch(&key, hl_compositions, hl_compositions_n, sizeof key, compare_pairs);
    return pair != NULL ? pair->both : 0;
}

int hl_bert_base(uint32_t code, uint32_t base[HL_BASE_MAX])
{
    uint32_t parts[HL_PARTS_MAX];
    int n_parts = hl_decompose(code, parts), n = 0;
    for (int i = 0; i < n_parts; i++) {
        if (hl_bert_mark(parts[i]) < HL_STARTER_REMOVED) {
            base[n++] = parts[i];
        }
    }
    return n;
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
    const hl_code_run *run = entry_of(hl_bert_lower, hl_bert_lower_n, sizeof *run, code);
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

/* ---- grapheme clusters ---- */

/* The letters of Korean syllables, and whole syllables without or with a final consonant. */
typedef enum hangul { NO_HANGUL, LEADING, VOWEL, TRAILING, OPEN, CLOSED } hangul;

static hangul hangul_of(uint32_t code)
{
    if (code - SYLLABLE < SYLLABLES) {
        return (code - SYLLABLE) % TRAILINGS == 0 ? OPEN : CLOSED;
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
