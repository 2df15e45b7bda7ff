#include "train/standard_output.h"

#include "core/files.h"

hl_status hl_standard_output_flush(FILE *out)
{
    bool lost = ferror(out) != 0;
    if (fflush(out) != 0) {
        return hl_file_system_error("standard output", "cannot write");
    }
    return lost ? hl_error(HL_BAD_FILE, "standard output: cannot write") : hl_ok();
}
