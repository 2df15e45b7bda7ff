/* Reads and writes files, as a whole or piece by piece, with the calls of core/base/file_calls.h. A file is replaced as
 * a whole or not at all. */
#pragma once

#include "core/base/declarations.h"
#include "core/base/file_calls.h"
#include "core/base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

HL_BEGIN_DECLS

/* HL_BAD_FILE with the text "<path>: <what>: <the system's words for errno>". HL_NO_MEMORY if errno says so; therefore
 * every function below that may fail with HL_BAD_FILE may also fail with HL_NO_MEMORY. */
hl_status hl_file_system_error(const char *path, const char *what);

/* Whether the path exists. HL_BAD_FILE if the system cannot tell. */
hl_status hl_file_exists(const char *path, bool *exists);

/* Opens a regular file as open(path, flags) does, without waiting, to work on it in place. Close *fd with the table's
 * close. HL_BAD_FILE, also for a pipe, a device, or a link through which one would write; *fd is then -1. */
hl_status hl_file_open(const char *path, int flags, int *fd);

/* Reads a regular file of at most `limit` bytes, with the length it had when it was opened. *content is new memory,
 * with an uncounted zero byte at the end, owned by the caller: hl_free. On failure *content is NULL: HL_BAD_FILE (names
 * path and reason: missing, a folder, not a regular file, too large, cut while it was read, a system error),
 * HL_NO_MEMORY. */
hl_status hl_file_read(const char *path, size_t limit, char **content, size_t *size);

/* The same for a file that may be missing: *content is then NULL, and *size is 0. */
hl_status hl_file_read_if_there(const char *path, size_t limit, char **content, size_t *size);

/* The same piece by piece: opens a regular file to read from its beginning, and sets *size to its size. Close *fd (-1
 * on failure) with the table's close. */
hl_status hl_file_open_to_read(const char *path, size_t limit, int *fd, size_t *size);

/* Reads or writes the next `count` bytes. _at: reads bytes at `offset`, from any thread. _some: reads at most `count`
 * bytes, also from a pipe, and sets *n to how many (0 at the end). HL_BAD_FILE; except for _some, also if the file
 * holds fewer bytes. */
hl_status hl_file_read_bytes(int fd, const char *path, void *bytes, size_t count);
hl_status hl_file_read_at(int fd, const char *path, void *bytes, size_t count, int64_t offset);
hl_status hl_file_read_some(int fd, const char *path, void *bytes, size_t count, size_t *n);
hl_status hl_file_write_bytes(int fd, const char *path, const void *bytes, size_t count);

/* HL_BAD_FILE if `path` is a device, a pipe, a socket or a link: a file must not replace these. */
hl_status hl_file_check_replaceable(const char *path);

/* A file that is written as "<path>.tmp" until hl_file_commit renames it. After a failure, calls do nothing. */
typedef struct hl_file {
    int fd; /* -1 when closed; { .fd = -1 } is a file that was never created, which may be abandoned */
    bool locks;
    int lock; /* the descriptor of its folder, locked; set if `locks` */
    char *path;
    char *temporary;
    hl_status error;
} hl_file;

/* Whether a commit waits for the disk: fsync of the file and of its folder. Snapshots do not wait, because a lost one
 * costs only a picture, not a run. */
typedef enum hl_durability { HL_VOLATILE, HL_DURABLE } hl_durability;

/* Creates "<path>.tmp" anew. End the file with hl_file_commit or hl_file_abandon, also on failure. HL_BAD_FILE (also
 * for what hl_file_check_replaceable refuses), HL_NO_MEMORY. */
hl_status hl_file_create(hl_file *file, const char *path);

/* The same for a file that several programs may write at once: locks its folder until the file is ended. */
hl_status hl_file_create_locked(hl_file *file, const char *path);

/* Writes all `count` bytes at the current position. _seek: moves that position as lseek does, and returns it; -1 after
 * a failure. */
void hl_file_write(hl_file *file, const void *bytes, size_t count);
int64_t hl_file_seek(hl_file *file, int64_t offset, int whence);

/* Makes `error` the file's failure, unless it has already failed. For failures while its content is made. */
void hl_file_fail(hl_file *file, hl_status error);

/* Flushes as asked, closes, and renames the file over `path`. If anything has failed so far, it removes the temporary
 * file, leaves `path` as it was, and returns the first error (HL_BAD_FILE, HL_NO_MEMORY, or what hl_file_fail
 * received). It waits for the folder last: if only that fails, `path` holds the new content. Frees what the file
 * holds. */
hl_status hl_file_commit(hl_file *file, hl_durability durability);

/* Closes and removes the temporary file, and frees what the file holds. `path` stays as it was. Cannot fail. */
void hl_file_abandon(hl_file *file);

/* Create, write and commit in one call. _text: frees the text; fails also with HL_NO_MEMORY or the text's own
 * failure. */
hl_status hl_file_replace(const char *path, const void *bytes, size_t count, hl_durability durability);
hl_status hl_file_replace_text(const char *path, hl_text *text, hl_durability durability);

/* Waits until an open file is on disk. _folder: waits for the folder that holds `path`, such as after a rename in it.
 * HL_BAD_FILE. */
hl_status hl_file_sync(int fd, const char *path);
hl_status hl_file_sync_folder(const char *path);

HL_END_DECLS
