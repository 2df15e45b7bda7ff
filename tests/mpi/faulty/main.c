/* The program train as one of several processes, with a fault on one rank: HEADLIGHT_FAULT=RANK:FAULT:N. The fault
 * is `memory` (its N-th allocation fails, and all after it), `write` (its N-th write finds the disk full, and all after
 * it), `weights` (the first N bytes or more that it receives at once are no numbers), `elsewhere` (it runs in another
 * folder), `arguments` (it is started with one more), `exchange` (its N-th that ends has failed, which its status alone
 * tells), `killed` (while it sends for the N-th time), `never` (it does not begin MPI), `believed` (it is killed while
 * it sends for the N-th time, and from then on MPI tells the others that all they wait for has arrived). */
#include "programs/launcher.h"
#include "programs/mpi.h"
#include "programs/start.h"
#include "programs/train/program.h"
#include "tests/faults.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SECONDS_TO_BEGIN = 120, SECONDS_WITHOUT_ONE = 1 };

static int until_failure, until_death;
static int64_t believed; /* the process that is killed; 0: none */

#ifdef HL_MPI
#include <mpi.h>

/* In the place of the library's. */
int MPI_Testall(int count, MPI_Request requests[], int *done, MPI_Status statuses[])
{
    int code = PMPI_Testall(count, requests, done, statuses);
    if (*done && until_failure > 0 && --until_failure == 0) {
        statuses[0].MPI_ERROR = MPI_ERR_OTHER;
    }
    if (!*done && believed > 0 && kill((pid_t)believed, 0) != 0) {
        *done = 1;
        return MPI_SUCCESS;
    }
    return code;
}

int MPI_Isend(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm all, MPI_Request *request)
{
    int code = PMPI_Isend(data, count, type, to, tag, all, request);
    if (until_death > 0 && --until_death == 0) {
        raise(SIGKILL);
    }
    return code;
}
#endif

static void (*receive_all)(void *context, int from, void *data, size_t bytes);
static size_t spoilt;

static void receive_no_numbers(void *context, int from, void *data, size_t bytes)
{
    receive_all(context, from, data, bytes);
    if (bytes >= spoilt) {
        memset(data, 0xff, bytes);
        spoilt = SIZE_MAX;
    }
}

int main(int argc, char **argv)
{
    hl_start("train", argv);
    int rank = -1, n = 0;
    char fault[32] = "";
    const char *told = getenv("HEADLIGHT_FAULT");
    if (told != NULL && sscanf(told, "%d:%31[a-z]:%d", &rank, fault, &n) < 2) {
        return 99;
    }
    bool never = strcmp(fault, "never") == 0;
    if (never && rank == hl_launcher_rank()) {
        sleep(SECONDS_TO_BEGIN);
        return 96;
    }
    hl_ranks ranks;
    if (hl_mpi_begin(&ranks, never ? SECONDS_WITHOUT_ONE : SECONDS_TO_BEGIN).code != HL_OK) {
        return 98;
    }
    if (strcmp(fault, "believed") == 0) {
        believed = getpid();
        ranks.broadcast(ranks.context, rank, &believed, sizeof believed);
        until_death = rank == ranks.rank ? n : 0;
    }
    char *more[64] = { NULL };
    if (rank == ranks.rank && strcmp(fault, "weights") == 0) {
        receive_all = ranks.broadcast;
        ranks.broadcast = receive_no_numbers;
        spoilt = (size_t)n;
    } else if (rank == ranks.rank && strcmp(fault, "elsewhere") == 0) {
        if (chdir("/") != 0) {
            return 97;
        }
    } else if (rank == ranks.rank && strcmp(fault, "arguments") == 0) {
        memcpy(more, argv, (size_t)argc * sizeof *argv);
        more[argc++] = "train.seed=7";
        argv = more;
    } else if (rank == ranks.rank && strcmp(fault, "exchange") == 0) {
        until_failure = n;
    } else if (rank == ranks.rank && strcmp(fault, "killed") == 0) {
        until_death = n;
    } else if (rank == ranks.rank && strcmp(fault, "believed") != 0) {
        faults_begin();
        faults_of_call(FAULTS_WRITE);
        faults_in_files(strcmp(fault, "write") == 0 ? n : 0, FAULTS_FOR_EVER, ENOSPC);
        faults_in_memory(strcmp(fault, "memory") == 0 ? n : 0, FAULTS_FOR_EVER);
    }
    FILE *nowhere = ranks.rank > 0 ? fopen("/dev/null", "w") : NULL; /* as hl_mpi_main */
    int code = hl_train_program_together(&ranks, argc, argv, nowhere != NULL ? nowhere : stdout,
                                         nowhere != NULL ? nowhere : stderr);
    if (nowhere != NULL) {
        fclose(nowhere);
    }
    hl_mpi_end(&ranks);
    return code;
}
