#define _DEFAULT_SOURCE /* flock */
#include "core/files/files.h"

#include "core/base/memory.h"
#include "core/files/folders.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

/* Repeats the call for as long as a signal interrupts it. */
#define RETRIED(result, call) \
    do {                      \
        (result) = (call);    \
    } while ((result) < 0 && errno == EINTR)

hl_status hl_file_system_error(const char *path, const char *what)
{
    if (errno == ENOMEM) {
        return hl_error(HL_NO_MEMORY, "out of memory: %s: %s", path, what);
    }
    char reason[128];
    if (strerror_r(errno, reason, sizeof reason) != 0) {
        snprintf(reason, sizeof reason, "error %d", errno);
    }
    return hl_error(HL_BAD_FILE, "%s: %s: %s", path, what, reason);
}

static int open_retried(const char *path, int flags)
{
    int fd;
    RETRIED(fd, hl_file_calls_get()->open(path, flags | O_CLOEXEC, 0666));
    return fd;
}

hl_status hl_file_exists(const char *path, bool *exists)
{
    *exists = hl_file_calls_get()->access(path, F_OK) == 0;
    return *exists || errno == ENOENT || errno == ENOTDIR ? hl_ok()
                                                          : hl_file_system_error(path, "cannot be looked for");
}

hl_status hl_file_open(const char *path, int flags, int *fd)
{
    bool writes = (flags & (O_WRONLY | O_RDWR)) != 0;
    /* O_NONBLOCK: opening a pipe without a reader or writer must not wait forever. */
    *fd = open_retried(path, flags | O_NONBLOCK | O_NOCTTY | (writes ? O_NOFOLLOW : 0));
    if (*fd < 0) {
        return hl_file_system_error(path, "cannot be opened");
    }
    struct stat info;
    hl_status status =
        hl_file_calls_get()->fstat(*fd, &info) != 0 ? hl_file_system_error(path, "cannot be opened") : hl_ok();
    HL_THEN(status, S_ISREG(info.st_mode) ? hl_ok() : hl_error(HL_BAD_FILE, "%s: is not a regular file", path));
    if (status.code != HL_OK) {
        hl_file_calls_get()->close(*fd);
        *fd = -1;
    }
    return status;
}

/* Reading */

/* The size of an open regular file, if it is one and not too large. */
static hl_status regular_size(int fd, const char *path, size_t limit, size_t *size)
{
    struct stat info;
    if (hl_file_calls_get()->fstat(fd, &info) != 0) {
        return hl_file_system_error(path, "cannot read");
    }
    if (S_ISDIR(info.st_mode)) {
        return hl_error(HL_BAD_FILE, "%s: is a folder, not a file", path);
    }
    if (!S_ISREG(info.st_mode)) {
        return hl_error(HL_BAD_FILE, "%s: is not a regular file", path);
    }
    uintmax_t bytes = (uintmax_t)info.st_size;
    if (bytes > limit || bytes == SIZE_MAX) {
        return hl_error(HL_BAD_FILE, "%s: has %ju bytes, more than the %zu that are allowed here", path, bytes, limit);
    }
    *size = (size_t)bytes;
    return hl_ok();
}

