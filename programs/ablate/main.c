#include "programs/ablate/program.h"
#include "programs/beside.h"
#include "programs/start.h"

int main(int argc, char **argv)
{
    hl_start("ablate", argv);
    char train[HL_SIBLING_TEXT];
    hl_sibling_program("ablate", "train", train);
    return hl_ablate_program(train, argc, argv, stdout, stderr);
}
