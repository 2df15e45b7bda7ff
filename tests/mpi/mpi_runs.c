#include "tests/mpi/mpi_runs.h"

#include <check.h>
#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

enum { MOST_ARGUMENTS = 28 };

/* For Open MPI, 4 and 5: more processes than cores, as root; what else takes the cores does not matter here. Tests of
 * many kills (HEADLIGHT_MPI_KILLS) take it as users have it; the others do not look for networks, which takes half of a
 * start, nor wait for long when it kills processes. */
static void allow(void)
{
    static const char *const quick[][2] = {
        { "OMPI_MCA_pml", "ob1" },
        { "OMPI_MCA_btl", "vader,self" },
        { "OMPI_MCA_odls_base_sigkill_timeout", "0" },
    };
    for (size_t i = 0; i < sizeof quick / sizeof *quick && getenv("HEADLIGHT_MPI_KILLS") == NULL; i++) {
        setenv(quick[i][0], quick[i][1], 0);
    }
    static const char *const variables[][2] = {
        { "OMPI_ALLOW_RUN_AS_ROOT", "1" },
        { "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1" },
        { "OMPI_MCA_rmaps_base_oversubscribe", "1" },
        { "PRTE_MCA_rmaps_default_mapping_policy", ":oversubscribe" },
        { "OMPI_MCA_hwloc_base_binding_policy", "none" },
    };
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        setenv(variables[i][0], variables[i][1], 1);
    }
}

pid_t mpi_start_program(int n, const char *program, const char *const *arguments)
{
    static char number[16];
    const char *all[MOST_ARGUMENTS] = { "-n", number, program };
    snprintf(number, sizeof number, "%d", n);
    for (int i = 0; arguments[i] != NULL; i++) {
        ck_assert_int_lt(i, MOST_ARGUMENTS - 4);
        all[3 + i] = arguments[i];
    }
    return run_start((run_options){ .arguments = all, .built = true, .built_program = HL_MPIRUN, .before = allow });
}

pid_t mpi_start(int n, const char *const *arguments)
{
    return mpi_start_program(n, HL_TRAIN_PROGRAM, arguments);
}

run_result mpi_run(int n, const char *const *arguments)
{
    return run_wait(mpi_start(n, arguments));
}

int mpi_ranks(const char *text, pid_t ranks[MPI_MOST_RANKS])
{
    int n = 0;
    DIR *all = opendir("/proc");
    ck_assert_ptr_nonnull(all);
    for (struct dirent *entry; (entry = readdir(all)) != NULL && n < MPI_MOST_RANKS;) {
        char path[300], words[4096] = "";
        snprintf(path, sizeof path, "/proc/%s/cmdline", entry->d_name);
        FILE *file = atoi(entry->d_name) > 0 ? fopen(path, "r") : NULL;
        size_t size = file != NULL ? fread(words, 1, sizeof words - 1, file) : 0;
        bool found = false;
        for (const char *word = words; word < words + size; word += strlen(word) + 1) {
            found = found || strstr(word, text) != NULL;
        }
        bool is_rank = strcmp(words, HL_TRAIN_PROGRAM) == 0 || strcmp(words, HL_MPI_FAULTY_PROGRAM) == 0;
        if (found && is_rank) {
            ranks[n++] = atoi(entry->d_name);
        }
        if (file != NULL) {
            fclose(file);
        }
    }
    closedir(all);
    return n;
}

bool mpi_has_ended(pid_t job)
{
    siginfo_t end = { 0 };
    return waitid(P_PID, (id_t)job, &end, WEXITED | WNOHANG | WNOWAIT) == 0 && end.si_pid == job;
}

void mpi_await_ranks(const char *text, int n, pid_t job)
{
    pid_t ranks[MPI_MOST_RANKS];
    for (int i = 0; i < 4000 && mpi_ranks(text, ranks) != n; i++) {
        if (job > 0 && mpi_has_ended(job)) {
            return;
        }
        ck_assert_int_lt(i, 3999);
        run_pause(5);
    }
}

/* An mpirun that still waits though all its processes are gone is killed, too: that of Open MPI 4 may lock itself up in
 * its own end (PMIx_server_finalize) where a process was killed while it connected. */
run_result mpi_end(pid_t job, const char *text)
{
    enum { MOST_SECONDS = 20 }; /* on a machine that is busy */
    double begin = mpi_seconds();
    mpi_await_ranks(text, 0, job);
    ck_assert_double_lt(mpi_seconds() - begin, MOST_SECONDS);
    for (int i = 0; i < 100 * MOST_SECONDS && !mpi_has_ended(job); i++) {
        run_pause(10);
    }
    if (!mpi_has_ended(job)) {
        printf("mpirun has not ended with its processes\n");
        kill(job, SIGKILL);
    }
    run_result run = run_wait(job);
    mpi_await_ranks(text, 0, 0);
    return run;
}

int mpi_count(const char *text, const char *in)
{
    int n = 0;
    for (const char *at = in; (at = strstr(at, text)) != NULL; at++) {
        n++;
    }
    return n;
}

double mpi_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