hl_status hl_file_open_to_read(const char *path, size_t limit, int *fd, size_t *size)
{
    *size = 0;
    /* O_NONBLOCK: opening a pipe without a writer must not wait forever. */
    *fd = open_retried(path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
    if (*fd < 0) {
        return hl_file_system_error(path, "cannot open");
    }
    hl_status status = regular_size(*fd, path, limit, size);
    if (status.code != HL_OK) {
        hl_file_calls_get()->close(*fd);
        *fd = -1;
    }
    return status;
}

hl_status hl_file_read_some(int fd, const char *path, void *bytes, size_t count, size_t *n)
{
    ssize_t read;
    RETRIED(read, hl_file_calls_get()->read(fd, bytes, count));
    *n = read > 0 ? (size_t)read : 0;
    return read >= 0 ? hl_ok() : hl_file_system_error(path, "cannot read");
}

static hl_status cut_short(const char *path)
{
    return hl_error(HL_BAD_FILE, "%s: was cut short while it was read", path);
}

hl_status hl_file_read_bytes(int fd, const char *path, void *bytes, size_t count)
{
    char *into = bytes;
    for (size_t done = 0, n; done < count; done += n) {
        HL_TRY(hl_file_read_some(fd, path, into + done, count - done, &n));
        HL_TRY(n > 0 ? hl_ok() : cut_short(path));
    }
    return hl_ok();
}

hl_status hl_file_read_at(int fd, const char *path, void *bytes, size_t count, int64_t offset)
{
    char *into = bytes;
    ssize_t n;
    for (size_t done = 0; done < count; done += (size_t)n) {
        RETRIED(n, hl_file_calls_get()->pread(fd, into + done, count - done, offset + (off_t)done));
        HL_TRY(n > 0 ? hl_ok() : n == 0 ? cut_short(path) : hl_file_system_error(path, "cannot read"));
    }
    return hl_ok();
}

static hl_status read_open_file(int fd, const char *path, size_t size, char **content)
{
    char *bytes = hl_malloc(size + 1);
    if (bytes == NULL) {
        return hl_error(HL_NO_MEMORY, "out of memory: reading %s (%zu bytes)", path, size);
    }
    hl_status status = hl_file_read_bytes(fd, path, bytes, size);
    if (status.code != HL_OK) {
        hl_free(bytes);
        return status;
    }
    bytes[size] = '\0';
    *content = bytes;
    return hl_ok();
}

hl_status hl_file_read(const char *path, size_t limit, char **content, size_t *size)
{
    *content = NULL;
    int fd;
    HL_TRY(hl_file_open_to_read(path, limit, &fd, size));
    hl_status status = read_open_file(fd, path, *size, content);
    hl_file_calls_get()->close(fd);
    return status;
}

hl_status hl_file_read_if_there(const char *path, size_t limit, char **content, size_t *size)
{
    bool exists;
    *content = NULL;
    *size = 0;
    HL_TRY(hl_file_exists(path, &exists));
    return exists ? hl_file_read(path, limit, content, size) : hl_ok();
}

/* Writing */

void hl_file_fail(hl_file *file, hl_status error)
{
    HL_THEN(file->error, error);
}

/* Renaming a file over a device or a pipe removes it: /dev/null would be gone. Renaming over a link replaces the link
 * and leaves its target unchanged: /dev/stdout is a link, even if standard output is a file. */
hl_status hl_file_check_replaceable(const char *path)
{
    struct stat info;
    if (lstat(path, &info) != 0 || S_ISREG(info.st_mode) || S_ISDIR(info.st_mode)) {
        return hl_ok(); /* if the rename is impossible, it fails with a reason */
    }
    if (S_ISLNK(info.st_mode)) {
        return hl_error(HL_BAD_FILE, "%s: is a link and is not replaced; name the file itself", path);
    }
    return hl_error(HL_BAD_FILE, "%s: is not a regular file and is not replaced", path);
}

hl_status hl_file_create(hl_file *file, const char *path)
{
    *file = (hl_file){ .error = hl_file_check_replaceable(path), .fd = -1 };
    if (file->error.code != HL_OK) {
        return file->error;
    }
    hl_text temporary = { 0 };
    hl_text_print(&temporary, "%s.tmp", path);
    file->temporary = temporary.bytes;
    file->path = hl_strdup(path);
    if (file->path == NULL || file->temporary == NULL) {
        hl_file_fail(file, hl_error(HL_NO_MEMORY, "out of memory: writing %s", path));
        return file->error;
    }
    /* A killed program may have left one. If it cannot be removed, opening fails too and says why. */
    hl_file_calls_get()->unlink(file->temporary);
    file->fd = open_retried(file->temporary, O_WRONLY | O_CREAT | O_EXCL);
    if (file->fd < 0) {
        hl_file_fail(file, hl_file_system_error(file->temporary, "cannot create"));
    }
    return file->error;
}

hl_status hl_file_write_bytes(int fd, const char *path, const void *bytes, size_t count)
{
    const char *from = bytes;
    for (size_t done = 0; done < count;) {
        ssize_t n;
        errno = ENOSPC; /* the meaning of 0 bytes written without an error */
        RETRIED(n, hl_file_calls_get()->write(fd, from + done, count - done));
        if (n <= 0) {
            return hl_file_system_error(path, "cannot write");
        }
        done += (size_t)n;
    }
    return hl_ok();
}

hl_status hl_file_sync(int fd, const char *path)
{
    int result;
    RETRIED(result, hl_file_calls_get()->fsync(fd));
    return result == 0 ? hl_ok() : hl_file_system_error(path, "cannot write to the disk");
}

void hl_file_write(hl_file *file, const void *bytes, size_t count)
{
    HL_THEN(file->error, hl_file_write_bytes(file->fd, file->path, bytes, count));
}

int64_t hl_file_seek(hl_file *file, int64_t offset, int whence)
{
    if (file->error.code != HL_OK) {
        return -1;
    }
    off_t position = hl_file_calls_get()->lseek(file->fd, offset, whence);
    if (position < 0) {
        hl_file_fail(file, hl_file_system_error(file->path, "cannot seek"));
    }
    return position;
}

static void free_file(hl_file *file)
{
    hl_free(file->path);
    hl_free(file->temporary);
    if (file->locks) {
        hl_file_calls_get()->close(file->lock); /* unlocks */
    }
    *file = (hl_file){ .fd = -1 };
}

static void sync_and_close(hl_file *file, hl_durability durability)
{
    if (file->error.code == HL_OK && durability == HL_DURABLE) {
        file->error = hl_file_sync(file->fd, file->path);
    }
    /* Linux closes the descriptor even if close fails; EINTR does not mean that writing failed. */
    if (hl_file_calls_get()->close(file->fd) != 0 && errno != EINTR) {
        hl_file_fail(file, hl_file_system_error(file->path, "cannot write"));
    }
    file->fd = -1;
}

hl_status hl_file_commit(hl_file *file, hl_durability durability)
{
    if (file->fd >= 0) {
        sync_and_close(file, durability);
        if (file->error.code == HL_OK && hl_file_calls_get()->rename(file->temporary, file->path) != 0) {
            hl_file_fail(file, hl_file_system_error(file->path, "cannot replace"));
        }
        if (file->error.code != HL_OK) {
            hl_file_calls_get()->unlink(file->temporary);
        } else if (durability == HL_DURABLE) {
            file->error = hl_file_sync_folder(file->path);
        }
    }
    hl_status status = file->error;
    free_file(file);
    return status;
}

void hl_file_abandon(hl_file *file)
{
    if (file->fd >= 0) {
        hl_file_calls_get()->close(file->fd);
        hl_file_calls_get()->unlink(file->temporary);
    }
    free_file(file);
}

hl_status hl_file_replace(const char *path, const void *bytes, size_t count, hl_durability durability)
{
    hl_file file;
    hl_file_create(&file, path);
    hl_file_write(&file, bytes, count);
    return hl_file_commit(&file, durability);
}

hl_status hl_file_replace_text(const char *path, hl_text *text, hl_durability durability)
{
    hl_status status = hl_text_status(text);
    HL_THEN(status, hl_file_replace(path, text->bytes, text->size, durability));
    hl_text_free(text);
    return status;
}

/* Folders */

/* Opens the folder that holds `path`. */
static hl_status open_folder_of(const char *path, int *fd)
{
    char folder[PATH_MAX] = ".";
    const char *slash = strrchr(path, '/');
    if (slash != NULL) {
        size_t length = slash == path ? 1 : (size_t)(slash - path);
        if (length >= sizeof folder) {
            return hl_error(HL_BAD_FILE, "the path is too long: %s", path);
        }
        memcpy(folder, path, length);
        folder[length] = '\0';
    }
    *fd = open_retried(folder, O_RDONLY | O_DIRECTORY);
    return *fd >= 0 ? hl_ok() : hl_file_system_error(path, "cannot open its folder");
}

hl_status hl_file_create_locked(hl_file *file, const char *path)
{
    int folder, result;
    hl_status status = open_folder_of(path, &folder);
    if (status.code == HL_OK) {
        RETRIED(result, hl_file_calls_get()->flock(folder, LOCK_EX));
        if (result != 0) {
            status = hl_file_system_error(path, "cannot lock its folder");
            hl_file_calls_get()->close(folder);
        }
    }
    if (status.code != HL_OK) {
        *file = (hl_file){ .error = status, .fd = -1 };
        return status;
    }
    hl_file_create(file, path);
    file->locks = true;
    file->lock = folder;
    return file->error;
}

hl_status hl_file_sync_folder(const char *path)
{
    int fd, result;
    HL_TRY(open_folder_of(path, &fd));
    RETRIED(result, hl_file_calls_get()->fsync(fd));
    /* EINVAL: the file system has nothing to wait for. */
    hl_status status =
        result == 0 || errno == EINVAL ? hl_ok() : hl_file_system_error(path, "cannot write its folder to the disk");
    hl_file_calls_get()->close(fd);
    return status;
}

hl_status hl_file_cut(const char *path, size_t size)
{
    int fd, result;
    HL_TRY(hl_file_open(path, O_WRONLY, &fd));
    RETRIED(result, hl_file_calls_get()->ftruncate(fd, (off_t)size));
    hl_status status = result == 0 ? hl_ok() : hl_file_system_error(path, "cannot be cut");
    hl_file_calls_get()->close(fd);
    return status;
}
