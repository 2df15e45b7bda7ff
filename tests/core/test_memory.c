#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "core/base/memory.h"

#include "tests/check_suite.h"
#include "tests/faults.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

TEST(blocks_are_aligned_and_zeroed)
{
    static const size_t sizes[] = { 0, 1, 63, 64, 65, 4097 };
    for (int i = 0; i < 6; i++) {
        char *block = hl_malloc(sizes[i]), *zeros = hl_calloc(sizes[i], 3);
        ck_assert_ptr_nonnull(block);
        ck_assert_ptr_nonnull(zeros);
        ck_assert_uint_eq((uintptr_t)block % 64, 0);
        ck_assert_uint_eq((uintptr_t)zeros % 64, 0);
        memset(block, 1, sizes[i]);
        for (size_t k = 0; k < 3 * sizes[i]; k++) {
            ck_assert_int_eq(zeros[k], 0);
        }
        hl_free(block);
        hl_free(zeros);
    }
    hl_free(NULL);
}

/* Whether the kernel notes ("hg" in smaps) that huge pages are wanted where `block` lies. */
static bool wants_huge_pages(const char *block)
{
    FILE *file = fopen("/proc/self/smaps", "r");
    ck_assert_ptr_nonnull(file);
    char line[512];
    bool within = false, wants = false;
    while (fgets(line, sizeof line, file) != NULL) {
        uintptr_t begin, end;
        if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR " ", &begin, &end) == 2) {
            within = begin <= (uintptr_t)block && (uintptr_t)block < end;
        } else if (within && strncmp(line, "VmFlags:", 8) == 0) {
            wants = strstr(line, " hg") != NULL;
        }
    }
    fclose(file);
    return wants;
}

/* From the kernel alone: the C library's own blocks may lie where others wanted huge pages. */
static void *map(size_t bytes)
{
    void *block = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return block != MAP_FAILED ? block : NULL;
}

TEST(large_blocks_want_huge_pages)
{
    if (access("/sys/kernel/mm/transparent_hugepage", F_OK) != 0) {
        return; /* a kernel without them */
    }
    hl_allocator_set(&(hl_allocator){ .allocate = map });
    char *large = hl_malloc(HL_MEMORY_LARGE), *small = hl_malloc(HL_MEMORY_LARGE - 1);
    ck_assert(wants_huge_pages(large + HL_MEMORY_LARGE / 2));
    ck_assert(!wants_huge_pages(small + HL_MEMORY_LARGE / 2));
    hl_allocator_set(NULL);
    munmap(large, HL_MEMORY_LARGE);
    munmap(small, HL_MEMORY_LARGE - 1);
}

TEST(sizes_that_do_not_fit_give_null)
{
    size_t half = SIZE_MAX / 2 + 1, product = 5;
    ck_assert_ptr_null(hl_malloc(SIZE_MAX));
    ck_assert_ptr_null(hl_malloc(SIZE_MAX - 62));
    ck_assert_ptr_null(hl_calloc(half, 2));
    ck_assert_ptr_null(hl_calloc(2, half));
    ck_assert_ptr_null(hl_calloc(SIZE_MAX, SIZE_MAX));
    char *block = hl_malloc(3);
    memcpy(block, "ab", 3);
    ck_assert_ptr_null(hl_realloc(block, half, 2));
    ck_assert_str_eq(block, "ab");
    ck_assert(!hl_multiply_sizes(half, 2, &product));
    ck_assert(hl_multiply_sizes(half, 1, &product) && product == half);
    ck_assert(hl_multiply_sizes(0, SIZE_MAX, &product) && product == 0);
    hl_free(block);
}

TEST(growing_keeps_the_content)
{
    char *block = hl_malloc(4);
    memcpy(block, "abc", 4);
    block = hl_realloc(block, 1000, 100);
    ck_assert_str_eq(block, "abc");
    block = hl_realloc(block, 2, 2);
    ck_assert_str_eq(block, "abc");
    hl_free(block);
    block = hl_realloc(NULL, 10, 1);
    ck_assert_ptr_nonnull(block);
    hl_free(block);
    block = hl_strdup("");
    ck_assert_str_eq(block, "");
    hl_free(block);
    block = hl_strdup("headlight");
    ck_assert_str_eq(block, "headlight");
    hl_free(block);
}

/* A table that counts, and refuses from a point on. */
static int allocations, reallocations, releases, left;

static void *count_allocate(size_t bytes)
{
    allocations++;
    return left-- > 0 ? aligned_alloc(64, (bytes + 63) / 64 * 64) : NULL;
}

static void *count_reallocate(void *block, size_t bytes)
{
    reallocations++;
    return left-- > 0 ? realloc(block, bytes) : NULL;
}

static void count_release(void *block)
{
    releases++;
    free(block);
}

TEST(all_memory_comes_through_the_table)
{
    hl_allocator_set(&(hl_allocator){ count_allocate, count_reallocate, count_release });
    left = 4;
    void *blocks[] = { hl_malloc(1), hl_calloc(1, 1), hl_strdup("x"), NULL };
    blocks[3] = hl_realloc(NULL, 1, 1);
    ck_assert_int_eq(allocations, 3);
    ck_assert_int_eq(reallocations, 1);
    ck_assert_ptr_null(hl_malloc(1));
    ck_assert_ptr_null(hl_calloc(1, 1));
    ck_assert_ptr_null(hl_strdup("x"));
    ck_assert_ptr_null(hl_realloc(blocks[3], 2, 1));
    for (int i = 0; i < 4; i++) {
        ck_assert_ptr_nonnull(blocks[i]);
        hl_free(blocks[i]);
    }
    hl_free(NULL);
    ck_assert_int_eq(releases, 5);
    hl_allocator_set(NULL);
    hl_free(hl_malloc(1));
    ck_assert_int_eq(allocations, 6);
    ck_assert_int_eq(releases, 5);
}

TEST(room_is_told_and_not_kept)
{
    faults_begin();
    ck_assert(hl_memory_has(1000));
    ck_assert_int_eq(faults_live_blocks(), 0);
    faults_in_memory(1, FAULTS_ONCE);
    ck_assert(!hl_memory_has(1000));
    ck_assert(hl_memory_has(1000));
    faults_end();
    ck_assert(!hl_memory_has(SIZE_MAX));
}

SUITE("memory")
