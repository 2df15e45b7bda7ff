#include "programs/launcher.h"

#include <limits.h>
#include <stdlib.h>

/* Variables of Open MPI, the first; of MPICH, its kin and srun --mpi=pmi2; of srun, which sets the last two for the
 * tasks of a step alone: what a batch script itself runs is none of them. */
static const struct {
    const char *processes, *rank;
} launchers[] = {
    { "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK" },
    { "PMI_SIZE", "PMI_RANK" },
    { "SLURM_STEP_NUM_TASKS", "SLURM_PROCID" },
};
enum { LAUNCHERS = sizeof launchers / sizeof *launchers };

/* `otherwise` where the variable is not set, or holds no such number. */
static int number_of(const char *name, long least, int otherwise)
{
    const char *text = getenv(name);
    char *end = NULL;
    long number = text != NULL ? strtol(text, &end, 10) : 0;
    return end != NULL && end != text && *end == '\0' && number >= least && number <= INT_MAX ? (int)number : otherwise;
}

/* The first that has started several. */
static int launcher(void)
{
    int l = 0;
    while (l < LAUNCHERS && number_of(launchers[l].processes, 1, 1) == 1) {
        l++;
    }
    return l;
}

int hl_launcher_processes(void)
{
    int l = launcher();
    return l < LAUNCHERS ? number_of(launchers[l].processes, 1, 1) : 1;
}

int hl_launcher_rank(void)
{
    int l = launcher();
    return l < LAUNCHERS ? number_of(launchers[l].rank, 0, 0) : 0;
}

bool hl_launcher_gives_terminals(void)
{
    return getenv(launchers[0].rank) != NULL;
}

void hl_launcher_forget(void)
{
    for (int l = 0; l < LAUNCHERS; l++) {
        unsetenv(launchers[l].processes);
        unsetenv(launchers[l].rank);
    }
}
