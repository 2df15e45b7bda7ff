#include "core/base/memory.h"
#include "data/text/private/heap.h"
#include "data/text/private/number_table.h"
#include "tests/check_suite.h"
#include "tests/fault_checks.h"

#include <stdlib.h>

enum { COUNT = 3000 };

static bool downwards(const void *context, uint32_t a, uint32_t b)
{
    ck_assert_int_eq(*(const int *)context, 7);
    return a > b;
}

TEST(entries_come_in_order)
{
    const int context = 7;
    hl_heap heap = { 0 };
    for (uint32_t i = 0; i < COUNT; i++) {
        hl_heap_entry entry = { .key = (int64_t)(i * 2654435761U >> 24) - 128, .number = i };
        ck_assert(hl_heap_push(&heap, entry, downwards, &context));
    }
    bool seen[COUNT] = { false };
    hl_heap_entry before = { .key = INT64_MIN };
    for (int i = 0; i < COUNT; i++) {
        hl_heap_entry entry = hl_heap_pop(&heap, downwards, &context);
        ck_assert(entry.key > before.key || (entry.key == before.key && entry.number < before.number));
        ck_assert(!seen[entry.number]);
        seen[entry.number] = true;
        before = entry;
    }
    ck_assert_uint_eq(heap.n, 0);
    hl_free(heap.at);
}

/* The number i stands for 3 * i; all have one of four hashes. */
static bool is(const void *things, uint32_t number, const void *wanted)
{
    return ((const uint32_t *)things)[number] == *(const uint32_t *)wanted;
}

TEST(numbers_are_found_by_their_things)
{
    uint32_t things[COUNT];
    hl_number_table table = { 0 };
    for (uint32_t i = 0; i < COUNT; i++) {
        things[i] = 3 * i;
        ck_assert_uint_eq(hl_number_table_find(&table, things[i] % 4, is, things, &things[i]), UINT32_MAX);
        ck_assert(hl_number_table_add(&table, things[i] % 4, i));
        ck_assert_uint_ge(table.mask + 1, 2 * (i + 1));
    }
    for (uint32_t thing = 0; thing < 3 * COUNT; thing++) {
        uint32_t number = hl_number_table_find(&table, thing % 4, is, things, &thing);
        ck_assert_uint_eq(number, thing % 3 == 0 ? thing / 3 : UINT32_MAX);
    }
    hl_free(table.at);
}

TEST(without_memory_nothing_changes)
{
    const int context = 7;
    hl_heap heap = { 0 };
    hl_number_table table = { 0 };
    faults_begin();
    faults_in_memory(1, FAULTS_FOR_EVER);
    ck_assert(!hl_heap_push(&heap, (hl_heap_entry){ .key = 1 }, downwards, &context));
    ck_assert(!hl_number_table_add(&table, 0, 0));
    ck_assert(heap.n == 0 && heap.at == NULL && table.at == NULL);
    faults_end();
}

SUITE("heap and number table")
