#include "data/text/private/entities.h"

#include "core/base/memory.h"
#include "data/text/private/grow.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PARTS = 99 };

/* A part of Entity=...: a name with brackets around it. */
typedef struct bracket {
    bool opens, closes;
    hl_span id;
    int32_t part, n_parts;
} bracket;

/* The value of Entity in MISC; its text is NULL if there is none. */
static hl_span value_of(hl_span misc)
{
    static const char key[] = "Entity=";
    size_t size = sizeof key - 1;
    for (hl_span item; hl_conllu_next_item(&misc, &item);) {
        if (item.size >= size && memcmp(item.text, key, size) == 0) {
            return (hl_span){ item.text + size, item.size - size };
        }
    }
    return (hl_span){ NULL, 0 };
}

static int32_t read_count(const char **at, const char *end)
{
    int32_t number = 0;
    while (*at < end && **at >= '0' && **at <= '9' && number <= MOST_PARTS) {
        number = 10 * number + (*(*at)++ - '0');
    }
    return number;
}

/* Takes "[part/n]" from the end of the id. False if it has brackets, but not these. */
static bool take_parts(bracket *b)
{
    const char *open = memchr(b->id.text, '[', b->id.size), *end = b->id.text + b->id.size;
    b->part = b->n_parts = 1;
    if (open == NULL) {
        return true;
    }
    const char *at = open + 1;
    b->part = read_count(&at, end);
    bool slash = at < end && *at++ == '/';
    b->n_parts = slash ? read_count(&at, end) : 0;
    b->id.size = (size_t)(open - b->id.text);
    return at + 1 == end && *at == ']' && b->part >= 1 && b->part <= b->n_parts && b->n_parts >= 2 &&
           b->n_parts <= MOST_PARTS;
}

/* Takes the next bracket from *rest; false if none can be read. *numbered: whether its [part/n] is right. */
static bool next_bracket(hl_span *rest, bracket *b, bool *numbered)
{
    const char *at = rest->text, *end = at + rest->size;
    *b = (bracket){ .opens = *at == '(' };
    at += b->opens;
    b->id.text = at;
    while (at < end && *at != '(' && *at != ')' && *at != '-') {
        at++;
    }
    b->id.size = (size_t)(at - b->id.text);
    while (b->opens && at < end && *at != '(' && *at != ')') {
        at++; /* its fields, such as -person-new */
    }
    b->closes = at < end && *at == ')';
    at += b->closes;
    *rest = (hl_span){ at, (size_t)(end - at) };
    bool named = b->id.size > 0 && b->id.text[0] != '[';
    *numbered = named && take_parts(b);
    return named && (b->opens || b->closes);
}

/* ---- mentions ---- */

/* The last part of the entity's mentions with that number: open or, with `ended`, ended; n_open if there is none. */
static size_t find_part(const hl_entities *e, int32_t entity, int32_t part, int32_t n_parts, bool ended)
{
    for (size_t i = e->n_open; i-- > 0;) {
        const hl_open_mention *m = &e->open[i];
        if (m->entity == entity && m->part == part && m->n_parts == n_parts && (m->end >= 0) == ended) {
            return i;
        }
    }
    return e->n_open;
}

static bool has_word(const hl_entities *e, const size_t *parts, int32_t n, int64_t word)
{
    bool has = false;
    for (int32_t p = 0; p < n; p++) {
        has = has || (word >= e->open[parts[p]].begin && word < e->open[parts[p]].end);
    }
    return has;
}

/* The head of a mention with these parts. Heads of a tree have no circle, so there is one. */
static int64_t head_of(const hl_entities *e, const size_t *parts, int32_t n)
{
    for (int32_t p = 0; p < n; p++) {
        for (int64_t w = e->open[parts[p]].begin; w < e->open[parts[p]].end; w++) {
            if (!has_word(e, parts, n, e->heads[w])) {
                return w;
            }
        }
    }
    return e->open[parts[0]].begin;
}

/* Makes a mention of the entity's parts if all of them have ended, and forgets them. */
static hl_status complete(hl_entities *e, int32_t entity, int32_t n_parts)
{
    size_t parts[MOST_PARTS];
    for (int32_t p = 0; p < n_parts; p++) {
        parts[p] = find_part(e, entity, p + 1, n_parts, true);
        if (parts[p] == e->n_open) {
            return hl_ok();
        }
    }
    HL_NEED(HL_GROW(e->mentions, e->mentions_capacity, e->n_mentions + 1), "mentions");
    hl_mention mention = { .head = head_of(e, parts, n_parts), .entity = entity };
    if (n_parts == 1) {
        mention.begin = e->open[parts[0]].begin;
        mention.end = e->open[parts[0]].end;
    }
    e->mentions[e->n_mentions++] = mention;
    for (int32_t p = 0; p < n_parts; p++) {
        size_t at = find_part(e, entity, p + 1, n_parts, true);
        memmove(e->open + at, e->open + at + 1, (--e->n_open - at) * sizeof *e->open);
    }
    return hl_ok();
}

