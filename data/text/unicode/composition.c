#include "data/text/unicode/private/unicode.h"

#include "data/text/unicode/private/tables.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_LEADING = 0x1100, FIRST_VOWEL = 0x1161, NO_TRAILING = 0x11A7 };

int hl_decompose(uint32_t code, uint32_t parts[HL_PARTS_MAX])
{
    enum { FIRST_CHANGED = 0xC0 };
    uint32_t syllable = code - HL_SYLLABLE;
    if (syllable < HL_SYLLABLES) {
        parts[0] = FIRST_LEADING + syllable / (HL_VOWELS * HL_TRAILINGS);
        parts[1] = FIRST_VOWEL + syllable / HL_TRAILINGS % HL_VOWELS;
        parts[2] = NO_TRAILING + syllable % HL_TRAILINGS;
        return parts[2] == NO_TRAILING ? 2 : 3;
    }
    parts[0] = code;
    const hl_code_parts *run =
        code < FIRST_CHANGED ? NULL : hl_code_entry(hl_decompositions, hl_decompositions_n, sizeof *run, code);
    if (run == NULL) {
        return 1;
    }
    const unsigned n = run->codes.value;
    const uint32_t *becomes = hl_parts + run->at + (code - run->codes.first) * n;
    int n_first = hl_decompose(becomes[0], parts); /* at most thrice, and at most HL_PARTS_MAX parts */
    memcpy(parts + n_first, becomes + 1, (n - 1) * sizeof *parts);
    return n_first + (int)n - 1;
}

static int compare_pairs(const void *key, const void *entry)
{
    const uint32_t *a = key, *b = hl_parts + *(const uint16_t *)entry;
    int order = (a[0] > b[0]) - (a[0] < b[0]);
    return order != 0 ? order : (a[1] > b[1]) - (a[1] < b[1]);
}

/* Whether what a run becomes is before, at or after an index of hl_parts. */
static int compare_places(const void *key, const void *entry)
{
    const hl_code_parts *run = entry;
    uint32_t place = *(const uint16_t *)key, n = (run->codes.last - run->codes.first + 1) * run->codes.value;
    return place < run->at ? -1 : place >= run->at + n;
}

uint32_t hl_compose(uint32_t first, uint32_t second)
{
    enum { LOWEST_SECOND = 0x300 };
    if (second < LOWEST_SECOND) {
        return 0;
    }
    if (first - FIRST_LEADING < HL_LEADINGS && second - FIRST_VOWEL < HL_VOWELS) {
        return HL_SYLLABLE + ((first - FIRST_LEADING) * HL_VOWELS + (second - FIRST_VOWEL)) * HL_TRAILINGS;
    }
    if (first - HL_SYLLABLE < HL_SYLLABLES && (first - HL_SYLLABLE) % HL_TRAILINGS == 0 &&
        second - NO_TRAILING - 1 < HL_TRAILINGS - 1) {
        return first + (second - NO_TRAILING);
    }
    const uint32_t pair[] = { first, second };
    const uint16_t *place = bsearch(pair, hl_compositions, hl_compositions_n, sizeof *place, compare_pairs);
    if (place == NULL) {
        return 0;
    }
    const hl_code_parts *run = bsearch(place, hl_decompositions, hl_decompositions_n, sizeof *run, compare_places);
    return run->codes.first + (*place - run->at) / run->codes.value;
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
