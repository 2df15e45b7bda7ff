/* Files, read and written as a whole or piece by piece, by the calls of core/base/file_calls.h. A file is replaced as a
 * whole or not at all. */
#ifndef HL_CORE_FILES_FILES_H
#define HL_CORE_FILES_FILES_H

#include "core/base/declarations.h"
#include "core/base/file_calls.h"
#include "core/base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

HL_BEGIN_DECLS

/* HL_BAD_FILE with the text "<path>: <what>: <the system's words for errno>"; HL_NO_MEMORY where errno says so, which
 * every call below that may fail with HL_BAD_FILE may then fail with. */
hl_status hl_file_system_error(const char *path, const char *what);

/* Whether the path exists. HL_BAD_FILE where the system does not tell. */
hl_status hl_file_exists(const char *path, bool *exists);

/* Opens a regular file to work on in place, as open(path, flags) does, never waiting: *fd, to be closed by the table's
 * close. HL_BAD_FILE, also where it is a pipe, a device, or a link that would be written through; *fd is -1 then. */
hl_status hl_file_open(const char *path, int flags, int *fd);

/* The content of a regular file of at most `limit` bytes, as long as when it was opened, in new memory, with a zero
 * byte after it, not counted. Owned by the caller: hl_free. On failure *content is NULL: HL_BAD_FILE (naming path and
 * reason: missing, a folder, no regular file, too large, cut while it was read, a system error), HL_NO_MEMORY. */
hl_status hl_file_read(const char *path, size_t limit, char **content, size_t *size);

/* The same of a file that may be missing: *content is then NULL, and *size is 0. */
hl_status hl_file_read_if_there(const char *path, size_t limit, char **content, size_t *size);

/* The same piece by piece: opens a regular file to be read from its beginning, *fd to be closed by the table's close
 * (-1 on failure), and tells its size. */
hl_status hl_file_open_to_read(const char *path, size_t limit, int *fd, size_t *size);

/* Reads, or writes, the next `count` bytes; _at: reads those at `offset`, on any thread; _some: at most `count`, *n of
 * them (0 at the end), also of a pipe. HL_BAD_FILE; but for _some also where it holds fewer. */
hl_status hl_file_read_bytes(int fd, const char *path, void *bytes, size_t count);
hl_status hl_file_read_at(int fd, const char *path, void *bytes, size_t count, int64_t offset);
hl_status hl_file_read_some(int fd, const char *path, void *bytes, size_t count, size_t *n);
hl_status hl_file_write_bytes(int fd, const char *path, const void *bytes, size_t count);

/* HL_BAD_FILE where `path` is a device, a pipe, a socket or a link, which no file must replace. */
hl_status hl_file_check_replaceable(const char *path);

/* A file being written as "<path>.tmp" until hl_file_commit renames it. After a failure calls do nothing. */
typedef struct hl_file {
    int fd; /* -1 when closed; { .fd = -1 } is a file that was never created, and may be abandoned */
    bool locks;
    int lock; /* the descriptor of its folder, locked; set where `locks` */
    char *path;
    char *temporary;
    hl_status error;
} hl_file;

/* Whether a commit waits for the disk: fsync of the file and of its folder. A snapshot does not (a lost one costs a
 * picture, not a run). */
typedef enum hl_durability { HL_VOLATILE, HL_DURABLE } hl_durability;

/* Creates "<path>.tmp" anew. The file must be ended by hl_file_commit or hl_file_abandon, whatever this returns:
 * HL_BAD_FILE (also for what hl_file_check_replaceable refuses), HL_NO_MEMORY. */
hl_status hl_file_create(hl_file *file, const char *path);

/* The same for a file that several programs may write at once: holds a lock on its folder until the file is ended. */
hl_status hl_file_create_locked(hl_file *file, const char *path);

/* Writes all `count` bytes at the present position; moves that as lseek does and returns it, -1 after a failure. */
void hl_file_write(hl_file *file, const void *bytes, size_t count);
int64_t hl_file_seek(hl_file *file, int64_t offset, int whence);

/* Makes `error` the file's failure unless it has failed before. For failures while its content is made. */
void hl_file_fail(hl_file *file, hl_status error);

/* Flushes as asked, closes, renames over `path`. On any failure so far: removes the temporary file, leaves `path` as it
 * was, and returns the first error (HL_BAD_FILE, HL_NO_MEMORY, or what hl_file_fail was given). Waiting for the folder
 * comes last: where that alone fails, the new content stands under `path`. Frees what the file holds. */
hl_status hl_file_commit(hl_file *file, hl_durability durability);

/* Closes and removes the temporary file and frees; `path` stays as it was. Cannot fail. */
void hl_file_abandon(hl_file *file);

/* Create, write, commit in one; of a text, which is freed: HL_NO_MEMORY too, or whatever it has failed with. */
hl_status hl_file_replace(const char *path, const void *bytes, size_t count, hl_durability durability);
hl_status hl_file_replace_text(const char *path, hl_text *text, hl_durability durability);

/* Waits until the open file, or the folder that holds `path` (a rename in it), is on disk. HL_BAD_FILE. */
hl_status hl_file_sync(int fd, const char *path);
hl_status hl_file_sync_folder(const char *path);

HL_END_DECLS

#endif
