#include "train/standard_streams.h"

#include <fcntl.h>
#include <unistd.h>

void hl_standard_streams_keep(void)
{
    int fd;
    do {
        fd = open("/dev/null", O_RDWR);
    } while (fd >= 0 && fd <= STDERR_FILENO);
    if (fd > STDERR_FILENO) {
        close(fd);
    }
}
