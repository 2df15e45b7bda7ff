#include "programs/standard_output.h"

#include "core/files/files.h"
#include "programs/print_line.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>

int hl_standard_output_end(hl_status status, bool outlives, FILE *out, FILE *err)
{
    if (status.code == HL_OK) {
        bool lost = ferror(out) != 0;
        if (fflush(out) != 0) {
            status = hl_file_system_error("standard output", "cannot write");
        } else if (lost) {
            status = hl_error(HL_BAD_FILE, "standard output: cannot write");
        }
        struct pollfd pipe = { .fd = fileno(out) };
        if (status.code != HL_OK && poll(&pipe, 1, 0) == 1 && (pipe.revents & (POLLERR | POLLHUP)) != 0) {
            return outlives ? HL_OK : 128 + SIGPIPE; /* its reader has gone */
        }
        if (status.code != HL_OK && outlives) {
            /* Where the caller had closed it, hl_start opened /dev/null for reading there. */
            bool was_closed = (fcntl(fileno(out), F_GETFL) & O_ACCMODE) == O_RDONLY;
            status = was_closed ? hl_ok() : hl_error(status.code, "%s; all else is done", status.text);
        }
    }
    if (status.code != HL_OK) {
        hl_print_line(err, "%s", status.text);
    }
    return (int)status.code;
}
