#include "core/base/memory.h"
#include "data/text/private/charsmap.h"
#include "data/text/private/tokens_encode.h"
#include "data/text/unicode/private/unicode.h"
#include "tests/check_suite.h"

#include <stdio.h>
#include <string.h>

TEST(clusters_end_where_those_of_unicode_do)
{
    static const char *const clusters[] = {
        "a",
        "e\xCC\x81\xCC\x81",
        "\r\n",
        "\n",
        "\r",
        "\xE2\x80\x8B",
        "\xCC\x81\xCC\x81",
        "\xE1\x84\x92\xE1\x85\xA1\xE1\x86\xAB\xCC\x81", /* a Korean syllable in letters, and a mark */
        "\xED\x95\x9C\xE1\x86\xAB",
        "\xEA\xB0\x80\xE1\x85\xA1",                                     /* syllables and more letters */
        "\xE0\xA4\x95\xE0\xA5\x8D\xE2\x80\x8D\xE0\xA4\xB7\xE0\xA4\xBE", /* a conjunct, and a vowel */
        "x\xE0\xA5\x8D",
        "\xE0\xA4\xB7",
        ("\xD8\x80"
         "a"),                                                          /* the sign of a number */
        "\xF0\x9F\x91\xA9\xF0\x9F\x8F\xBD\xE2\x80\x8D\xF0\x9F\x91\xA7", /* pictures and a joiner */
        "\xC2\xA9\xE2\x80\x8D\xE2\x80\x8D",
        "\xC2\xAE",
        "z",
    };
    char text[256] = "";
    for (size_t i = 0; i < sizeof clusters / sizeof clusters[0]; i++) {
        strcat(text, clusters[i]);
    }
    for (size_t i = 0, at = 0; i < sizeof clusters / sizeof clusters[0]; i++) {
        size_t end = hl_cluster_end(text, strlen(text), at);
        ck_assert_msg(end == at + strlen(clusters[i]), "cluster %zu: %zu bytes", i, end - at);
        at = end;
    }
}

/* Base64 of the bytes, in `text`. */
static const char *base64(const unsigned char *bytes, size_t size, char *text)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    char *at = text;
    for (size_t i = 0; i < size; i += 3) {
        uint32_t bits = 0;
        for (size_t k = 0; k < 3; k++) {
            bits = bits << 8 | (i + k < size ? bytes[i + k] : 0);
        }
        for (size_t k = 0; k < 4; k++) {
            *at++ = k <= size - i ? digits[bits >> (18 - 6 * k) & 63] : '=';
        }
    }
    *at = '\0';
    return text;
}

enum { UNITS = 3 * 256, ROOT = 256, LEAF = 512, HAS_VALUE = 1 << 8 };

/* A trie in which "a" has the value 0, and its one replacement "xyz". */
typedef struct small_map {
    uint32_t bytes; /* of the trie */
    uint32_t units[UNITS];
    char replacements[4];
} small_map;

static small_map small(void)
{
    small_map map = { .bytes = UNITS * 4, .replacements = "xyz" };
    map.units[0] = ROOT << 10;
    map.units[ROOT ^ 'a'] = 'a' | HAS_VALUE | (LEAF ^ ROOT ^ 'a') << 10;
    return map;
}

static hl_status read_map(const small_map *map, size_t size, hl_charsmap *read)
{
    static char text[2 * sizeof *map];
    return hl_charsmap_read("t", base64((const unsigned char *)map, size, text), read);
}

TEST(a_charsmap_replaces_what_its_trie_holds)
{
    small_map map = small();
    hl_charsmap read = { 0 };
    ck_assert_str_eq(read_map(&map, sizeof map, &read).text, "");
    ck_assert_str_eq(hl_charsmap_find(&read, "ab", 2), "xyz");
    ck_assert_ptr_null(hl_charsmap_find(&read, "b", 1));
    ck_assert_ptr_null(hl_charsmap_find(&read, "\0a", 2));
    ck_assert(read.stays['b'] && !read.stays['a']);
    hl_charsmap_free(&read);
    map.units[ROOT ^ 'a'] &= ~(uint32_t)HAS_VALUE; /* it leads back to itself: every text ends some time */
    map.units[LEAF ^ 'a'] = 'a';
    ck_assert_str_eq(read_map(&map, sizeof map, &read).text, "");
    ck_assert_ptr_null(hl_charsmap_find(&read, "aaaaaaaa", 8));
    hl_charsmap_free(&read);
    ck_assert_str_eq(read_map(&map, sizeof map - 1, &read).text, ""); /* the last zero byte may be missing */
    hl_charsmap_free(&read);
}

