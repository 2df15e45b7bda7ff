#include "programs/start.h"

#include "core/base/threads.h"
#include "core/files/json.h"
#include "programs/beside.h"
#include "programs/bundled.h"

#include <fcntl.h>
#include <malloc.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

/* GCC's OpenMP lets a waiting thread spin for some milliseconds, at every barrier. Where another program wants the
 * cores, two runs at once for instance, that time is taken from the very thread one waits for, and a step takes many
 * times as long. Some 50 microseconds outlast the barriers of a step that has its cores to itself. libgomp reads the
 * limit before main. */
static bool bound_spinning(void)
{
    return getenv("GOMP_SPINCOUNT") == NULL && getenv("OMP_WAIT_POLICY") == NULL &&
           setenv("GOMP_SPINCOUNT", "2000", 1) == 0;
}

/* Starts the program again where the loader or a library must read the environment anew. */
static void restart_if_needed(char **argv)
{
    bool bounded = bound_spinning(), chosen = hl_choose_bundled_library();
    if (bounded || chosen) {
        execv("/proc/self/exe", argv); /* this file, also where another has taken its place */
    }
}

/* Linux names a process after the file that it was started from: "exe", after a restart. top, ps and pgrep show
 * that name. Threads take it over from the one that starts them. */
static void show_own_name(const char *own)
{
    enum { NAME = 16 }; /* Linux keeps so many bytes, with the zero at the end */
    char name[NAME];
    if (prctl(PR_GET_NAME, name) == 0 && strcmp(name, "exe") == 0) {
        const char *path = hl_program_name(own), *slash = strrchr(path, '/');
        prctl(PR_SET_NAME, slash != NULL ? slash + 1 : path);
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

void hl_start(const char *own, char **argv)
{
    restart_if_needed(argv);
    hl_use_bundled_font();
    give_back_memory();
    /* The descriptors 0, 1 and 2 that the caller of the program has closed become /dev/null: else the first file
     * opened would get such a number, and receive what is printed. Reading and writing still fail, as on what is
     * closed. */
    int fd;
    do { /* open returns the lowest free one; reading 0, writing 1 and 2 must still fail */
        fd = open("/dev/null", fcntl(STDIN_FILENO, F_GETFD) < 0 ? O_WRONLY : O_RDONLY);
    } while (fd >= 0 && fd <= STDERR_FILENO);
    if (fd > STDERR_FILENO) {
        close(fd);
    }
    signal(SIGPIPE, SIG_IGN); /* where the reader of our output is gone, writing fails instead of ending the program */
    signal(SIGXFSZ, SIG_IGN); /* likewise where a file may not grow further (ulimit -f) */
    hl_threads_setup();
    hl_json_use_allocator();
    hl_called_as(own, argv[0]);
    show_own_name(own);
}
