#define _XOPEN_SOURCE 700 /* for S_IFREG */

#include "tests/fuzz/input_file.h"

#include "core/files.h"

#include <string.h>

static const uint8_t *bytes;
static size_t n_bytes, position;

static int open_input(const char *path, int flags, mode_t mode)
{
    (void)path;
    (void)flags;
    (void)mode;
    position = 0;
    return 1000; /* closed by close_input alone */
}

static int status_of_input(int fd, struct stat *info)
{
    (void)fd;
    *info = (struct stat){ .st_mode = S_IFREG | 0644, .st_size = (off_t)n_bytes };
    return 0;
}

static ssize_t read_input(int fd, void *buffer, size_t count)
{
    (void)fd;
    size_t left = n_bytes - position, part = count < left ? count : left;
    if (part > 0) {
        memcpy(buffer, bytes + position, part);
    }
    position += part;
    return (ssize_t)part;
}

static int close_input(int fd)
{
    (void)fd;
    return 0;
}

void input_file_set(const uint8_t *data, size_t size)
{
    static const hl_file_calls calls = {
        .open = open_input, .fstat = status_of_input, .read = read_input, .close = close_input
    };
    bytes = data;
    n_bytes = size;
    hl_file_calls_set(&calls);
}
