#include "programs/bench/bench.h"
#include "programs/mpi.h"
#include "programs/start.h"

static int bench(hl_ranks *ranks, int argc, char **argv, FILE *out, FILE *err)
{
    return hl_bench_program(ranks, "/proc/self/exe", argc, argv, out, err);
}

int main(int argc, char **argv)
{
    hl_start("bench", argv);
    return hl_mpi_main(bench, argc, argv);
}
