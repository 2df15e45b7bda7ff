/* Ranks (train/ranks/ranks.h) as threads of one process, for tests of what several processes do together. */
#pragma once

#include "train/ranks/ranks.h"

enum { THREAD_RANKS_MOST = 8 };

/* Calls work(ranks, context) in each of n threads, up to THREAD_RANKS_MOST, with a rank of its own; returns when all
 * have returned. A rank that returns while others wait for it leaves them waiting: the test then ends by its time. */
void thread_ranks_run(int n, void (*work)(hl_ranks *ranks, void *context), void *context);

/* The bytes that the ranks of the last run gave to send, in all. */
size_t thread_ranks_sent(void);
