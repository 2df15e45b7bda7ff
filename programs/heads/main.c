#include "programs/heads/program.h"
#include "programs/start.h"

int main(int argc, char **argv)
{
    hl_start("heads", argv);
    return hl_heads_program(argc, argv, stdout, stderr);
}
