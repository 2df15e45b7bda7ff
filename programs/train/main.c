#include "programs/mpi.h"
#include "programs/start.h"
#include "programs/train/program.h"

int main(int argc, char **argv)
{
    hl_start("train", argv);
    return hl_mpi_main(hl_train_program_together, argc, argv);
}
