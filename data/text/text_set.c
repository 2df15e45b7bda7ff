#include "data/text/private/text_set.h"

#include "core/base/memory.h"
#include "data/text/private/grow.h"
#include "data/text/private/hash.h"

#include <stdlib.h>
#include <string.h>

hl_span hl_text_set_get(const hl_text_set *set, size_t number)
{
    return (hl_span){ set->bytes.bytes + set->at[number].start, set->at[number].size };
}

static bool is_text(const void *things, uint32_t number, const void *wanted)
{
    const hl_span own = hl_text_set_get(things, number), *text = wanted;
    return own.size == text->size && memcmp(own.text, text->text, own.size) == 0;
}

int64_t hl_text_set_find(const hl_text_set *set, const char *text, size_t size)
{
    hl_span wanted = { text, size };
    uint32_t number = hl_number_table_find(&set->table, hl_hash(HL_HASH, text, size), is_text, set, &wanted);
    return number != UINT32_MAX ? (int64_t)number : -1;
}

hl_status hl_text_set_append(hl_text_set *set, const char *text, size_t size)
{
    HL_NEED(set->n < UINT32_MAX && HL_GROW(set->at, set->capacity, set->n + 1), "words of a text");
    set->at[set->n] = (hl_set_text){ .start = set->bytes.size, .size = size };
    hl_text_add(&set->bytes, text, size);
    hl_text_add(&set->bytes, "", 1);
    HL_TRY(hl_text_status(&set->bytes));
    set->n++;
    return hl_ok();
}

hl_status hl_text_set_add(hl_text_set *set, const char *text, size_t size, int64_t count, size_t *number)
{
    int64_t found = hl_text_set_find(set, text, size);
    if (found < 0) {
        found = (int64_t)set->n;
        HL_TRY(hl_text_set_append(set, text, size));
        HL_NEED(hl_number_table_add(&set->table, hl_hash(HL_HASH, text, size), (size_t)found), "words of a text");
    }
    set->at[found].count += count;
    if (number != NULL) {
        *number = (size_t)found;
    }
    return hl_ok();
}

typedef struct sorted {
    const char *bytes;
    hl_set_text text;
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

hl_status hl_text_set_add_most(const hl_text_set *set, int64_t least, size_t size, hl_text_set *to)
{
    sorted *list = hl_calloc(set->n, sizeof *list);
    HL_NEED(list != NULL, "words of a text");
    for (size_t i = 0; i < set->n; i++) {
        list[i] = (sorted){ hl_text_set_get(set, i).text, set->at[i] };
    }
    qsort(list, set->n, sizeof *list, compare);
    hl_status status = hl_ok();
    for (size_t i = 0; i < set->n && to->n < size && list[i].text.count >= least; i++) {
        HL_THEN(status, hl_text_set_add(to, list[i].bytes, list[i].text.size, 0, NULL));
    }
    hl_free(list);
    return status;
}

void hl_text_set_free(hl_text_set *set)
{
    hl_text_free(&set->bytes);
    hl_free(set->at);
    hl_free(set->table.at);
    *set = (hl_text_set){ 0 };
}
