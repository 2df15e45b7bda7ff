#include "core/threads.h"
#include "train/program.h"

int main(int argc, char **argv)
{
    hl_threads_setup();
    return hl_train_program(argc, argv, stdout, stderr);
}
