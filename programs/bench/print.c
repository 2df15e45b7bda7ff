#include "programs/bench/print.h"

hl_status hl_bench_print(FILE *to, hl_text *text)
{
    hl_status status = hl_text_status(text);
    if (status.code == HL_OK && text->size > 0) {
        fputs(text->bytes, to);
        fflush(to);
    }
    hl_text_free(text);
    return status;
}
