#include "programs/start.h"
#include "programs/train/program.h"

int main(int argc, char **argv)
{
    hl_start("train", argv);
    return hl_train_program(argc, argv, stdout, stderr);
}
