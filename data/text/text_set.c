#include "data/text/private/text_set.h"

#include "core/base/memory.h"
#include "data/text/lines.h"
#include "data/text/private/grow.h"
#include "data/text/private/hash.h"

#include <stdlib.h>
#include <string.h>

const char *hl_text_set_get(const hl_text_set *set, size_t number, size_t *size)
{
    *size = set->at[number].size;
    return set->bytes.bytes + set->at[number].start;
}

static bool is_text(const void *things, uint32_t number, const void *wanted)
{
    const hl_text_set *set = things;
    const hl_span *text = wanted;
    size_t size;
    const char *bytes = hl_text_set_get(set, number, &size);
    return size == text->size && memcmp(bytes, text->text, size) == 0;
}

static uint64_t hash_of(const void *things, uint32_t number)
{
    size_t size;
    const char *text = hl_text_set_get(things, number, &size);
    return hl_hash(HL_HASH, text, size);
}

/* The entry with the text's number in the table, or the free entry where it would belong. */
static uint32_t *find(const hl_text_set *set, const char *text, size_t size)
{
    hl_span wanted = { text, size };
    return hl_number_table_find(&set->table, hl_hash(HL_HASH, text, size), is_text, set, &wanted);
}

hl_status hl_text_set_add(hl_text_set *set, const char *text, size_t size, int64_t count, size_t *number)
{
    HL_NEED(hl_number_table_grow(&set->table, set->n, hash_of, set), "words of a text");
    uint32_t *place = find(set, text, size);
    if (*place == UINT32_MAX) {
        HL_NEED(set->n < UINT32_MAX && HL_GROW(set->at, set->capacity, set->n + 1), "words of a text");
        set->at[set->n] = (hl_set_text){ .start = set->bytes.size, .size = size };
        hl_text_add(&set->bytes, text, size);
        HL_TRY(hl_text_status(&set->bytes));
        *place = (uint32_t)set->n++;
    }
    set->at[*place].count += count;
    if (number != NULL) {
        *number = *place;
    }
    return hl_ok();
}

bool hl_text_set_has(const hl_text_set *set, const char *text, size_t size)
{
    return set->n > 0 && *find(set, text, size) != UINT32_MAX;
}

typedef struct sorted {
    const char *bytes;
    hl_set_text text;
    size_t number;
} sorted;

static int compare(const void *a, const void *b)
{
    const sorted *x = a, *y = b;
    if (x->text.count != y->text.count) {
        return x->text.count > y->text.count ? -1 : 1;
    }
    size_t least = x->text.size < y->text.size ? x->text.size : y->text.size;
    int order = memcmp(x->bytes, y->bytes, least);
    return order != 0 ? order : (x->text.size > y->text.size) - (x->text.size < y->text.size);
}

hl_status hl_text_set_by_count(const hl_text_set *set, size_t **numbers)
{
    sorted *list = hl_calloc(set->n, sizeof *list);
    *numbers = hl_calloc(set->n, sizeof **numbers);
    if (list == NULL || *numbers == NULL) {
        hl_free(list);
        hl_free(*numbers);
        *numbers = NULL;
        return hl_error_memory("words of a text");
    }
    for (size_t i = 0; i < set->n; i++) {
        list[i] = (sorted){ set->bytes.bytes + set->at[i].start, set->at[i], i };
    }
    qsort(list, set->n, sizeof *list, compare);
    for (size_t i = 0; i < set->n; i++) {
        (*numbers)[i] = list[i].number;
    }
    hl_free(list);
    return hl_ok();
}

void hl_text_set_free(hl_text_set *set)
{
    hl_text_free(&set->bytes);
    hl_free(set->at);
    hl_free(set->table.at);
    *set = (hl_text_set){ 0 };
}
