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

/* ---- marks ---- */

enum { CLASSES = 128 };

static hl_status keep_mark(hl_tokens_scratch *scratch, hl_mark mark)
{
    HL_NEED(HL_GROW(scratch->marks, scratch->marks_capacity, scratch->n_marks + 1), "marks of a text");
    scratch->marks[scratch->n_marks++] = mark;
    return hl_ok();
}

/* Puts the marks from `first` on into canonical order: by class, and within a class in their old order. A counting
 * sort, because a text may have any number of marks in a row. HL_NO_MEMORY. */
static hl_status order_marks(hl_tokens_scratch *scratch, size_t first)
{
    const size_t n = scratch->n_marks - first;
    size_t at[CLASSES + 1] = { 0 };
    if (n < 2) {
        return hl_ok();
    }
    HL_NEED(HL_GROW(scratch->marks, scratch->marks_capacity, scratch->n_marks + n), "marks of a text");
    hl_mark *marks = scratch->marks + first, *ordered = marks + n;
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

static hl_status add_code(hl_tokens_scratch *scratch, uint32_t code, hl_origin origin)
{
    char bytes[4];
    return hl_tokens_add_plain(scratch, bytes, hl_utf8_encode(code, bytes), origin);
}

/* ---- the rules of BERT ---- */

/* Adds the marks that wait, in order, to the normalized text. */
static hl_status add_marks(hl_tokens_scratch *scratch)
{
    HL_TRY(order_marks(scratch, 0));
    for (size_t i = 0; i < scratch->n_marks; i++) {
        HL_TRY(add_code(scratch, scratch->marks[i].code, scratch->marks[i].origin));
    }
    scratch->n_marks = 0;
    return hl_ok();
}

/* Adds a character that is not a mark. Marks never move past it. */
static hl_status add_starter(hl_tokens_scratch *scratch, uint32_t code, hl_origin origin)
{
    if (scratch->n_marks > 0) {
        HL_TRY(add_marks(scratch));
    }
    return add_code(scratch, code, origin);
}

/* Adds the characters that replace one when accents are stripped, in lower case if asked. `alone`: between spaces. */
static hl_status add_base(const hl_tokens_rules *rules, uint32_t code, bool alone, hl_origin origin,
                          hl_tokens_scratch *scratch)
{
    if (alone) {
        HL_TRY(add_starter(scratch, ' ', origin));
    }
    uint32_t base[HL_BASE_MAX] = { code };
    int n = rules->accents ? hl_bert_base(code, base) : 1;
    if (n == 0 && hl_bert_mark(code) == HL_STARTER_REMOVED) {
        HL_TRY(add_marks(scratch));
    }
    for (int i = 0; i < n; i++) {
        uint32_t lower[2] = { base[i] };
        int n_lower = rules->lowercase ? hl_bert_lower_case(base[i], lower) : 1;
        unsigned class = rules->accents ? hl_bert_mark(base[i]) : 0;
        for (int l = 0; l < n_lower; l++) {
            HL_TRY(class > 0 ? keep_mark(scratch, (hl_mark){ .code = lower[l], .class = class, .origin = origin })
                             : add_starter(scratch, lower[l], origin));
        }
    }
    return alone ? add_starter(scratch, ' ', origin) : hl_ok();
}

static hl_status normalize_bert(const hl_tokens_rules *rules, const char *text, size_t size, hl_tokens_scratch *scratch)
{
    for (size_t i = 0, bytes; i < size; i += bytes) {
        uint32_t code;
        bytes = hl_utf8_decode(text + i, size - i, &code);
        const hl_origin origin = { (uint32_t)i, (uint32_t)(i + bytes) };
        unsigned class = rules->clean || rules->cjk ? hl_bert_class(code) : 0;
        if (rules->clean && (class & HL_BERT_DROPPED)) {
            continue;
        }
        HL_TRY(add_base(rules, rules->clean && (class & HL_BERT_WHITE) ? ' ' : code,
                        rules->cjk && (class & HL_BERT_CJK), origin, scratch));
    }
    return add_marks(scratch);
}

/* ---- NFC ---- */

/* NFC (Unicode 15, section 3.11): decomposes every character, puts marks in canonical order, and composes again. It
 * does so for one segment after the other: at most one starter, which is a character of class 0, and the marks that
 * follow it. */

/* Replaces the part by its composition with another one, if there is one. */
static bool compose(hl_mark *part, hl_mark other)
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
    bool starter = scratch->n_marks > 0 && scratch->marks[0].class == 0;
    HL_TRY(order_marks(scratch, starter));
    hl_mark *parts = scratch->marks;
    size_t n = starter;
    for (size_t i = starter; i < scratch->n_marks; i++) {
        bool blocked = !starter || (n > 1 && parts[n - 1].class == parts[i].class);
        if (blocked || !compose(&parts[0], parts[i])) {
            parts[n++] = parts[i];
        }
    }
    scratch->n_marks = n;
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
    for (size_t i = 0; i < scratch->n_marks; i++) {
        hl_mark part = scratch->marks[i];
        if (part.replaces > 0) {
            take_character(s);
        }
        HL_TRY(add_code(scratch, part.code, s->before));
        for (uint32_t more = 1; more < part.replaces; more++) {
            take_character(s);
        }
    }
    scratch->n_marks = 0;
    return hl_ok();
}

/* Adds a part to the segment. Before a starter the segment ends, unless all of it and the starter become one. */
static hl_status add_part(hl_tokens_scratch *scratch, hl_mark part, source *s)
{
    if (part.class == 0) {
        HL_TRY(compose_segment(scratch));
        if (scratch->n_marks == 1 && scratch->marks[0].class == 0 && compose(&scratch->marks[0], part)) {
            return hl_ok();
        }
        HL_TRY(add_segment(scratch, s));
    }
    return keep_mark(scratch, part);
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

static hl_status normalize_nfc(const char *text, size_t size, hl_tokens_scratch *scratch)
{
    source s = { .text = text, .size = size };
    for (size_t i = 0; i < size;) {
        uint32_t code, parts[HL_PARTS_MAX];
        HL_TRY(add_unchanged(scratch, &s, &i));
        i += hl_utf8_decode(text + i, size - i, &code);
        int n = hl_decompose(code, parts);
        for (int part = 0; part < n; part++) { /* the first replaces the character */
            HL_TRY(add_part(scratch, (hl_mark){ parts[part], hl_combining_class(parts[part]), .replaces = part == 0 },
                            &s));
        }
    }
    HL_TRY(compose_segment(scratch));
    return add_segment(scratch, &s);
}

hl_status hl_tokens_normalize(const hl_tokens *tokens, hl_tokens_part *part, hl_tokens_scratch *scratch)
{
    bool bytes = tokens->kind == HL_TOKENS_BYTES || tokens->kind == HL_TOKENS_BPE;
    if (bytes && (!tokens->rules.nfc || hl_is_nfc(part->text, part->size))) {
        return hl_ok();
    }
    scratch->base = part->base;
    scratch->n_plain = 0;
    scratch->n_marks = 0;
    HL_TRY(bytes                     ? normalize_nfc(part->text, part->size, scratch)
           : tokens->unigram != NULL ? hl_tokens_normalize_unigram(tokens->unigram, part->text, part->size, scratch)
                                     : normalize_bert(&tokens->rules, part->text, part->size, scratch));
    part->text = scratch->plain;
    part->size = scratch->n_plain;
    part->base = 0;
    return hl_ok();
}
