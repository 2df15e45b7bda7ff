/* MPI as the processes of a run (train/ranks/ranks.h). */
#pragma once

#include "core/base/status.h"
#include "train/ranks/ranks.h"

#include <stdio.h>

/* The function of a program; `ranks` is NULL if it is alone. Returns the exit code. What others than rank 0 print
 * goes nowhere. */
typedef int hl_mpi_program(hl_ranks *ranks, int argc, char **argv, FILE *out, FILE *err);

/* What a main function returns: runs the program, with the processes that a launcher has started, where one has. */
int hl_mpi_main(hl_mpi_program *program, int argc, char **argv);

/* Begins MPI, and fills the table. All of it is called by this thread alone. Where MPI cannot begin, or not within so
 * many seconds, or an exchange fails, as one may with a process that is lost, this process ends with HL_FAILED or as
 * MPI does it, and the launcher ends the others. HL_INVALID: MPI knows of another number of processes than the launcher
 * has started (programs/launcher.h), because it is not the launcher's own; or this is a build without MPI. On success
 * to be ended by hl_mpi_end. */
hl_status hl_mpi_begin(hl_ranks *ranks, unsigned seconds);

/* Waits for all ranks, which have nothing left to print then, and ends MPI: a launcher that sees one exit with another
 * code than 0 kills the others. */
void hl_mpi_end(hl_ranks *ranks);
