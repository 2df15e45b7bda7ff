#define _XOPEN_SOURCE 700 /* for S_IFREG */

#include "tests/fuzz/input_file.h"

#include "core/files/files.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

/* Not of this process: closed by close_file alone. */
enum { READING = 1000, WRITING = 1001, MOST_WRITTEN = 1 << 20 };

static const uint8_t *bytes;
static size_t n_bytes, position, n_written, end_written;
static uint8_t written[MOST_WRITTEN], renamed[MOST_WRITTEN];

static int open_file(const char *path, int flags, mode_t mode)
{
    (void)path;
    (void)mode;
    position = 0;
    if ((flags & (O_WRONLY | O_RDWR)) == 0) {
        return READING;
    }
    n_written = end_written = 0;
    return WRITING;
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

static ssize_t read_input_at(int fd, void *buffer, size_t count, off_t offset)
{
    (void)fd;
    size_t at = (size_t)offset < n_bytes ? (size_t)offset : n_bytes;
    size_t part = count < n_bytes - at ? count : n_bytes - at;
    if (part > 0) {
        memcpy(buffer, bytes + at, part);
    }
    return (ssize_t)part;
}

static ssize_t write_file(int fd, const void *from, size_t count)
{
    (void)fd;
    if (count > MOST_WRITTEN - n_written) {
        errno = ENOSPC;
        return -1;
    }
    memcpy(written + n_written, from, count);
    n_written += count;
    end_written = n_written > end_written ? n_written : end_written;
    return (ssize_t)count;
}

static off_t seek(int fd, off_t offset, int whence)
{
    size_t *at = fd == WRITING ? &n_written : &position, end = fd == WRITING ? end_written : n_bytes;
    int64_t to = offset + (int64_t)(whence == SEEK_SET ? 0 : whence == SEEK_CUR ? *at : end);
    if (to < 0 || (size_t)to > end) {
        errno = EINVAL;
        return -1;
    }
    *at = (size_t)to;
    return (off_t)to;
}

static int close_file(int fd)
{
    (void)fd;
    return 0;
}

static int rename_file(const char *from, const char *to)
{
    (void)from;
    (void)to;
    memcpy(renamed, written, end_written);
    bytes = renamed;
    n_bytes = end_written;
    return 0;
}

static int unlink_file(const char *path)
{
    (void)path;
    return 0;
}

/* ---- one file among those on the disk ---- */

static const char *ending_of_one;
static hl_file_calls disk;

static int open_one(const char *path, int flags, mode_t mode)
{
    size_t size = strlen(path), end = strlen(ending_of_one);
    bool is_one = size >= end && strcmp(path + size - end, ending_of_one) == 0;
    return is_one ? open_file(path, flags, mode) : disk.open(path, flags, mode);
}

static int status_of_one(int fd, struct stat *info)
{
    return fd == READING ? status_of_input(fd, info) : disk.fstat(fd, info);
}

static ssize_t read_one(int fd, void *buffer, size_t count)
{
    return fd == READING ? read_input(fd, buffer, count) : disk.read(fd, buffer, count);
}

static ssize_t read_one_at(int fd, void *buffer, size_t count, off_t offset)
{
    return fd == READING ? read_input_at(fd, buffer, count, offset) : disk.pread(fd, buffer, count, offset);
}

static off_t seek_one(int fd, off_t offset, int whence)
{
    return fd == READING ? seek(fd, offset, whence) : disk.lseek(fd, offset, whence);
}

static int close_one(int fd)
{
    return fd == READING ? 0 : disk.close(fd);
}

void input_file_set_one(const char *ending, const uint8_t *data, size_t size)
{
    hl_file_calls_set(NULL);
    disk = *hl_file_calls_get();
    hl_file_calls calls = disk;
    calls.open = open_one;
    calls.fstat = status_of_one;
    calls.read = read_one;
    calls.pread = read_one_at;
    calls.lseek = seek_one;
    calls.close = close_one;
    ending_of_one = ending;
    bytes = data;
    n_bytes = size;
    hl_file_calls_set(&calls);
}

/* ---- every file ---- */

/* Every file is there but a checkpoint, which would be these bytes, too. */
static int find_file(const char *path, int mode)
{
    (void)mode;
    errno = ENOENT;
    return strstr(path, "checkpoint.safetensors") == NULL ? 0 : -1;
}

static DIR *open_folder(const char *path)
{
    (void)path;
    errno = ENOENT;
    return NULL;
}

void input_file_set(const uint8_t *data, size_t size)
{
    static const hl_file_calls calls = { .open = open_file,
                                         .fstat = status_of_input,
                                         .read = read_input,
                                         .pread = read_input_at,
                                         .write = write_file,
                                         .lseek = seek,
                                         .fsync = close_file,
                                         .close = close_file,
                                         .rename = rename_file,
                                         .unlink = unlink_file,
                                         .access = find_file,
                                         .opendir = open_folder };
    bytes = data;
    n_bytes = size;
    hl_file_calls_set(&calls);
}

const uint8_t *input_file_bytes(size_t *size)
{
    *size = n_bytes;
    return bytes;
}
