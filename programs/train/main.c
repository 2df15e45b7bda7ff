#include "programs/launcher.h"
#include "programs/print_line.h"
#include "programs/start.h"
#include "programs/train/mpi.h"
#include "programs/train/program.h"

#include <stdlib.h>

int main(int argc, char **argv)
{
    hl_start("train", argv);
    if (hl_launcher_processes() == 1) {
        return hl_train_program(argc, argv, stdout, stderr);
    }
    setenv("TERM", "dumb", 1); /* Open MPI gives every process a terminal, wherever its own output goes */
    hl_ranks ranks;
    hl_status status = hl_mpi_begin(&ranks);
    if (status.code != HL_OK) {
        if (hl_launcher_rank() == 0) {
            hl_print_line(stderr, "%s", status.text);
        }
        return (int)status.code;
    }
    int code = hl_train_program_together(&ranks, argc, argv, stdout, stderr);
    hl_mpi_end(&ranks);
    return code;
}
