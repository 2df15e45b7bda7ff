#include "programs/ablate/program.h"
#include "programs/sibling.h"
#include "programs/start.h"

int main(int argc, char **argv)
{
    hl_start(argv);
    char train[HL_SIBLING_TEXT];
    hl_sibling_program("ablate", "train", train);
    return hl_ablate_program(train, argc, argv, stdout, stderr);
}
