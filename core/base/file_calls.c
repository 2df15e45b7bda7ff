#define _DEFAULT_SOURCE /* flock */
#include "core/base/file_calls.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <unistd.h>

static int system_open(const char *path, int flags, mode_t mode)
{
    return open(path, flags, mode);
}

#define SYSTEM_CALLS                                                                                                   \
    {                                                                                                                  \
        .open = system_open, .read = read, .pread = pread, .write = write, .lseek = lseek, .fstat = fstat,             \
        .ftruncate = ftruncate, .fsync = fsync, .close = close, .rename = rename, .link = link, .unlink = unlink,      \
        .mkdir = mkdir, .access = access, .flock = flock, .opendir = opendir, .readdir = readdir, .closedir = closedir \
    }
static const hl_file_calls system_calls = SYSTEM_CALLS;
static hl_file_calls active = SYSTEM_CALLS;

void hl_file_calls_set(const hl_file_calls *calls)
{
    active = calls != NULL ? *calls : system_calls;
}

const hl_file_calls *hl_file_calls_get(void)
{
    return &active;
}
