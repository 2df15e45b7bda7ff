#include "programs/heads/program.h"
#include "programs/start.h"

int main(int argc, char **argv)
{
    hl_start(argv);
    return hl_heads_program(argc, argv, stdout, stderr);
}
