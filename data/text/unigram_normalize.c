#include "core/base/memory.h"
#include "core/base/private/utf8.h"
#include "data/text/private/charsmap.h"
#include "data/text/private/grow.h"
#include "data/text/private/tokens_encode.h"
#include "data/text/unicode/private/unicode.h"

#include <string.h>

/* ---- the trie of a charsmap ---- */

enum { UNIT_BYTES = 4, LABELS = 256, HAS_VALUE = 1 << 8, IS_WIDE = 1 << 9 };

/* The units of the children of the unit `at`: a child's index is this number XOR its label. */
static uint32_t children_of(uint32_t at, uint32_t unit)
{
    return at ^ (unit >> 10) << (unit & IS_WIDE ? 8 : 0);
}

/* Whether it is a child with this label. The highest bit marks values, which are no children. */
static bool has_label(uint32_t unit, uint32_t label)
{
    return (unit & (1u << 31 | 0xFF)) == label;
}

static uint32_t value_of(uint32_t unit)
{
    return unit & ~(1u << 31);
}

const char *hl_charsmap_find(const hl_charsmap *map, const char *text, size_t size)
{
    uint32_t at = map->n_units > 0 ? children_of(0, map->units[0]) : 0;
    for (size_t i = 0; map->n_units > 0 && i < size && text[i] != '\0'; i++) {
        uint32_t label = (unsigned char)text[i], unit = map->units[at ^ label];
        if (!has_label(unit, label)) {
            return NULL;
        }
        at = children_of(at ^ label, unit);
        if (unit & HAS_VALUE) {
            return map->replacements + value_of(map->units[at]);
        }
    }
    return NULL;
}

/* ---- reading a charsmap ---- */

static hl_status bad(const char *path, const char *what)
{
    return hl_error(HL_BAD_FILE, "%s: precompiled_charsmap: %s", path, what);
}

static int digit_of(char c)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *at = c != '\0' ? strchr(digits, c) : NULL;
    return at != NULL ? (int)(at - digits) : -1;
}

/* Writes the bytes and returns their number; SIZE_MAX if the text is not base64. */
static size_t decode(const char *base64, size_t size, unsigned char *bytes)
{
    size_t n = 0, padding = 0;
    while (padding < 2 && padding < size && base64[size - 1 - padding] == '=') {
        padding++;
    }
    uint32_t bits = 0;
    for (size_t i = 0; i < size - padding; i++) {
        int digit = digit_of(base64[i]);
        if (digit < 0) {
            return SIZE_MAX;
        }
        bits = bits << 6 | (uint32_t)digit;
        if (i % 4 > 0) {
            bytes[n++] = (unsigned char)(bits >> (6 - 2 * (i % 4)));
        }
    }
    bool even = (bits & ((1u << (2 * padding)) - 1)) == 0; /* bits that are in no byte are 0 */
    return size % 4 == 0 && even ? n : SIZE_MAX;
}

static bool is_utf8(const char *text, size_t size)
{
    for (size_t i = 0, step; i < size; i += step) {
        step = hl_utf8_decode(text + i, size - i, NULL);
        if (step == 0) {
            return false;
        }
    }
    return true;
}

/* A value leads to the beginning of a character. */
static bool is_value(const hl_charsmap *map, uint32_t value)
{
    return value < map->size && !hl_continues(map->replacements[value]);
}

/* Visits every unit that a text can reach, each once: tries may share units, and a damaged one may lead back. */
static hl_status check_units(const char *path, const hl_charsmap *map, bool *visited, uint32_t *waiting)
{
    size_t n = 1;
    waiting[0] = 0;
    visited[0] = true;
    while (n > 0) {
        uint32_t at = waiting[--n], unit = map->units[at], children = children_of(at, unit);
        if ((children | (LABELS - 1)) >= map->n_units) {
            return bad(path, "its trie leads out of the table");
        }
        if ((unit & HAS_VALUE) && !is_value(map, value_of(map->units[children]))) {
            return bad(path, "a value of its trie is the beginning of no replacement");
        }
        for (uint32_t label = 1; label < LABELS; label++) {
            uint32_t child = children ^ label;
            if (has_label(map->units[child], label) && !visited[child]) {
                visited[child] = true;
                waiting[n++] = child;
            }
        }
    }
    return hl_ok();
}

