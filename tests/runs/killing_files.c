#include "tests/runs/killing_files.h"

#include "core/files/files.h"
#include "tests/check_suite.h"

#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

static hl_file_calls system_calls;
static int calls_left, sent;
static killing_scope counted;
static int snapshot = -1; /* the descriptor of the one being written */

static void count_down(void)
{
    if (--calls_left == 0) {
        raise(sent);
    }
}

static bool counts(int fd)
{
    return fd != snapshot || counted == KILLING_AT_ALL_CALLS;
}

static void count_down_of(int fd)
{
    if (counts(fd)) {
        count_down();
    }
}

static int killing_open(const char *path, int flags, mode_t mode)
{
    count_down();
    int fd = system_calls.open(path, flags, mode);
    bool written = (flags & (O_WRONLY | O_RDWR)) != 0;
    snapshot = written && strstr(path, ".npz") != NULL ? fd : snapshot;
    return fd;
}

static ssize_t killing_read(int fd, void *buffer, size_t count)
{
    count_down_of(fd);
    return system_calls.read(fd, buffer, count);
}

static ssize_t killing_pread(int fd, void *buffer, size_t count, off_t offset)
{
    count_down_of(fd);
    return system_calls.pread(fd, buffer, count, offset);
}

static ssize_t killing_write(int fd, const void *buffer, size_t count)
{
    if (counts(fd) && calls_left == 1 && sent == SIGKILL) { /* dies half-way */
        (void)!system_calls.write(fd, buffer, count / 2);
    }
    count_down_of(fd);
    return system_calls.write(fd, buffer, count);
}

static off_t killing_lseek(int fd, off_t offset, int whence)
{
    count_down_of(fd);
    return system_calls.lseek(fd, offset, whence);
}

static int killing_fstat(int fd, struct stat *info)
{
    count_down_of(fd);
    return system_calls.fstat(fd, info);
}

static int killing_ftruncate(int fd, off_t size)
{
    count_down_of(fd);
    return system_calls.ftruncate(fd, size);
}

/* A kill is no power failure, and thousands of flushes take their time. */
static int killing_fsync(int fd)
{
    count_down_of(fd);
    return 0;
}

static int killing_close(int fd)
{
    count_down();
    snapshot = fd == snapshot ? -1 : snapshot;
    return system_calls.close(fd);
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

static int killing_access(const char *path, int mode)
{
    count_down();
    return system_calls.access(path, mode);
}

static int killing_flock(int fd, int operation)
{
    count_down();
    return system_calls.flock(fd, operation);
}

static DIR *killing_opendir(const char *path)
{
    count_down();
    return system_calls.opendir(path);
}

static struct dirent *killing_readdir(DIR *folder)
{
    count_down();
    return system_calls.readdir(folder);
}

static int killing_closedir(DIR *folder)
{
    count_down();
    return system_calls.closedir(folder);
}

void killing_files_set(int n, int signal, killing_scope scope)
{
    calls_left = n;
    sent = signal;
    counted = scope;
}

void killing_files_begin(void)
{
    static const hl_file_calls calls = {
        .open = killing_open,
        .read = killing_read,
        .pread = killing_pread,
        .write = killing_write,
        .lseek = killing_lseek,
        .fstat = killing_fstat,
        .ftruncate = killing_ftruncate,
        .fsync = killing_fsync,
        .close = killing_close,
        .rename = killing_rename,
        .link = killing_link,
        .unlink = killing_unlink,
        .mkdir = killing_mkdir,
        .access = killing_access,
        .flock = killing_flock,
        .opendir = killing_opendir,
        .readdir = killing_readdir,
        .closedir = killing_closedir,
    };
    hl_file_calls_set(NULL);
    system_calls = *hl_file_calls_get();
    hl_file_calls_set(&calls);
}

run_result killing_files_run(int n, int signal, killing_scope scope, const char *const *arguments)
{
    killing_files_set(n, signal, scope);
    return run_with((run_options){ .arguments = arguments, .before = killing_files_begin });
}

int killing_files_until_done(unsigned seed, const char *const *arguments)
{
    int kills = 0;
    for (int code = -1, most = 8; code != 0; most += most / 2) {
        seed = seed * 1664525 + 1013904223;
        int n = most / 2 + (int)(seed >> 8) % (most / 2);
        run_result run = killing_files_run(n, SIGKILL, KILLING_BESIDE_SNAPSHOTS, arguments);
        code = run.code;
        ck_assert_msg(code == 0 || code == RUN_KILLED + SIGKILL, "exit code %d: %s", code, run.err);
        kills += code != 0;
    }
    return kills;
}
