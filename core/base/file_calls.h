/* The library accesses files only through this small table of functions, so that tests can make the n-th call fail. */
#pragma once

#include "core/base/declarations.h"

#include <dirent.h>
#include <stddef.h>
#include <sys/stat.h>
#include <sys/types.h>

HL_BEGIN_DECLS

/* As the POSIX calls of the same names (flock is Linux's): on failure they return -1 or NULL and set errno. `write`,
 * `read` and `pread` may transfer fewer bytes than asked. `open` receives O_CLOEXEC. Calls that a signal interrupts
 * (EINTR) are repeated. */
typedef struct hl_file_calls {
    int (*open)(const char *path, int flags, mode_t mode);
    ssize_t (*read)(int fd, void *buffer, size_t count);
    ssize_t (*pread)(int fd, void *buffer, size_t count, off_t offset);
    ssize_t (*write)(int fd, const void *buffer, size_t count);
    off_t (*lseek)(int fd, off_t offset, int whence);
    int (*fstat)(int fd, struct stat *info);
    int (*ftruncate)(int fd, off_t size);
    int (*fsync)(int fd), (*close)(int fd);
    int (*rename)(const char *from, const char *to);
    int (*link)(const char *from, const char *to);
    int (*unlink)(const char *path);
    int (*mkdir)(const char *path, mode_t mode);
    int (*access)(const char *path, int mode);
    int (*flock)(int fd, int operation);
    DIR *(*opendir)(const char *path);
    struct dirent *(*readdir)(DIR *folder);
    int (*closedir)(DIR *folder);
} hl_file_calls;

/* Sets the table for the whole process; NULL restores the system's calls. Call it once, at start. */
void hl_file_calls_set(const hl_file_calls *calls);
const hl_file_calls *hl_file_calls_get(void);

HL_END_DECLS
