#include "tests/stack_used.h"

#include <check.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { SIZE = 2 << 20, ALIGNMENT = 4096, UNUSED = 0xa5 };

static void *call(void *work)
{
    (*(void (**)(void))work)();
    return NULL;
}

static void nothing(void)
{
}

/* Of the thread itself, too, whose variables of its own lie there. */
static size_t used_with_thread(void (*work)(void))
{
    unsigned char *stack = aligned_alloc(ALIGNMENT, SIZE);
    ck_assert_ptr_nonnull(stack);
    memset(stack, UNUSED, SIZE);
    pthread_t thread;
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    ck_assert_int_eq(pthread_attr_setstack(&attributes, stack, SIZE), 0);
    ck_assert_int_eq(pthread_create(&thread, &attributes, call, &work), 0);
    pthread_join(thread, NULL);
    pthread_attr_destroy(&attributes);
    size_t unused = 0;
    while (unused < SIZE && stack[unused] == UNUSED) {
        unused++;
    }
    free(stack);
    return SIZE - unused;
}

size_t stack_used(void (*work)(void))
{
    return used_with_thread(work) - used_with_thread(nothing);
}
