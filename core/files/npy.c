#include "core/files/npy.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, ".npy files are written little-endian");

static const char magic[] = { '\x93', 'N', 'U', 'M', 'P', 'Y' };
enum { VERSION_AT = sizeof magic, LENGTH_AT = VERSION_AT + 2, ALIGNMENT = 64 };

static const struct {
    const char *descr;
    size_t size;
} types[] = {
    [HL_NPY_FLOAT32] = { "<f4", 4 },
    [HL_NPY_FLOAT64] = { "<f8", 8 },
    [HL_NPY_INT32] = { "<i4", 4 },
    [HL_NPY_INT64] = { "<i8", 8 },
};
enum { N_TYPES = sizeof types / sizeof types[0] };

static bool is_type(hl_npy_type type)
{
    return (unsigned)type < N_TYPES;
}

size_t hl_npy_size(hl_npy_type type)
{
    return is_type(type) ? types[type].size : 0;
}

size_t hl_npy_header_write(hl_npy_type type, hl_shape shape, char header[HL_NPY_MAX_WRITTEN])
{
    if (!is_type(type) || hl_shape_count(shape) < 0) {
        return 0;
    }
    char sizes[128] = "";
    size_t used = 0;
    for (int i = 0; i < shape.n_dims; i++) {
        used += (size_t)snprintf(sizes + used, sizeof sizes - used, "%s%" PRId64, i > 0 ? ", " : "", shape.size[i]);
    }
    char text[HL_NPY_MAX_WRITTEN];
    int length = snprintf(text, sizeof text, "{'descr': '%s', 'fortran_order': False, 'shape': (%s%s), }",
                          types[type].descr, sizes, shape.n_dims == 1 ? "," : "");
    size_t start = LENGTH_AT + 2;
    size_t size = (start + (size_t)length + 1 + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    memset(header, ' ', size);
    memcpy(header, magic, sizeof magic);
    header[VERSION_AT] = 1;
    header[VERSION_AT + 1] = 0;
    header[LENGTH_AT] = (char)((size - start) & 0xff);
    header[LENGTH_AT + 1] = (char)((size - start) >> 8);
    memcpy(header + start, text, (size_t)length);
    header[size - 1] = '\n';
    return size;
}

/* The position of the dictionary: the length before it has two bytes in version 1.0 and four in 2.0. */
static size_t dictionary_at(const char *header)
{
    return header[VERSION_AT] == 1 ? LENGTH_AT + 2 : LENGTH_AT + 4;
}

size_t hl_npy_header_size(const char start[HL_NPY_START])
{
    if (memcmp(start, magic, sizeof magic) != 0 || start[VERSION_AT] < 1 || start[VERSION_AT] > 2 ||
        start[VERSION_AT + 1] != 0) {
        return 0;
    }
    uint64_t size = dictionary_at(start);
    for (size_t i = LENGTH_AT; i < dictionary_at(start); i++) {
        size += (uint64_t)(unsigned char)start[i] << 8 * (i - LENGTH_AT);
    }
    return size < HL_NPY_START || size > HL_NPY_MAX_HEADER ? 0 : (size_t)size;
}

/* ---- reading the dictionary ---- */

typedef struct scanner {
    const char *at;
    const char *end;
} scanner;

static void skip_space(scanner *s)
{
    while (s->at < s->end && (*s->at == ' ' || *s->at == '\n')) {
        s->at++;
    }
}

/* Moves past white space and then `text`. False where another text follows. */
static bool take(scanner *s, const char *text)
{
    skip_space(s);
    size_t length = strlen(text);
    if ((size_t)(s->end - s->at) < length || memcmp(s->at, text, length) != 0) {
        return false;
    }
    s->at += length;
    return true;
}

/* Reads a quoted word of fewer than `capacity` characters, without escapes, and moves past it. */
static bool take_quoted(scanner *s, char *word, size_t capacity)
{
    const char *quote = take(s, "'") ? "'" : take(s, "\"") ? "\"" : NULL;
    if (quote == NULL) {
        return false;
    }
    size_t length = 0;
    while (s->at < s->end && *s->at != *quote && length + 1 < capacity) {
        word[length++] = *s->at++;
    }
    word[length] = '\0';
    return s->at < s->end && *s->at++ == *quote;
}

static bool take_size(scanner *s, int64_t *size)
{
    skip_space(s);
    const char *first = s->at;
    *size = 0;
    for (; s->at < s->end && *s->at >= '0' && *s->at <= '9'; s->at++) {
        if (__builtin_mul_overflow(*size, 10, size) || __builtin_add_overflow(*size, *s->at - '0', size)) {
            return false;
        }
    }
    return s->at > first;
}

static const char malformed[] = "its header is no dictionary of descr, fortran_order and shape";

static const char *read_descr(scanner *s, hl_npy_type *type)
{
    char descr[16];
    if (take_quoted(s, descr, sizeof descr)) {
        for (int i = 0; i < N_TYPES; i++) {
            if (strcmp(descr, types[i].descr) == 0) {
                *type = (hl_npy_type)i;
                return NULL;
            }
        }
    }
    return "its type is none of <f4, <f8, <i4, <i8";
}

static const char *read_shape(scanner *s, hl_shape *shape)
{
    *shape = (hl_shape){ 0 };
    if (!take(s, "(")) {
        return malformed;
    }
    while (!take(s, ")")) {
        if (shape->n_dims == HL_MAX_DIMS) {
            return "it has more than 4 dimensions";
        }
        if (!take_size(s, &shape->size[shape->n_dims])) {
            return "its shape holds what is no size";
        }
        shape->n_dims++;
        bool comma = take(s, ",");
        if (!comma && (shape->n_dims == 1 || !take(s, ")"))) { /* in Python (3) is a number, (3,) a shape */
            return malformed;
        }
        if (!comma) {
            break;
        }
    }
    return hl_shape_count(*shape) < 0 ? "its shape is too large" : NULL;
}

/* Reads one `key: value`; `seen` has a bit for each key that came before. */
static const char *read_item(scanner *s, unsigned *seen, hl_npy_type *type, hl_shape *shape)
{
    static const char *const keys[] = { "descr", "fortran_order", "shape" };
    char key[16];
    if (!take_quoted(s, key, sizeof key) || !take(s, ":")) {
        return malformed;
    }
    for (unsigned i = 0; i < 3; i++) {
        if (strcmp(key, keys[i]) == 0 && (*seen & 1u << i) == 0) {
            *seen |= 1u << i;
            if (i == 1) {
                return take(s, "False") ? NULL : take(s, "True") ? "it is in Fortran order" : malformed;
            }
            return i == 0 ? read_descr(s, type) : read_shape(s, shape);
        }
    }
    return malformed;
}

const char *hl_npy_header_read(const char *header, size_t size, hl_npy_type *type, hl_shape *shape)
{
    scanner s = { header + dictionary_at(header), header + size };
    unsigned seen = 0;
    if (!take(&s, "{")) {
        return malformed;
    }
    while (!take(&s, "}")) {
        const char *wrong = read_item(&s, &seen, type, shape);
        if (wrong != NULL) {
            return wrong;
        }
        if (!take(&s, ",")) {
            if (!take(&s, "}")) {
                return malformed;
            }
            break;
        }
    }
    skip_space(&s);
    return s.at == s.end && seen == 7 ? NULL : malformed;
}
