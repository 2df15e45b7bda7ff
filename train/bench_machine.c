#include "train/bench_machine.h"

#include "core/files.h"
#include "core/matmul.h"
#include "core/small_matmul.h"

#include <cblas.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef __clang__
#define COMPILER __VERSION__
#else
#define COMPILER "GCC " __VERSION__
#endif

enum { CPU_TEXT = 64 };

const char *hl_bench_machine_core(void)
{
    return openblas_get_corename();
}

/* Not by hl_file_read: the kernel shows the file with a size of 0. */
static void read_cpu(char cpu[CPU_TEXT])
{
    static const char key[] = "model name";
    const hl_file_calls *calls = hl_file_calls_get();
    char content[4096];
    int fd = calls->open("/proc/cpuinfo", O_RDONLY | O_CLOEXEC, 0);
    ssize_t count = fd >= 0 ? calls->read(fd, content, sizeof content - 1) : 0;
    if (fd >= 0) {
        calls->close(fd);
    }
    content[count > 0 ? count : 0] = '\0';
    const char *line = strstr(content, key), *colon = line != NULL ? strchr(line, ':') : NULL;
    if (colon == NULL || sscanf(colon, ": %63[^\n]", cpu) != 1) {
        snprintf(cpu, CPU_TEXT, "of a kind that the system does not name");
    }
}

void hl_bench_machine_heading(hl_text *text, int threads)
{
    char cpu[CPU_TEXT], version[32] = "?";
    read_cpu(cpu);
    sscanf(openblas_get_config(), "OpenBLAS %31s", version);
    hl_text_print(text, "headlight %s, compiled by %s\n", HL_VERSION, COMPILER);
    hl_text_print(text, "CPU %s; %d thread%s\n", cpu, threads, threads > 1 ? "s" : "");
    hl_text_print(text, "OpenBLAS %s, kernels for %s; %s\n", version, hl_bench_machine_core(),
                  hl_small_matmul_generates() ? "LIBXSMM for small products" : "without LIBXSMM");
}

void hl_bench_machine_warnings(hl_text *text)
{
    const char *forced = getenv("OPENBLAS_CORETYPE"), *library = hl_matmul_library_warning();
    if (forced != NULL) {
        hl_text_print(text,
                      "warning: OPENBLAS_CORETYPE=%s forces OpenBLAS's kernels, perhaps slow ones; clear it "
                      "(env -u OPENBLAS_CORETYPE ...) for the machine's own\n",
                      forced);
    }
    if (library != NULL) {
        hl_text_print(text, "warning: %s\n", library);
    }
}
