#include "train/standard_output.h"

#include "core/files.h"

hl_status hl_standard_output_flush(FILE *out)
{
    if (ferror(out) != 0) {
        return hl_error(HL_BAD_FILE, "standard output: cannot write");
    }
    return fflush(out) == 0 ? hl_ok() : hl_file_system_error("standard output", "cannot write");
}
