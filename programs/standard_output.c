#include "programs/standard_output.h"

#include "core/files.h"
#include "programs/print_line.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>

static hl_status flush(FILE *out)
{
    bool lost = ferror(out) != 0;
    if (fflush(out) != 0) {
        return hl_file_system_error("standard output", "cannot write");
    }
    return lost ? hl_error(HL_BAD_FILE, "standard output: cannot write") : hl_ok();
}

static bool reader_has_gone(FILE *out)
{
    struct pollfd pipe = { .fd = fileno(out) };
    return poll(&pipe, 1, 0) == 1 && (pipe.revents & (POLLERR | POLLHUP)) != 0;
}

/* The caller had closed it: hl_start opened /dev/null for reading there. */
static bool was_closed(FILE *out)
{
    return (fcntl(fileno(out), F_GETFL) & O_ACCMODE) == O_RDONLY;
}

int hl_standard_output_end(hl_status status, bool outlives, FILE *out, FILE *err)
{
    if (status.code == HL_OK) {
        status = flush(out);
        if (status.code != HL_OK && reader_has_gone(out)) {
            return outlives ? HL_OK : 128 + SIGPIPE;
        }
        if (status.code != HL_OK && outlives) {
            status = was_closed(out) ? hl_ok() : hl_error(status.code, "%s; all else is done", status.text);
        }
    }
    if (status.code != HL_OK) {
        hl_print_line(err, "%s", status.text);
    }
    return (int)status.code;
}
