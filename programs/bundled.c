#define _XOPEN_SOURCE 700 /* realpath */
#include "programs/bundled.h"

#include "show/picture_pen.h"

#include <gnu/libc-version.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

void hl_use_bundled_font(void)
{
    static char path[PATH_MAX];
    if (find_bundled("../share/headlight/fonts/DejaVuSans.ttf", path)) {
        hl_pen_font_file(path);
    }
}

#if defined(__x86_64__) && defined(__GLIBC__)
static bool loader_picks_library(void)
{
    int major = 0, minor = 0;
    return sscanf(gnu_get_libc_version(), "%d.%d", &major, &minor) == 2 && (major > 2 || minor >= 33);
}

/* The features that GCC uses for -march=x86-64-v3 and -v4, as far as a CPU may lack one of them and have the others. */
static const char *best_generation(void)
{
    bool v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
    bool v4 = v3 && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
              __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512vl");
    return v4 ? "../lib/glibc-hwcaps/x86-64-v4" : v3 ? "../lib/glibc-hwcaps/x86-64-v3" : NULL;
}

bool hl_choose_bundled_library(void)
{
    char folder[PATH_MAX];
    const char *best = best_generation();
    if (loader_picks_library() || best == NULL || !find_bundled(best, folder)) {
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
bool hl_choose_bundled_library(void)
{
    return false;
}
#endif
