#include "programs/mpi.h"

#include "programs/launcher.h"
#include "programs/print_line.h"

#include <stdlib.h>
#include <unistd.h>

#ifdef HL_MPI
#include "core/base/clock.h"
#include "data/text/split.h"

#include <mpi.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <time.h>

/* MPI counts by int, and not every version sends what comes near its limit well. */
enum { MOST_BYTES = 1 << 30 };

/* A library of MPI polls while it waits, as if the core were its own. Where ranks share cores, those that wait take
 * them from those that compute: so no call here blocks, and between two looks the core is given to whoever wants it.
 * One who waits for long, as for the files that rank 0 writes, sleeps; exchanges of data follow at once, and go on
 * only while both sides look. */
typedef enum patience { AWAKE, MAY_SLEEP } patience;

/* An exchange that failed never returns to those who would take what it left for data. That errors end the job unless
 * MPI is asked for something else is not relied on: some MPI may pass over those of a collective request, which only
 * its status then tells. */
static void end_unless(bool went_well)
{
    if (!went_well) {
        hl_print_line(stderr, "rank %d: an exchange with other processes failed: is one of them lost?",
                      hl_launcher_rank());
        MPI_Abort(MPI_COMM_WORLD, HL_FAILED);
        _exit(HL_FAILED);
    }
}

static void wait_for(int begun, MPI_Request request, patience how)
{
    enum { NANOSECONDS_ASLEEP = 200000 };
    const double awake = 0.02; /* seconds */
    double begin = -1;
    end_unless(begun == MPI_SUCCESS);
    MPI_Status status = { .MPI_ERROR = MPI_SUCCESS };
    for (int done = 0;;) {
        end_unless(MPI_Testall(1, &request, &done, &status) == MPI_SUCCESS && status.MPI_ERROR == MPI_SUCCESS);
        if (done) {
            return;
        }
        double now = how == MAY_SLEEP ? hl_clock_seconds() : 0;
        begin = begin < 0 ? now : begin;
        if (now - begin > awake) {
            nanosleep(&(struct timespec){ .tv_nsec = NANOSECONDS_ASLEEP }, NULL);
        } else {
            sched_yield();
        }
    }
}

typedef enum exchange { SEND, RECEIVE, BROADCAST } exchange;

static void transfer(exchange what, int rank, char *data, size_t bytes)
{
    while (bytes > 0) {
        int piece = bytes < MOST_BYTES ? (int)bytes : MOST_BYTES;
        MPI_Request request = MPI_REQUEST_NULL;
        int begun;
        if (what == SEND) {
            begun = MPI_Isend(data, piece, MPI_BYTE, rank, 0, MPI_COMM_WORLD, &request);
        } else if (what == RECEIVE) {
            begun = MPI_Irecv(data, piece, MPI_BYTE, rank, 0, MPI_COMM_WORLD, &request);
        } else {
            begun = MPI_Ibcast(data, piece, MPI_BYTE, rank, MPI_COMM_WORLD, &request);
        }
        wait_for(begun, request, AWAKE); /* NOLINT(clang-analyzer-optin.mpi.MPI-Checker): it looks until it is done */
        data += piece;
        bytes -= (size_t)piece;
    }
}

static void send(void *context, int to, const void *data, size_t bytes)
{
    (void)context;
    transfer(SEND, to, (char *)(size_t)data, bytes); /* which is only read */
}

static void receive(void *context, int from, void *data, size_t bytes)
{
    (void)context;
    transfer(RECEIVE, from, data, bytes);
}

static void broadcast(void *context, int from, void *data, size_t bytes)
{
    (void)context;
    transfer(BROADCAST, from, data, bytes);
}

/* A number of the rank's own for this agreement, so small that 2^23 of them can be added up. */
static int64_t mark_of(uint64_t agreement, int rank)
{
    return (int64_t)(hl_content_add(agreement, &rank, sizeof rank) >> 24);
}

/* Adds up the marks of all ranks: the sum is right only if each of them has entered this agreement. It travels beside
 * the agreement, so it takes no time of its own. */
