#include "programs/predict/program.h"
#include "programs/start.h"

int main(int argc, char **argv)
{
    hl_start("predict", argv);
    return hl_predict_program(argc, argv, stdout, stderr);
}
