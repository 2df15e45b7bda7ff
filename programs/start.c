#define _XOPEN_SOURCE 700 /* realpath */
#include "programs/start.h"

#include "core/base/threads.h"
#include "core/files/json.h"
#include "programs/beside.h"
#include "show/picture_pen.h"

#include <fcntl.h>
#include <limits.h>
#include <malloc.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

/* ---- what Python's wheel brings along ---- */

/* The font of pictures, and the library compiled for later CPUs, which a system may lack. Both lie beside the program:
 *
 *   bin/headlight-train
 *   lib/glibc-hwcaps/x86-64-v3/libheadlight.so.1      and x86-64-v4 (cmake/portable.cmake)
 *   share/headlight/fonts/DejaVuSans.ttf
 *
 * Other installations have no such font, and a current glibc picks the library; then these functions do nothing. */

/* The path of `name`, relative to the program's folder; false where there is no such file. */
static bool find_bundled(const char *name, char path[PATH_MAX])
{
    char folder[PATH_MAX];
    char *slash = realpath("/proc/self/exe", folder) != NULL ? strrchr(folder, '/') : NULL;
    if (slash == NULL) {
        return false;
    }
    *slash = '\0';
    int length = snprintf(path, PATH_MAX, "%s/%s", folder, name);
    return length < PATH_MAX && access(path, R_OK) == 0;
}

#if defined(__x86_64__) && defined(__GLIBC__)
#include <cpuid.h>
#include <gnu/libc-version.h>

static bool loader_picks_library(void)
{
    int major = 0, minor = 0;
    return sscanf(gnu_get_libc_version(), "%d.%d", &major, &minor) == 2 && (major > 2 || minor >= 33);
}

/* XCR0: the registers that the system saves for each process. */
static uint32_t saved_registers(void)
{
    uint32_t low, high;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return low;
}

/* Bits of CPUID and XCR0 (Intel's manual, volume 2A, and volume 1, 13.3). The compiler's __builtin_cpu_supports needs
 * its own run-time library, which the linker of the wheel replaces by one that finds no feature. */
static const char *best_generation(void)
{
    enum { FMA = 1 << 12, OSXSAVE = 1 << 27 };                                    /* leaf 1, ecx */
    enum { AVX2 = 1 << 5, BMI2 = 1 << 8 };                                        /* leaf 7, ebx */
    const uint32_t avx512 = 1U << 16 | 1U << 17 | 1U << 28 | 1U << 30 | 1U << 31; /* F, DQ, CD, BW, VL */
    enum { YMM = 0x6, ZMM = 0xe6 };                                               /* XCR0 */
    uint32_t a, b, c, d;
    if (!__get_cpuid(1, &a, &b, &c, &d) || (c & (FMA | OSXSAVE)) != (FMA | OSXSAVE)) {
        return NULL;
    }
    uint32_t saved = saved_registers();
    if (!__get_cpuid_count(7, 0, &a, &b, &c, &d) || (b & (AVX2 | BMI2)) != (AVX2 | BMI2) || (saved & YMM) != YMM) {
        return NULL;
    }
    return (b & avx512) == avx512 && (saved & ZMM) == ZMM ? "../lib/glibc-hwcaps/x86-64-v4"
                                                          : "../lib/glibc-hwcaps/x86-64-v3";
}

/* A glibc older than 2.33 always loads the library for any CPU. This function then puts the folder of the best library
 * for this CPU in front of LD_LIBRARY_PATH. Returns whether it did so; the program must then be started again. */
static bool choose_bundled_library(void)
{
    char folder[PATH_MAX];
    const char *best = loader_picks_library() ? NULL : best_generation();
    if (best == NULL || !find_bundled(best, folder)) {
        return false;
    }
    const char *set = getenv("LD_LIBRARY_PATH");
    if (set == NULL || *set == '\0') {
        return setenv("LD_LIBRARY_PATH", folder, 1) == 0;
    }
    if (strncmp(set, folder, strlen(folder)) == 0) {
        return false; /* this is the second start */
    }
    char path[2 * PATH_MAX];
    int length = snprintf(path, sizeof path, "%s:%s", folder, set);
    return length < (int)sizeof path && setenv("LD_LIBRARY_PATH", path, 1) == 0;
}
#else
static bool choose_bundled_library(void)
{
    return false;
}
#endif

/* ---- the process ---- */

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
    bool bounded = bound_spinning(), chosen = choose_bundled_library();
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
    /* Pictures are drawn with the font beside the program, so they look the same on every system. */
    static char path[PATH_MAX];
    if (find_bundled("../share/headlight/fonts/DejaVuSans.ttf", path)) {
        hl_pen_font_file(path);
    }
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
