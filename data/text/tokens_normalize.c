#include "core/base/memory.h"
#include "core/base/private/utf8.h"
#include "data/text/private/grow.h"
#include "data/text/private/tokens_encode.h"
#include "data/text/unicode/private/unicode.h"

#include <string.h>

hl_status hl_tokens_check_text(hl_tokens_kind kind, const char *text, size_t size)
{
    if (size >= INT32_MAX) {
        return hl_error(HL_INVALID, "a text of %zu bytes is too long: 2 GiB and more are not cut into pieces", size);
    }
    for (size_t i = 0, step; kind != HL_TOKENS_BYTES && i < size; i += step) {
        step = (unsigned char)text[i] < 0x80 ? 1 : hl_utf8_decode(text + i, size - i, NULL);
        if (step == 0) {
            return hl_error(HL_INVALID, "byte %zu of the text is not UTF-8", i);
        }
    }
    return hl_ok();
}

/* ---- the rules of BERT ---- */

/* Puts the marks from `first` to the current end of the text into canonical order: by class, and within a class in
 * their old order. HL_NO_MEMORY. */
static hl_status order_marks(hl_tokens_scratch *scratch, size_t first)
{
    size_t n = scratch->n_characters - first, n_ordered = 0;
    if (n < 2) {
        return hl_ok();
    }
    HL_NEED(HL_GROW(scratch->characters, scratch->characters_capacity, scratch->n_characters + n),
            "characters of a text");
    hl_character *marks = scratch->characters + first, *ordered = marks + n;
    for (unsigned class = 1; class < HL_STARTER_REMOVED; class ++) {
        for (size_t i = 0; i < n; i++) {
            if (hl_bert_mark(marks[i].code) == class) {
                ordered[n_ordered++] = marks[i];
            }
        }
    }
    memcpy(marks, ordered, n_ordered * sizeof *marks);
    return hl_ok();
}

/* Adds a character. Marks never move past a character that is not a mark: the marks from *marks on, which end before
 * it, are then put in order. */
static hl_status add_character(hl_tokens_scratch *scratch, hl_character c, bool mark, size_t *marks)
{
    if (!mark) {
        HL_TRY(order_marks(scratch, *marks));
    }
    HL_NEED(HL_GROW(scratch->characters, scratch->characters_capacity, scratch->n_characters + 1),
            "characters of a text");
    scratch->characters[scratch->n_characters++] = c;
    *marks = mark ? *marks : scratch->n_characters;
    return hl_ok();
}

/* Adds the characters that replace one when accents are stripped, in lower case if asked. */
static hl_status add_base(const hl_tokens_rules *rules, hl_character c, hl_tokens_scratch *scratch, size_t *marks)
{
    uint32_t base[HL_BASE_MAX] = { c.code };
    int n = rules->accents ? hl_bert_base(c.code, base) : 1;
    if (n == 0 && hl_bert_mark(c.code) == HL_STARTER_REMOVED) {
        HL_TRY(order_marks(scratch, *marks));
        *marks = scratch->n_characters;
    }
    for (int i = 0; i < n; i++) {
        uint32_t lower[2] = { base[i] };
        int n_lower = rules->lowercase ? hl_bert_lower_case(base[i], lower) : 1;
        bool mark = rules->accents && hl_bert_mark(base[i]) > 0;
        for (int l = 0; l < n_lower; l++) {
            c.code = lower[l];
            HL_TRY(add_character(scratch, c, mark, marks));
        }
    }
    return hl_ok();
}

hl_status hl_tokens_normalize(const hl_tokens_rules *rules, const char *text, size_t size, hl_tokens_scratch *scratch)
{
    size_t marks = 0; /* from there on, all characters so far are marks */
    scratch->n_characters = 0;
    for (size_t i = 0; i < size;) {
        hl_character c = { .begin = i };
        c.bytes = (uint32_t)hl_utf8_decode(text + i, size - i, &c.code);
        i += c.bytes;
        unsigned class = rules->clean || rules->cjk ? hl_bert_class(c.code) : 0;
        if (rules->clean && (class & HL_BERT_DROPPED)) {
            continue;
        }
        if (rules->clean && (class & HL_BERT_WHITE)) {
            c.code = ' ';
        }
        hl_character space = { .code = ' ', .begin = c.begin, .bytes = c.bytes };
        bool alone = rules->cjk && (class & HL_BERT_CJK);
        if (alone) {
            HL_TRY(add_character(scratch, space, false, &marks));
        }
        HL_TRY(add_base(rules, c, scratch, &marks));
        if (alone) {
            HL_TRY(add_character(scratch, space, false, &marks));
        }
    }
    return order_marks(scratch, marks);
}

/* ---- NFC ---- */

