#include "train/start.h"

#include "core/json.h"
#include "core/threads.h"
#include "train/standard_streams.h"

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

void hl_start(char **argv)
{
    bound_spinning(argv);
    hl_standard_streams_keep();
    signal(SIGPIPE, SIG_IGN); /* a reader of our output that has gone is an error of writing, not our end */
    signal(SIGXFSZ, SIG_IGN); /* and so is a file larger than it may be (ulimit -f) */
    hl_threads_setup();
    hl_json_use_allocator();
}