/* CR and LF are one cluster, which becomes what CR becomes. */
TEST(short_clusters_become_what_their_beginning_becomes)
{
    static const char text[] = "\r\nb\r\xCC\x81\r";
    small_map map = small();
    map.units[ROOT ^ '\r'] = '\r' | HAS_VALUE | (LEAF ^ ROOT ^ '\r') << 10;
    hl_unigram unigram = { .spaces = HL_SPACES_STAY };
    const hl_tokens tokens = { .kind = HL_TOKENS_UNIGRAM, .unigram = &unigram };
    hl_tokens_part part = { .text = text, .size = sizeof text - 1 };
    hl_pieces memory = { .scratch = hl_calloc(1, sizeof *memory.scratch) };
    ck_assert_ptr_nonnull(memory.scratch);
    ck_assert_str_eq(read_map(&map, sizeof map, &unigram.charsmap).text, "");
    CHECK_OK(hl_tokens_normalize(&tokens, &part, memory.scratch));
    ck_assert_uint_eq(memory.scratch->n_plain, 12);
    ck_assert_mem_eq(memory.scratch->plain, "xyzbxyz\xCC\x81xyz", 12);
    static const uint32_t begins[] = { 0, 1, 1, 2, 3, 3, 3, 4, 4, 6, 6, 6 };
    for (size_t i = 0; i < 12; i++) {
        ck_assert_uint_eq(memory.scratch->origins[i].begin, begins[i]);
    }
    hl_charsmap_free(&unigram.charsmap);
    hl_pieces_free(&memory);
}

static const char outside[] = "its trie leads out of the table",
                  no_beginning[] = "a value of its trie is the beginning of no replacement",
                  sizes[] = "the size of its trie is not that of its data";

/* What differs from the small map. */
static const struct {
    struct {
        uint32_t at, value; /* 0: none */
    } units[2];
    uint32_t bytes;
    const char *replacements;
    size_t size;
    const char *message;
} damaged[] = {
    { .units = { { 0, UNITS << 10 } }, .message = outside },
    { .units = { { 0, 0x3FFFFFu << 10 | 1 << 9 } }, .message = outside }, /* a wide offset */
    { .units = { { ROOT ^ 'a', 'a' | (UNITS - 256) << 10 << 1 } }, .message = outside },
    { .units = { { LEAF, 4 } }, .message = no_beginning },
    { .units = { { LEAF, 1u << 31 | 1 } }, .replacements = "\xC3\xA9", .message = no_beginning },
    /* the root is a child, too, and its value is none */
    { .units = { { 0, 'b' | HAS_VALUE | ROOT << 10 }, { ROOT, 77 } }, .message = no_beginning },
    { .replacements = "x\xFFz", .message = "its replacements are not UTF-8" },
    { .bytes = UNITS * 4 + 8, .message = sizes },
    { .bytes = 6, .message = sizes },
    { .bytes = UNITS * 4 - 4, .message = outside }, /* the last node's children are not all in the table */
    { .size = 3, .message = sizes },
};

LOOP_TEST(a_damaged_charsmap_is_refused, 0, ROWS(damaged))
{
    small_map map = small();
    for (int i = 0; i < 2 && damaged[_i].units[i].value != 0; i++) {
        map.units[damaged[_i].units[i].at] = damaged[_i].units[i].value;
    }
    map.bytes = damaged[_i].bytes != 0 ? damaged[_i].bytes : map.bytes;
    if (damaged[_i].replacements != NULL) {
        memcpy(map.replacements, damaged[_i].replacements, strlen(damaged[_i].replacements) + 1);
    }
    hl_charsmap read = { 0 };
    hl_status status = read_map(&map, damaged[_i].size != 0 ? damaged[_i].size : sizeof map, &read);
    ck_assert_int_eq(status.code, HL_BAD_FILE);
    char expected[128];
    snprintf(expected, sizeof expected, "t: precompiled_charsmap: %s", damaged[_i].message);
    ck_assert_str_eq(status.text, expected);
    hl_charsmap_free(&read);
}

TEST(what_is_not_base64_is_refused)
{
    static const char *const texts[] = {
        "A", "AA", "AAA", "AA*A", "AAA=AAAA", "=AAA", "A===", "AB==", "AAB=", "AA\n="
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        hl_charsmap read = { 0 };
        ck_assert_str_eq(hl_charsmap_read("t", texts[i], &read).text, "t: precompiled_charsmap: is not base64");
        hl_charsmap_free(&read);
    }
}

SUITE("charsmap")
