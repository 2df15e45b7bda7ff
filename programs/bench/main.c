#include "programs/bench/bench.h"
#include "programs/start.h"

int main(int argc, char **argv)
{
    hl_start("bench", argv);
    return hl_bench_program("/proc/self/exe", argc, argv, stdout, stderr);
}