static hl_status take_bracket(hl_entities *e, const hl_conllu *reader, int64_t line, int64_t word, const bracket *b)
{
    size_t entity;
    HL_TRY(hl_text_set_add(&e->ids, b->id.text, b->id.size, 1, &entity));
    if (b->opens) {
        HL_NEED(HL_GROW(e->open, e->open_capacity, e->n_open + 1), "mentions");
        e->open[e->n_open++] = (hl_open_mention){ (int32_t)entity, b->part, b->n_parts, word, -1, line };
    }
    if (!b->closes) {
        return hl_ok();
    }
    size_t at = find_part(e, (int32_t)entity, b->part, b->n_parts, false);
    if (at == e->n_open) {
        return hl_lines_bad(hl_conllu_lines(reader), line, "%.*s) closes a mention that is not open",
                            (int)(b->id.size < 40 ? b->id.size : 40), b->id.text);
    }
    e->open[at].end = word + 1;
    return hl_ok();
}

/* ---- sentences ---- */

/* Reads Entity of one word. Mentions that end here are completed when the sentence's heads are all known. */
static hl_status add_word(hl_entities *e, const hl_conllu *reader, const hl_conllu_word *word, int64_t number)
{
    hl_span rest = value_of(word->columns[HL_CONLLU_MISC]);
    if (rest.text != NULL && rest.size == 0) {
        return hl_lines_bad(hl_conllu_lines(reader), word->line, "Entity= is empty");
    }
    while (rest.size > 0) {
        bracket b;
        bool numbered;
        hl_span before = rest;
        if (!next_bracket(&rest, &b, &numbered)) {
            return hl_lines_bad(
                hl_conllu_lines(reader), word->line,
                "Entity= cannot be read at \"%.*s\": its parts look like (e1-person, e1) or (e1-person)",
                (int)(before.size < 40 ? before.size : 40), before.text);
        }
        if (!numbered) {
            return hl_lines_bad(hl_conllu_lines(reader), word->line,
                                "Entity= at \"%.*s\": the parts of a mention are numbered [1/n] to [n/n], with n from "
                                "2 to %d",
                                (int)(before.size < 40 ? before.size : 40), before.text, MOST_PARTS);
        }
        HL_TRY(take_bracket(e, reader, word->line, number, &b));
    }
    return hl_ok();
}

/* Completes the mentions whose parts have all ended. */
static hl_status complete_all(hl_entities *e)
{
    for (size_t i = 0; i < e->n_open;) {
        size_t before = e->n_open;
        hl_open_mention m = e->open[i];
        HL_TRY(m.end >= 0 ? complete(e, m.entity, m.n_parts) : hl_ok());
        i = e->n_open < before ? 0 : i + 1;
    }
    return hl_ok();
}

hl_status hl_entities_add(hl_entities *e, const hl_conllu *reader, const hl_conllu_sentence *sentence)
{
    int64_t first = (int64_t)e->n_words;
    HL_NEED(HL_GROW(e->heads, e->words_capacity, e->n_words + (size_t)sentence->n_words), "mentions");
    for (int64_t w = 0; w < sentence->n_words; w++) {
        int64_t head = sentence->words[w].head;
        e->heads[e->n_words++] = head > 0 ? first + head - 1 : -1;
    }
    for (int64_t w = 0; w < sentence->n_words; w++) {
        HL_TRY(add_word(e, reader, &sentence->words[w], first + w));
    }
    return complete_all(e);
}

static int by_head(const void *a, const void *b)
{
    const hl_mention *x = a, *y = b;
    return x->head != y->head ? (x->head > y->head) - (x->head < y->head)
                              : (x->entity > y->entity) - (x->entity < y->entity);
}

hl_status hl_entities_end(hl_entities *e, const hl_conllu *reader)
{
    if (e->n_open > 0) {
        hl_span id = hl_text_set_get(&e->ids, (size_t)e->open[0].entity);
        return hl_lines_bad(hl_conllu_lines(reader), e->open[0].line,
                            "the mention of %.*s does not end in its document", (int)(id.size < 40 ? id.size : 40),
                            id.text);
    }
    if (e->n_mentions > 0) {
        qsort(e->mentions, e->n_mentions, sizeof *e->mentions, by_head);
    }
    return hl_ok();
}

void hl_entities_clear(hl_entities *e)
{
    hl_text_set_free(&e->ids);
    e->n_mentions = e->n_open = e->n_words = 0;
}

void hl_entities_free(hl_entities *e)
{
    hl_text_set_free(&e->ids);
    hl_free(e->mentions);
    hl_free(e->open);
    hl_free(e->heads);
    *e = (hl_entities){ 0 };
}
