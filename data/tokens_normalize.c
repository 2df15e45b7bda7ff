#include "core/memory.h"
#include "core/private/utf8.h"
#include "data/private/grow.h"
#include "data/private/tokens_encode.h"
#include "data/private/unicode.h"

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

/* Puts a mark before marks of a higher class that stand directly before it: the canonical order. */
static void order_mark(hl_tokens_scratch *scratch, size_t starter)
{
    hl_character *at = scratch->characters;
    hl_character mark = at[scratch->n_characters - 1];
    size_t place = scratch->n_characters - 1;
    while (place > starter && hl_bert_mark(at[place - 1].code) > hl_bert_mark(mark.code)) {
        at[place] = at[place - 1];
        place--;
    }
    at[place] = mark;
}

/* The characters that one becomes where accents are stripped, in lower case where asked. *starter: the place after the
 * last character that no mark may move over. */
static void add_base(const hl_tokens_rules *rules, hl_character c, hl_tokens_scratch *scratch, size_t *starter)
{
    uint32_t base[HL_BASE_MAX] = { c.code };
    int n = 1;
    if (rules->accents) {
        n = hl_bert_base(c.code, base);
        if (n == 0 && hl_bert_mark(c.code) == HL_STARTER_REMOVED) {
            *starter = scratch->n_characters;
        }
    }
    for (int i = 0; i < n; i++) {
        uint32_t lower[2] = { base[i] };
        int n_lower = rules->lowercase ? hl_bert_lower_case(base[i], lower) : 1;
        for (int l = 0; l < n_lower; l++) {
            c.code = lower[l];
            scratch->characters[scratch->n_characters++] = c;
        }
        if (rules->accents && hl_bert_mark(base[i]) > 0) {
            order_mark(scratch, *starter);
        } else {
            *starter = scratch->n_characters;
        }
    }
}

hl_status hl_tokens_normalize(const hl_tokens_rules *rules, const char *text, size_t size, hl_tokens_scratch *scratch)
{
    enum { MOST = 2 * HL_BASE_MAX + 2 }; /* characters that one becomes, with spaces */
    size_t starter = 0;
    scratch->n_characters = 0;
    for (size_t i = 0; i < size;) {
        hl_character c = { .begin = i };
        c.bytes = (uint32_t)hl_utf8_decode(text + i, size - i, &c.code);
        i += c.bytes;
        if (!hl_grow((void **)&scratch->characters, &scratch->characters_capacity, scratch->n_characters + MOST,
                     sizeof *scratch->characters)) {
            return hl_error_memory("characters of a text");
        }
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
            scratch->characters[scratch->n_characters++] = space;
        }
        add_base(rules, c, scratch, &starter);
        if (alone) {
            scratch->characters[scratch->n_characters++] = space;
            starter = scratch->n_characters;
        }
    }
    return hl_ok();
}

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
    if (!hl_grow((void **)&scratch->word, &scratch->word_capacity, MOST * n, 1) ||
        !hl_grow((void **)&scratch->ends, &scratch->ends_capacity, n, sizeof *scratch->ends) ||
        !hl_grow((void **)&scratch->hashes, &scratch->hashes_capacity, n, sizeof *scratch->hashes)) {
        return hl_error_memory("a word's characters");
    }
    for (size_t i = 0; i < n; i++) {
        at += hl_utf8_encode(scratch->characters[first + i].code, scratch->word + at);
        scratch->ends[i] = (uint32_t)at;
    }
    *size = at;
    return hl_ok();
}

hl_status hl_pieces_add(hl_pieces *pieces, int32_t id, size_t begin, size_t end)
{
    if (!hl_grow((void **)&pieces->at, &pieces->capacity, pieces->n + 1, sizeof *pieces->at)) {
        return hl_error_memory("a text's pieces");
    }
    pieces->at[pieces->n++] = (hl_piece){ .id = id, .begin = begin, .end = end };
    return hl_ok();
}

hl_status hl_pieces_add_characters(hl_pieces *pieces, int32_t id, size_t first, size_t end, size_t base)
{
    const hl_character *at = pieces->scratch->characters;
    size_t begin = SIZE_MAX, last = 0;
    for (size_t i = first; i < end; i++) { /* marks may have changed places */
        begin = at[i].begin < begin ? at[i].begin : begin;
        last = at[i].begin + at[i].bytes > last ? at[i].begin + at[i].bytes : last;
    }
    return hl_pieces_add(pieces, id, base + begin, base + last);
}
