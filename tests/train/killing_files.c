#include "tests/train/killing_files.h"

#include "core/files.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

static hl_file_calls system_calls;
static int calls_left, sent;
static int snapshot = -1; /* the descriptor of the snapshot last begun */

static void count_down(void)
{
    if (calls_left == 0 && sent == KILLING_DISK_FULL) {
        return;
    }
    if (--calls_left == 0 && sent != KILLING_DISK_FULL) {
        raise(sent);
    }
}

static int killing_open(const char *path, int flags, mode_t mode)
{
    count_down();
    int fd = system_calls.open(path, flags, mode);
    snapshot = strstr(path, ".npz") != NULL ? fd : snapshot == fd ? -1 : snapshot;
    return fd;
}

static ssize_t killing_write(int fd, const void *buffer, size_t count)
{
    if (sent == KILLING_DISK_FULL && calls_left == 0) {
        errno = ENOSPC;
        return -1;
    }
    if (fd == snapshot) { /* written in a hundred small pieces, all of them before its name is there */
        return system_calls.write(fd, buffer, count);
    }
    if (calls_left == 1 && sent == SIGKILL) { /* dies half-way */
        (void)!system_calls.write(fd, buffer, count / 2);
    }
    count_down();
    return sent == KILLING_DISK_FULL && calls_left == 0 ? killing_write(fd, buffer, count)
                                                        : system_calls.write(fd, buffer, count);
}

static int killing_rename(const char *from, const char *to)
{
    count_down();
    return system_calls.rename(from, to);
}

static int killing_link(const char *from, const char *to)
{
    count_down();
    return system_calls.link(from, to);
}

static int killing_unlink(const char *path)
{
    count_down();
    return system_calls.unlink(path);
}

static int killing_mkdir(const char *path, mode_t mode)
{
    count_down();
    return system_calls.mkdir(path, mode);
}

static int no_fsync(int fd)
{
    (void)fd; /* a kill is no power failure, and thousands of flushes take their time */
    return 0;
}

void killing_files_set(int n, int signal)
{
    calls_left = n;
    sent = signal;
}

void killing_files_begin(void)
{
    hl_file_calls_set(NULL);
    system_calls = *hl_file_calls_get();
    hl_file_calls calls = system_calls;
    calls.open = killing_open;
    calls.write = killing_write;
    calls.rename = killing_rename;
    calls.link = killing_link;
    calls.unlink = killing_unlink;
    calls.mkdir = killing_mkdir;
    calls.fsync = no_fsync;
    hl_file_calls_set(&calls);
}
