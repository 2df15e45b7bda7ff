#include "programs/bench/machine.h"

#include "core/files/files.h"
#include "core/kernels/matmul.h"
#include "core/kernels/small_matmul.h"
#include "programs/print_line.h"

#include <cblas.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#ifdef __clang__
#define COMPILER __VERSION__
#else
#define COMPILER "GCC " __VERSION__
#endif

enum { CPU_TEXT = 64, WIDTH = 80 };

hl_bench_software hl_bench_machine_software(void)
{
    return (hl_bench_software){ .headlight = HL_VERSION,
                                .compiler = COMPILER,
                                .openblas = openblas_get_config(),
                                .core = openblas_get_corename(),
                                .libxsmm = hl_small_matmul_libxsmm() };
}

/* Adds a line for a variable that is set: what it does to the run. */
static void warn_of(hl_text *text, const char *variable, const char *effect)
{
    const char *value = getenv(variable);
    if (value != NULL) {
        hl_text_print(text, "warning: %s=%s %s; clear it (env -u %s ...)\n", variable, value, effect, variable);
    }
}

void hl_bench_machine_warnings(hl_text *text, int threads)
{
    const char *library = hl_matmul_library_warning();
    if (library != NULL) {
        hl_text_print(text, "warning: %s\n", library);
    }
    warn_of(text, "OPENBLAS_CORETYPE", "forces OpenBLAS's kernels, perhaps slow ones");
    if (hl_small_matmul_generates()) {
        warn_of(text, "LIBXSMM_TARGET", "forces LIBXSMM's kernels, perhaps slow ones");
    }
    const char *limit = getenv("OMP_THREAD_LIMIT"), *policy = getenv("OMP_WAIT_POLICY");
    long most = limit != NULL ? strtol(limit, NULL, 10) : 0; /* OpenMP ignores a limit that it cannot read */
    if (most > 0 && most < threads) {
        warn_of(text, "OMP_THREAD_LIMIT", "lets fewer threads work than were asked for");
    }
    /* Without a policy threads spin for a moment, then sleep (programs/start.c). */
    if (policy != NULL && strcasecmp(policy, "passive") == 0) {
        warn_of(text, "OMP_WAIT_POLICY", "has threads sleep wherever one waits for another, which slows steps");
    } else if (policy != NULL && strcasecmp(policy, "active") == 0) {
        warn_of(text, "OMP_WAIT_POLICY",
                "has waiting threads keep their cores, which slows steps where others want these");
    }
}

hl_status hl_bench_machine_announce(int threads, FILE *out, FILE *err)
{
    hl_text warnings = { 0 }, heading = { 0 };
    hl_bench_machine_warnings(&warnings, threads);
    hl_status status = hl_print_text(err, &warnings);
    char cpu[CPU_TEXT];
    hl_bench_software software = hl_bench_machine_software();
    bool generates = software.libxsmm != NULL;
    /* hl_file_read would read nothing: the kernel gives the file's size as 0. */
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
    hl_text_print(&heading, "headlight %s, compiled by %s\n", software.headlight, software.compiler);
    hl_text_print(&heading, "CPU %s; %d thread%s\n", cpu, threads, threads > 1 ? "s" : "");
    hl_text_paragraph(&heading, WIDTH, "%s; kernels for %s", software.openblas, software.core);
    hl_text_print(&heading, "%s%s\n\n", generates ? "LIBXSMM " : "without LIBXSMM", generates ? software.libxsmm : "");
    hl_status printed = hl_print_text(out, &heading);
    return status.code != HL_OK ? status : printed;
}