static hl_status check_trie(const char *path, hl_charsmap *map)
{
    bool *visited = hl_calloc(map->n_units, sizeof *visited);
    uint32_t *waiting = hl_calloc(map->n_units, sizeof *waiting);
    hl_status status = visited != NULL && waiting != NULL ? check_units(path, map, visited, waiting)
                                                          : hl_error_memory("precompiled_charsmap");
    hl_free(visited);
    hl_free(waiting);
    HL_TRY(status);
    for (int code = 0; code < 128; code++) {
        map->stays[code] = hl_charsmap_find(map, &(char){ (char)code }, 1) == NULL;
    }
    return hl_ok();
}

static uint32_t little_endian(const unsigned char *b)
{
    return b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

/* The bytes are the size of the trie in bytes, the trie's units, and the replacements, each with a zero byte. */
hl_status hl_charsmap_read(const char *path, const char *base64, hl_charsmap *map)
{
    size_t size = strlen(base64);
    map->base64 = hl_strdup(base64);
    map->units = hl_calloc(size / 4 + 2, UNIT_BYTES); /* 3 bytes for 4 digits: enough for the bytes and one more */
    HL_NEED(map->base64 != NULL && map->units != NULL, "precompiled_charsmap");
    unsigned char *bytes = (unsigned char *)map->units;
    size_t n = decode(base64, size, bytes);
    if (n == SIZE_MAX) {
        return bad(path, "is not base64");
    }
    const uint32_t trie = n >= UNIT_BYTES ? little_endian(bytes) : 0;
    if (trie == 0 || trie % UNIT_BYTES != 0 || trie > n - UNIT_BYTES) {
        return bad(path, "the size of its trie is not that of its data");
    }
    map->n_units = trie / UNIT_BYTES;
    map->size = n - UNIT_BYTES - trie;
    memmove(bytes, bytes + UNIT_BYTES, n - UNIT_BYTES);
    bytes[n - UNIT_BYTES] = '\0'; /* the end of the last replacement */
    map->replacements = (const char *)bytes + trie;
    for (uint32_t i = 0; i < map->n_units; i++) {
        map->units[i] = little_endian(bytes + (size_t)UNIT_BYTES * i);
    }
    return is_utf8(map->replacements, map->size) ? check_trie(path, map) : bad(path, "its replacements are not UTF-8");
}

void hl_charsmap_free(hl_charsmap *map)
{
    hl_free(map->base64);
    hl_free(map->units);
    *map = (hl_charsmap){ 0 };
}

/* ---- the normalized text: scratch->plain, and for each byte the bytes of the text from which it comes ---- */

/* Adds bytes that come from bytes begin .. end - 1 of the text. */
static hl_status add_bytes(hl_tokens_scratch *scratch, const char *bytes, size_t size, size_t begin, size_t end)
{
    return hl_tokens_add_plain(scratch, bytes, size, (hl_origin){ (uint32_t)begin, (uint32_t)end });
}

/* Adds the replacement of the characters begin .. end - 1. Each of its characters comes from the character with the
 * same number, or from the last. */
static hl_status add_replacement(hl_tokens_scratch *scratch, const char *text, size_t begin, size_t end,
                                 const char *replacement)
{
    size_t old = begin, old_bytes = hl_character_bytes(text + old, end - old), left = strlen(replacement);
    while (left > 0) {
        size_t bytes = hl_character_bytes(replacement, left);
        HL_TRY(add_bytes(scratch, replacement, bytes, old, old + old_bytes));
        replacement += bytes;
        left -= bytes;
        if (old + old_bytes < end) {
            old += old_bytes;
            old_bytes = hl_character_bytes(text + old, end - old);
        }
    }
    return hl_ok();
}

/* The reference replaces a cluster of less than 6 bytes by what its shortest known beginning becomes. In other
 * clusters, it replaces character by character. */
static hl_status add_cluster(const hl_charsmap *map, const char *text, size_t begin, size_t end,
                             hl_tokens_scratch *scratch)
{
    enum { SHORT = 6 };
    const char *whole = end - begin < SHORT ? hl_charsmap_find(map, text + begin, end - begin) : NULL;
    if (whole != NULL) {
        return add_replacement(scratch, text, begin, end, whole);
    }
    for (size_t bytes; begin < end; begin += bytes) {
        bytes = hl_character_bytes(text + begin, end - begin);
        const char *one = hl_charsmap_find(map, text + begin, bytes);
        HL_TRY(one != NULL ? add_replacement(scratch, text, begin, begin + bytes, one)
                           : add_bytes(scratch, text + begin, bytes, begin, begin + bytes));
    }
    return hl_ok();
}

static hl_status map_characters(const hl_charsmap *map, const char *text, size_t size, hl_tokens_scratch *scratch)
{
    for (size_t at = 0, end; at < size; at = end) {
        unsigned char c = (unsigned char)text[at], next = at + 1 < size ? (unsigned char)text[at + 1] : 0;
        bool simple = c < 0x80 && next < 0x80 && c != '\r'; /* in English text, the usual case */
        end = map->n_units == 0 ? at + hl_character_bytes(text + at, size - at)
              : simple          ? at + 1
                                : hl_cluster_end(text, size, at);
        HL_TRY(map->n_units == 0 || (simple && map->stays[c]) ? add_bytes(scratch, text + at, end - at, at, end)
                                                              : add_cluster(map, text, at, end, scratch));
    }
    return hl_ok();
}

/* Makes two or more spaces one character, which comes from the last of them. */
static hl_status join_spaces(hl_spaces rule, hl_tokens_scratch *scratch)
{
    const char *joined = rule == HL_SPACES_BECOME_MARK ? HL_SPACE_MARK : " ";
    size_t n = scratch->n_plain, bytes = strlen(joined);
    HL_NEED(HL_GROW(scratch->plain, scratch->plain_capacity, 2 * n + bytes) &&
                HL_GROW(scratch->origins, scratch->origins_capacity, 2 * n + bytes),
            "a normalized text");
    char *from = scratch->plain + n + bytes; /* so far behind that nothing is written over */
    hl_origin *origins = scratch->origins + n + bytes;
    memmove(from, scratch->plain, n);
    memmove(origins, scratch->origins, n * sizeof *origins);
    scratch->n_plain = 0;
    for (size_t at = 0, end; at < n; at = end) {
        for (end = at + 1; from[at] == ' ' && end < n && from[end] == ' '; end++) {
        }
        hl_origin last = origins[end - 1];
        HL_TRY(end - at > 1 ? add_bytes(scratch, joined, bytes, last.begin, last.end)
                            : add_bytes(scratch, from + at, 1, last.begin, last.end));
    }
    return hl_ok();
}

static bool has_spaces_in_a_row(const hl_tokens_scratch *scratch)
{
    const char *at = scratch->plain, *end = at + scratch->n_plain;
    while (at < end && (at = memchr(at, ' ', (size_t)(end - at))) != NULL) {
        at++;
        if (at < end && *at == ' ') {
            return true;
        }
    }
    return false;
}

hl_status hl_tokens_normalize_unigram(const hl_unigram *unigram, const char *text, size_t size,
                                      hl_tokens_scratch *scratch)
{
    HL_TRY(map_characters(&unigram->charsmap, text, size, scratch));
    if (unigram->strips_end) {
        scratch->n_plain = hl_white_begin(scratch->plain, 0, scratch->n_plain);
    }
    return unigram->spaces != HL_SPACES_STAY && has_spaces_in_a_row(scratch) ? join_spaces(unigram->spaces, scratch)
                                                                             : hl_ok();
}
