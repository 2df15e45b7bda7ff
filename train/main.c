#include "core/json.h"
#include "core/threads.h"
#include "train/program.h"
#include "train/standard_streams.h"

int main(int argc, char **argv)
{
    hl_standard_streams_keep();
    hl_threads_setup();
    hl_json_use_allocator();
    return hl_train_program(argc, argv, stdout, stderr);
}
