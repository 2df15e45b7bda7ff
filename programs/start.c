#include "programs/start.h"

#include "core/json.h"
#include "core/threads.h"
#include "programs/standard_streams.h"

#include <malloc.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

/* GCC's OpenMP lets a waiting thread spin for some milliseconds, at every barrier. Where another program wants the
 * cores, two runs at once for instance, that time is taken from the very thread one waits for, and a step takes many
 * times as long. Some 50 microseconds outlast the barriers of a step that has its cores to itself. libgomp reads the
 * limit before main. */
static void bound_spinning(char **argv)
{
    if (getenv("GOMP_SPINCOUNT") == NULL && getenv("OMP_WAIT_POLICY") == NULL &&
        setenv("GOMP_SPINCOUNT", "2000", 1) == 0) {
        execv("/proc/self/exe", argv);
    }
}

/* Large blocks come from the system one by one and go back to it when they are freed. The C library would else keep
 * such blocks of up to 32 MiB, and what a run no longer needs would still count as its memory. */
static void give_back_memory(void)
{
#ifdef M_MMAP_THRESHOLD
    mallopt(M_MMAP_THRESHOLD, 1 << 20);
#endif
}

void hl_start(char **argv)
{
    bound_spinning(argv);
    give_back_memory();
    hl_standard_streams_keep();
    signal(SIGPIPE, SIG_IGN); /* a reader of our output that has gone is an error of writing, not our end */
    signal(SIGXFSZ, SIG_IGN); /* and so is a file larger than it may be (ulimit -f) */
    hl_threads_setup();
    hl_json_use_allocator();
}
