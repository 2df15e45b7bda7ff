/* The processes that a launcher of MPI (mpirun, srun) says it has started of this program. */
#pragma once

#include <stdbool.h>

/* How many they are, by the environment: 1 where no launcher says so. */
int hl_launcher_processes(void);

/* Which of them this is, from 0. */
int hl_launcher_rank(void);

/* Whether it gives each of them, even a single one, a terminal, wherever its own output goes: Open MPI does. */
bool hl_launcher_gives_terminals(void);

/* Takes this out of the environment: what this process executes next, or starts, is none of them. */
void hl_launcher_forget(void);
