#include "programs/heads/program.h"
#include "programs/mpi.h"
#include "programs/start.h"

int main(int argc, char **argv)
{
    hl_start("heads", argv);
    return hl_mpi_main(hl_heads_program_together, argc, argv);
}
