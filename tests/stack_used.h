/* How much of its stack a thread uses. */
#ifndef HL_TESTS_STACK_USED_H
#define HL_TESTS_STACK_USED_H

#include <stddef.h>

/* Calls `work` on a thread of its own and returns the bytes of stack that it took, as far down as it wrote. */
size_t stack_used(void (*work)(void));

#endif
