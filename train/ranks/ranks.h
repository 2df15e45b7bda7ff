/* The processes that compute one run together, as a table of functions. programs/mpi.c fills it with MPI's.
 *
 * All ranks run the same loop over the same config (train/loop.h) with the same weights. Each computes its own leaves
 * of a batch (leaf_sum.h), and only rank 0 prints and writes. One rule keeps them together: every exchange begins with
 * hl_ranks_agree, and between the agreement and the exchange nothing can fail. A rank that fails anywhere calls
 * hl_ranks_agree once more with its failure. The others wait for it there, and all of them end with the same status.
 *
 * Why rank 0 never uses a message whose sender died. MPI promises nothing after a death: a receive may then end with
 * data that nobody sent. Three rules are enough. 1. Every exchange of data ends with a broadcast from rank 0
 * (hl_leaf_sum_finish, hl_ranks_sum). Rank 0 begins it
 *     when its own result is complete.
 * 2. Rank 0 uses the result only after the next agreement, which each rank enters when it has the broadcast. 3. An
 * agreement returns only if every rank has entered it. programs/mpi.c checks this, and ends the process if not. Let r
 * be the rank that dies first. By rule 3 it had entered the agreement, so it had received the broadcast. No rank had
 * died by then, so MPI's promises held and the broadcast was real. By rule 1 the result of rank 0 was complete before
 * it. All messages that this result rests on, through any number of ranks, are older still: they were received while
 * all ranks lived. If r had not entered the agreement, rank 0 does not return from it; if r is rank 0, nothing more is
 * written. What other ranks receive after the death may be false. They write nothing, and what they send can reach rank
 * 0's files only through another agreement, which r never enters.
 *
 * In every function, NULL stands for a process that is alone. */
#pragma once

#include "core/base/declarations.h"
#include "core/base/status.h"
#include "heads/share.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

HL_BEGIN_DECLS

/* Once another rank is lost, `send`, `receive` and `broadcast` do not return, or they return with false data. `maximum`
 * and `sum` return only if every rank has called them; their values may then be false. Otherwise the process ends. */
typedef struct hl_ranks {
    int rank, n; /* 0 <= rank < n */
    void *context;

    /* Sends `bytes` bytes to one rank, which receives as many from this one. */
    void (*send)(void *context, int to, const void *data, size_t bytes);
    void (*receive)(void *context, int from, void *data, size_t bytes);

    /* Copies the bytes of the rank `from` to all ranks. */
    void (*broadcast)(void *context, int from, void *data, size_t bytes);

    /* Replaces each of `count` values by the largest of all ranks, or by their sum. */
    void (*maximum)(void *context, int64_t *values, int64_t count);
    void (*sum)(void *context, int64_t *values, int64_t count);

    int signal;  /* the largest signal that a rank had received at the last agreement; 0: none */
    bool parted; /* they agreed on a failure, and exchange nothing more */
    bool mixed;  /* their builds or CPUs differ, so the last bits of their results may differ too */
} hl_ranks;

/* Whether this is the process that prints and writes. */
bool hl_ranks_leads(const hl_ranks *ranks);

/* The number of ranks, 1 for NULL; and the number of this one. */
int hl_ranks_count(const hl_ranks *ranks);
int hl_ranks_rank(const hl_ranks *ranks);

/* Returns the failure of the lowest rank that has one, on all ranks, with "rank 2: " before its text unless it is rank
 * 0; OK if none has failed. Sets `signal`. If they have parted, or there is one rank, it returns `own`. */
hl_status hl_ranks_agree(hl_ranks *ranks, hl_status own);

/* The signal that asks all of them to end, as of the last agreement; 0: none. With one process,
 * hl_signals_received(). */
int hl_ranks_signal(const hl_ranks *ranks);

/* A broadcast from rank 0, and a sum that ends with one. They do nothing if there is one rank, or if they have
 * parted. */
void hl_ranks_broadcast(hl_ranks *ranks, void *data, size_t bytes);
void hl_ranks_sum(hl_ranks *ranks, int64_t *values, int64_t count);

/* Lets the ranks measure heads together; `ranks` must outlive it. */
hl_share hl_ranks_share(hl_ranks *ranks);

HL_END_DECLS