static void reduce(int64_t *values, int64_t count, MPI_Op op)
{
    static uint64_t agreement;
    int rank, n;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    agreement++;
    int64_t marks = mark_of(agreement, rank), all = 0;
    for (int r = 0; r < n; r++) {
        all += mark_of(agreement, r);
    }
    MPI_Request request = MPI_REQUEST_NULL, marking = MPI_REQUEST_NULL;
    /* Integers: their sum does not depend on the order, which is MPI's. */
    int begun = MPI_Iallreduce(MPI_IN_PLACE, values, (int)count, MPI_INT64_T, op, MPI_COMM_WORLD, &request);
    int marked = MPI_Iallreduce(MPI_IN_PLACE, &marks, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD, &marking);
    wait_for(begun, request, MAY_SLEEP);  /* NOLINT(clang-analyzer-optin.mpi.MPI-Checker): likewise */
    wait_for(marked, marking, MAY_SLEEP); /* NOLINT(clang-analyzer-optin.mpi.MPI-Checker): likewise */
    end_unless(marks == all);
}

static void maximum(void *context, int64_t *values, int64_t count)
{
    (void)context;
    reduce(values, count, MPI_MAX);
}

static void sum(void *context, int64_t *values, int64_t count)
{
    (void)context;
    reduce(values, count, MPI_SUM);
}

/* ---- from the beginning to the end ---- */

/* One that fails within MPI's start may leave the others waiting there for ever. */
static void begun_too_late(int signal)
{
    static const char words[] = "MPI did not start in time: have all processes begun?\n";
    (void)signal;
    ssize_t written = write(STDERR_FILENO, words, sizeof words - 1);
    (void)written;
    _exit(HL_FAILED);
}

hl_status hl_mpi_begin(hl_ranks *ranks, unsigned seconds)
{
    int given, launched = hl_launcher_processes();
    *ranks = (hl_ranks){ .send = send, .receive = receive, .broadcast = broadcast, .maximum = maximum, .sum = sum };
    signal(SIGALRM, begun_too_late);
    alarm(seconds);
    MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &given);
    alarm(0);
    signal(SIGALRM, SIG_DFL);
    MPI_Comm_rank(MPI_COMM_WORLD, &ranks->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks->n);
    if (ranks->n == launched) {
        return hl_ok();
    }
    char version[MPI_MAX_LIBRARY_VERSION_STRING];
    int length;
    MPI_Get_library_version(version, &length);
    version[strcspn(version, ",\n")] = '\0';
    char *tab = strchr(version, '\t'); /* MPICH's has one */
    if (tab != NULL) {
        *tab = ' ';
    }
    hl_mpi_end(ranks);
    return hl_error(HL_INVALID,
                    "the launcher has started %d processes, of which %s, the MPI of this build, sees %d: start them by "
                    "its own mpirun, or by srun with the --mpi that it knows",
                    launched, version, ranks->n);
}

void hl_mpi_end(hl_ranks *ranks)
{
    MPI_Request request = MPI_REQUEST_NULL;
    int begun = MPI_Ibarrier(MPI_COMM_WORLD, &request);
    wait_for(begun, request, MAY_SLEEP);
    MPI_Finalize();
    ranks->parted = true;
}
#else
hl_status hl_mpi_begin(hl_ranks *ranks, unsigned seconds)
{
    (void)ranks, (void)seconds;
    return hl_error(
        HL_INVALID,
        "the launcher has started %d processes, which a build without MPI cannot train with together: build "
        "it with -DHEADLIGHT_MPI=ON, or by ./quickstart --mpi",
        hl_launcher_processes());
}

void hl_mpi_end(hl_ranks *ranks)
{
    (void)ranks;
}
#endif

/* A launcher kills all others as soon as one has failed: the first has so long to say why. A start on thousands of
 * nodes takes a minute. */
enum { SECONDS_FOR_THE_FIRST = 2, SECONDS_TO_BEGIN = 300 };

int hl_mpi_main(hl_mpi_program *program, int argc, char **argv)
{
    if (hl_launcher_gives_terminals()) {
        setenv("TERM", "dumb", 1);
    }
    if (hl_launcher_processes() == 1) {
        return program(NULL, argc, argv, stdout, stderr);
    }
    hl_ranks ranks;
    hl_status status = hl_mpi_begin(&ranks, SECONDS_TO_BEGIN);
    if (status.code != HL_OK) {
        if (hl_launcher_rank() == 0) {
            hl_print_line(stderr, "%s", status.text);
        } else {
            sleep(SECONDS_FOR_THE_FIRST);
        }
        return (int)status.code;
    }
    FILE *nowhere = ranks.rank > 0 ? fopen("/dev/null", "w") : NULL;
    int code = program(&ranks, argc, argv, nowhere != NULL ? nowhere : stdout, nowhere != NULL ? nowhere : stderr);
    if (nowhere != NULL) {
        fclose(nowhere);
    }
    hl_mpi_end(&ranks);
    return code;
}
