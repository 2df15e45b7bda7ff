#define _XOPEN_SOURCE 700 /* realpath */
#include "programs/bundled.h"

#include "show/picture_pen.h"

#include <limits.h>
#include <stdint.h>
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

bool hl_choose_bundled_library(void)
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
bool hl_choose_bundled_library(void)
{
    return false;
}
#endif