/* NFC (Unicode 15, section 3.11): decomposes every character, puts marks in canonical order, and composes again. It
 * does so for one segment after the other: at most one starter, which is a character of class 0, and the marks that
 * follow it. */

enum { CLASSES = 128 };

/* Puts the marks into canonical order: by class, and within a class in their old order. A counting sort, because a text
 * may have any number of marks in a row. HL_NO_MEMORY. */
static hl_status order_parts(hl_tokens_scratch *scratch, size_t first)
{
    const size_t n = scratch->n_parts - first;
    size_t at[CLASSES + 1] = { 0 };
    if (n < 2) {
        return hl_ok();
    }
    HL_NEED(HL_GROW(scratch->parts, scratch->parts_capacity, scratch->n_parts + n), "marks of a text");
    hl_part *marks = scratch->parts + first, *ordered = marks + n;
    for (size_t i = 0; i < n; i++) {
        at[marks[i].class + 1]++;
    }
    for (int class = 1; class < CLASSES; class ++) {
        at[class] += at[class - 1];
    }
    for (size_t i = 0; i < n; i++) {
        ordered[at[marks[i].class]++] = marks[i];
    }
    memcpy(marks, ordered, n * sizeof *marks);
    return hl_ok();
}

/* Replaces the part by its composition with another one, if there is one. */
static bool compose(hl_part *part, hl_part other)
{
    uint32_t both = hl_compose(part->code, other.code);
    if (both != 0) {
        part->code = both;
        part->replaces += other.replaces;
    }
    return both != 0;
}

/* Orders the segment's marks, and composes the starter with them. A mark of the same class before it, which stays,
 * blocks a mark. */
static hl_status compose_segment(hl_tokens_scratch *scratch)
{
    hl_part *parts = scratch->parts;
    bool starter = scratch->n_parts > 0 && parts[0].class == 0;
    HL_TRY(order_parts(scratch, starter));
    parts = scratch->parts;
    size_t n = starter;
    for (size_t i = starter; i < scratch->n_parts; i++) {
        bool blocked = !starter || (n > 1 && parts[n - 1].class == parts[i].class);
        if (blocked || !compose(&parts[0], parts[i])) {
            parts[n++] = parts[i];
        }
    }
    scratch->n_parts = n;
    return hl_ok();
}

/* Where the characters lie that the next parts replace. */
typedef struct source {
    const char *text;
    size_t size, at;
    hl_origin before; /* the last character before `at` */
} source;

static void take_character(source *s)
{
    size_t bytes = hl_character_bytes(s->text + s->at, s->size - s->at);
    s->before = (hl_origin){ (uint32_t)s->at, (uint32_t)(s->at + bytes) };
    s->at += bytes;
}

/* Adds the segment to the normalized text. As in the reference, a part comes from the first of the characters that it
 * replaces. A part that replaces none comes from the character before. */
static hl_status add_segment(hl_tokens_scratch *scratch, source *s)
{
    for (size_t i = 0; i < scratch->n_parts; i++) {
        hl_part part = scratch->parts[i];
        char bytes[4];
        if (part.replaces > 0) {
            take_character(s);
        }
        HL_TRY(hl_tokens_add_plain(scratch, bytes, hl_utf8_encode(part.code, bytes), s->before));
        for (uint32_t more = 1; more < part.replaces; more++) {
            take_character(s);
        }
    }
    scratch->n_parts = 0;
    return hl_ok();
}

/* Adds a part to the segment. Before a starter the segment ends, unless all of it and the starter become one. */
static hl_status add_part(hl_tokens_scratch *scratch, hl_part part, source *s)
{
    if (part.class == 0) {
        HL_TRY(compose_segment(scratch));
        if (scratch->n_parts == 1 && scratch->parts[0].class == 0 && compose(&scratch->parts[0], part)) {
            return hl_ok();
        }
        HL_TRY(add_segment(scratch, s));
    }
    HL_NEED(HL_GROW(scratch->parts, scratch->parts_capacity, scratch->n_parts + 1), "marks of a text");
    scratch->parts[scratch->n_parts++] = part;
    return hl_ok();
}

enum { BELOW_MARKS = 0xCC }; /* begins U+0300, the first character that changes, or composes with one before it */

bool hl_is_nfc(const char *text, size_t size)
{
    bool below = true;
    for (size_t i = 0; i < size; i++) {
        below &= (unsigned char)text[i] < BELOW_MARKS;
    }
    return below;
}

/* Adds the characters below U+0300 that begin at *at and stay as they are: all but the last, which may compose with
 * what follows. They begin a new segment. */
