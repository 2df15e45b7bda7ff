#include "programs/standard_streams.h"

#include <fcntl.h>
#include <unistd.h>

void hl_standard_streams_keep(void)
{
    int fd;
    do { /* the lowest that is free: 0 will not be read from, 1 and 2 not written to */
        fd = open("/dev/null", fcntl(STDIN_FILENO, F_GETFD) < 0 ? O_WRONLY : O_RDONLY);
    } while (fd >= 0 && fd <= STDERR_FILENO);
    if (fd > STDERR_FILENO) {
        close(fd);
    }
}
