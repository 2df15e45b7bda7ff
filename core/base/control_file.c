#include "core/base/private/control_file.h"

#include "core/base/file_calls.h"

#include <fcntl.h>

bool hl_control_file_read(const char *path, char *content, size_t size)
{
    const hl_file_calls *calls = hl_file_calls_get();
    size_t done = 0;
    int fd = calls->open(path, O_RDONLY | O_CLOEXEC, 0);
    ssize_t n = fd >= 0 ? 0 : -1;
    if (fd >= 0) {
        while (done + 1 < size && (n = calls->read(fd, content + done, size - 1 - done)) > 0) {
            done += (size_t)n;
        }
        calls->close(fd);
    }
    content[n >= 0 ? done : 0] = '\0';
    return n >= 0;
}