static hl_status add_unchanged(hl_tokens_scratch *scratch, source *s, size_t *at)
{
    size_t end = *at, last = *at;
    for (; end < s->size && (unsigned char)s->text[end] < BELOW_MARKS; end++) {
        last = ((unsigned char)s->text[end] & 0xC0) != 0x80 ? end : last;
    }
    if (last == *at) {
        return hl_ok();
    }
    HL_TRY(compose_segment(scratch));
    HL_TRY(add_segment(scratch, s));
    while (s->at < last) {
        take_character(s);
        HL_TRY(hl_tokens_add_plain(scratch, s->text + s->before.begin, s->before.end - s->before.begin, s->before));
    }
    *at = last;
    return hl_ok();
}

hl_status hl_tokens_normalize_nfc(const char *text, size_t size, hl_tokens_scratch *scratch)
{
    source s = { .text = text, .size = size };
    scratch->n_plain = 0;
    scratch->n_parts = 0;
    for (size_t i = 0; i < size;) {
        uint32_t code, parts[HL_PARTS_MAX];
        HL_TRY(add_unchanged(scratch, &s, &i));
        i += hl_utf8_decode(text + i, size - i, &code);
        int n = hl_decompose(code, parts);
        for (int part = 0; part < n; part++) { /* the first replaces the character */
            HL_TRY(add_part(scratch, (hl_part){ parts[part], part == 0, hl_combining_class(parts[part]) }, &s));
        }
    }
    HL_TRY(compose_segment(scratch));
    return add_segment(scratch, &s);
}

/* ---- words and pieces ---- */

bool hl_tokens_next_word(hl_tokens_kind kind, const hl_tokens_scratch *scratch, size_t *first, size_t *end)
{
    const unsigned punctuation = kind == HL_TOKENS_WORDPIECE ? HL_BERT_PUNCTUATION : 0;
    size_t at = *end;
    unsigned class = 0;
    for (; at < scratch->n_characters; at++) {
        class = kind == HL_TOKENS_CHARS ? 0 : hl_bert_class(scratch->characters[at].code);
        if ((class & HL_BERT_WHITE) == 0) {
            break;
        }
    }
    *first = at;
    if (at == scratch->n_characters) {
        return false;
    }
    bool alone = kind == HL_TOKENS_CHARS || (class & punctuation);
    for (at++; !alone && at < scratch->n_characters; at++) {
        if (hl_bert_class(scratch->characters[at].code) & (HL_BERT_WHITE | punctuation)) {
            break;
        }
    }
    *end = at;
    return true;
}

hl_status hl_tokens_word_bytes(hl_tokens_scratch *scratch, size_t first, size_t end, size_t *size)
{
    enum { MOST = 4 }; /* bytes of a character */
    size_t n = end - first, at = 0;
    HL_NEED(HL_GROW(scratch->word, scratch->word_capacity, MOST * n) &&
                HL_GROW(scratch->ends, scratch->ends_capacity, n) &&
                HL_GROW(scratch->hashes, scratch->hashes_capacity, n),
            "a word's characters");
    for (size_t i = 0; i < n; i++) {
        at += hl_utf8_encode(scratch->characters[first + i].code, scratch->word + at);
        scratch->ends[i] = (uint32_t)at;
    }
    *size = at;
    return hl_ok();
}

void hl_pieces_free(hl_pieces *pieces)
{
    hl_free(pieces->at);
    hl_tokens_scratch *scratch = pieces->scratch;
    if (scratch != NULL) {
        hl_free(scratch->characters);
        hl_free(scratch->word);
        hl_free(scratch->ends);
        hl_free(scratch->hashes);
        hl_free(scratch->symbols);
        hl_free(scratch->heap.at);
        hl_free(scratch->plain);
        hl_free(scratch->origins);
        hl_free(scratch->parts);
        hl_free(scratch->best);
        hl_free(scratch->wrapped);
        hl_free(scratch);
    }
    *pieces = (hl_pieces){ 0 };
}

hl_status hl_pieces_add(hl_pieces *pieces, int32_t id, size_t begin, size_t end)
{
    HL_NEED(HL_GROW(pieces->at, pieces->capacity, pieces->n + 1), "a text's pieces");
    pieces->at[pieces->n++] = (hl_piece){ .id = id, .begin = begin, .end = end };
    return hl_ok();
}

hl_status hl_pieces_add_characters(hl_pieces *pieces, int32_t id, size_t first, size_t end, size_t base)
{
    const hl_character *at = pieces->scratch->characters;
    size_t begin = SIZE_MAX, last = 0;
    for (size_t i = first; i < end; i++) { /* marks may have swapped positions */
        begin = at[i].begin < begin ? at[i].begin : begin;
        last = at[i].begin + at[i].bytes > last ? at[i].begin + at[i].bytes : last;
    }
    return hl_pieces_add(pieces, id, base + begin, base + last);
}
