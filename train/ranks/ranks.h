/* The processes that compute one run together: as a table of functions, which programs/mpi.c fills with MPI's.
 *
 * All ranks run the same loop over the same config (train/loop.h) with the same weights; each computes its own leaves
 * of a batch (leaf_sum.h), and rank 0 alone prints and writes. They stay together by one rule: whatever ranks
 * exchange begins with hl_ranks_agree, and between it and the exchange nothing can fail. A rank that fails anywhere
 * calls it with its failure once more, where the others wait for it, and all of them end with the same status.
 *
 * Everywhere NULL stands for a process that is alone. */
#ifndef HL_TRAIN_RANKS_RANKS_H
#define HL_TRAIN_RANKS_RANKS_H

#include "core/declarations.h"
#include "core/status.h"
#include "heads/share.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

HL_BEGIN_DECLS

/* Where another rank is lost, functions that exchange do not return, or with data that are not what it sent; `maximum`
 * and `sum` do not return. The launcher then ends the process. */
typedef struct hl_ranks {
    int rank, n; /* 0 <= rank < n */
    void *context;

    /* Gives `bytes` bytes to one rank, which receives as many from this one. */
    void (*send)(void *context, int to, const void *data, size_t bytes);
    void (*receive)(void *context, int from, void *data, size_t bytes);

    /* Those of the rank `from`, on all ranks. */
    void (*broadcast)(void *context, int from, void *data, size_t bytes);

    /* Replaces each of `count` values by the largest, or by the sum, of those of all ranks. */
    void (*maximum)(void *context, int64_t *values, int64_t count);
    void (*sum)(void *context, int64_t *values, int64_t count);

    int signal;  /* the largest that a rank had received when they last agreed; 0: none */
    bool parted; /* they agreed on a failure, and exchange nothing more */
    bool mixed;  /* their builds or CPUs differ, and so may the last bits of what each computes */
} hl_ranks;

/* Whether this is the process that prints and writes. */
bool hl_ranks_leads(const hl_ranks *ranks);

/* How many there are, 1 for NULL; and which one this is. */
int hl_ranks_count(const hl_ranks *ranks);
int hl_ranks_rank(const hl_ranks *ranks);

/* Returns the failure of the lowest rank that has one, on all of them, with "rank 2: " before its text where that is
 * not rank 0; OK where none has. Sets `signal`. Where they have parted, or there is one rank, it returns `own`. */
hl_status hl_ranks_agree(hl_ranks *ranks, hl_status own);

/* The signal that asks all of them to end, as they last agreed; 0: none. Alone it is hl_signals_received(). */
int hl_ranks_signal(const hl_ranks *ranks);

/* Broadcasts of rank 0, and sums; nothing where there is one rank, or where they have parted. */
void hl_ranks_broadcast(hl_ranks *ranks, void *data, size_t bytes);
void hl_ranks_sum(hl_ranks *ranks, int64_t *values, int64_t count);

/* What measures heads together with the other ranks; `ranks` must outlive it. */
hl_share hl_ranks_share(hl_ranks *ranks);

HL_END_DECLS

#endif
