/* How much of its stack a thread uses. */
#pragma once

#include <stddef.h>

/* Calls `work` on a thread of its own and returns the bytes of stack that it took, as far down as it wrote. */
size_t stack_used(void (*work)(void));
