#define _DEFAULT_SOURCE /* dirfd */
#include "tests/faults.h"

#include "core/base/memory.h"
#include "core/files/files.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_FILES = 64 };

static struct {
    hl_file_calls system;
    faults_call call;
    const char *beside;
    int n, calls, error;
    faults_kind kind;
    size_t piece;
    bool interrupts, interrupted_last;
    int interrupted, open;
    bool unlink_failed, renamed, short_last;
    faults_failure failures[FAULTS_KEPT];
    int n_failures;
    char paths[MAX_FILES][FAULTS_PATH]; /* what each descriptor was opened by */
} files;

static struct {
    int n, calls, live;
    faults_kind kind;
} memory;

static bool due(int *calls, int n, faults_kind kind)
{
    ++*calls;
    return n > 0 && (*calls == n || (kind == FAULTS_FOR_EVER && *calls > n));
}

static const char *path_of(int fd)
{
    return fd >= 0 && fd < MAX_FILES ? files.paths[fd] : "";
}

static bool counts(faults_call call, const char *path)
{
    bool passed_over =
        files.beside != NULL && strstr(path, files.beside) != NULL && call != FAULTS_OPEN && call != FAULTS_CLOSE;
    return !passed_over && (files.call == FAULTS_ANY_CALL || files.call == call ||
                            (files.call == FAULTS_SHORT_WRITE && call == FAULTS_WRITE));
}

/* Whether this file call fails; errno is set then. */
static bool file_fault(faults_call call, const char *path)
{
    if (!counts(call, path) || !due(&files.calls, files.n, files.kind)) {
        return false;
    }
    if (files.kind == FAULTS_SIGNAL) {
        raise(files.error);
        return false;
    }
    if (files.n_failures < FAULTS_KEPT) {
        faults_failure *failure = &files.failures[files.n_failures++];
        failure->call = call;
        snprintf(failure->path, sizeof failure->path, "%s", path);
    }
    errno = files.error;
    return true;
}

/* As file_fault, for calls that a signal may interrupt: every second try goes through. */
static bool file_fault_or_interrupt(faults_call call, const char *path)
{
    files.interrupted_last = files.interrupts && !files.interrupted_last;
    if (files.interrupted_last) {
        files.interrupted++;
        errno = EINTR;
        return true;
    }
    return file_fault(call, path);
}

static size_t piece(size_t count)
{
    return files.piece > 0 && count > files.piece ? files.piece : count;
}

static int fault_open(const char *path, int flags, mode_t mode)
{
    int fd = file_fault_or_interrupt(FAULTS_OPEN, path) ? -1 : files.system.open(path, flags, mode);
    files.open += fd >= 0;
    if (fd >= 0 && fd < MAX_FILES) {
        snprintf(files.paths[fd], FAULTS_PATH, "%s", path);
    }
    return fd;
}

static ssize_t fault_read(int fd, void *buffer, size_t count)
{
    return file_fault_or_interrupt(FAULTS_READ, path_of(fd)) ? -1 : files.system.read(fd, buffer, piece(count));
}

static ssize_t fault_pread(int fd, void *buffer, size_t count, off_t offset)
{
    return file_fault_or_interrupt(FAULTS_PREAD, path_of(fd)) ? -1
                                                              : files.system.pread(fd, buffer, piece(count), offset);
}

/* The n-th write does half; the next one fails, and with FAULTS_FOR_EVER all that follow. */
static ssize_t short_write(int fd, const void *buffer, size_t count)
{
    bool was_short = files.short_last, fails = file_fault(FAULTS_WRITE, path_of(fd));
    files.short_last = fails && !was_short;
    if (was_short) {
        errno = files.error;
        files.short_last = files.kind == FAULTS_FOR_EVER;
        return -1;
    }
    return files.system.write(fd, buffer, fails ? (count + 1) / 2 : count);
}

static ssize_t fault_write(int fd, const void *buffer, size_t count)
{
    if (files.call == FAULTS_SHORT_WRITE) {
        return short_write(fd, buffer, count);
    }
    bool killed = files.kind == FAULTS_SIGNAL && files.error == SIGKILL && files.calls + 1 == files.n;
    if (killed && counts(FAULTS_WRITE, path_of(fd))) { /* it dies half-way */
        (void)!files.system.write(fd, buffer, count / 2);
    }
    return file_fault_or_interrupt(FAULTS_WRITE, path_of(fd)) ? -1 : files.system.write(fd, buffer, piece(count));
}

static off_t fault_lseek(int fd, off_t offset, int whence)
{
    return file_fault(FAULTS_LSEEK, path_of(fd)) ? -1 : files.system.lseek(fd, offset, whence);
}

static int fault_fstat(int fd, struct stat *info)
{
    return file_fault(FAULTS_FSTAT, path_of(fd)) ? -1 : files.system.fstat(fd, info);
}

static int fault_ftruncate(int fd, off_t size)
{
    return file_fault_or_interrupt(FAULTS_FTRUNCATE, path_of(fd)) ? -1 : files.system.ftruncate(fd, size);
}

static int fault_fsync(int fd)
{
    return file_fault_or_interrupt(FAULTS_FSYNC, path_of(fd)) ? -1 : 0; /* no test needs the disk itself, and thousands
                                                                          of flushes take their time */
}

static int fault_close(int fd)
{
    int result = files.system.close(fd);
    files.open -= result == 0;
    return file_fault(FAULTS_CLOSE, path_of(fd)) ? -1 : result;
}

static int fault_rename(const char *from, const char *to)
{
    int result = file_fault(FAULTS_RENAME, to) ? -1 : files.system.rename(from, to);
    files.renamed = files.renamed || result == 0;
    return result;
}

static int fault_link(const char *from, const char *to)
{
    return file_fault(FAULTS_LINK, to) ? -1 : files.system.link(from, to);
}

static int fault_unlink(const char *path)
{
    bool fault = file_fault(FAULTS_UNLINK, path);
    files.unlink_failed = files.unlink_failed || fault;
    return fault ? -1 : files.system.unlink(path);
}

static int fault_mkdir(const char *path, mode_t mode)
{
    return file_fault(FAULTS_MKDIR, path) ? -1 : files.system.mkdir(path, mode);
}

static int fault_access(const char *path, int mode)
{
    return file_fault(FAULTS_ACCESS, path) ? -1 : files.system.access(path, mode);
}

static int fault_flock(int fd, int operation)
{
    return file_fault(FAULTS_FLOCK, path_of(fd)) ? -1 : files.system.flock(fd, operation);
}

/* A folder counts as an open file under its descriptor. */
static DIR *fault_opendir(const char *path)
{
    DIR *folder = file_fault(FAULTS_OPENDIR, path) ? NULL : files.system.opendir(path);
    files.open += folder != NULL;
    if (folder != NULL && dirfd(folder) < MAX_FILES) {
        snprintf(files.paths[dirfd(folder)], FAULTS_PATH, "%s", path);
    }
    return folder;
}

static struct dirent *fault_readdir(DIR *folder)
{
    return file_fault(FAULTS_READDIR, path_of(dirfd(folder))) ? NULL : files.system.readdir(folder);
}

static int fault_closedir(DIR *folder)
{
    int fd = dirfd(folder), result = files.system.closedir(folder);
    files.open -= result == 0;
    return file_fault(FAULTS_CLOSEDIR, path_of(fd)) ? -1 : result;
}

static void *fault_allocate(size_t bytes)
{
    enum { ALIGNMENT = 64, SPOILED = 1 << 20 };
    void *block = NULL;
    if (!due(&memory.calls, memory.n, memory.kind) && posix_memalign(&block, ALIGNMENT, bytes) == 0) {
        memory.live++;
        memset(block, 0xa5,
               bytes < SPOILED ? bytes : SPOILED); /* whoever counts on zeros shall see that there are none */
    }
    return block;
}

static void *fault_reallocate(void *old, size_t bytes)
{
    void *block = due(&memory.calls, memory.n, memory.kind) ? NULL : realloc(old, bytes);
    memory.live += old == NULL && block != NULL;
    return block;
}

static void fault_release(void *block)
{
    memory.live -= block != NULL;
    free(block);
}

void faults_begin(void)
{
    static const hl_file_calls file_calls = {
        .open = fault_open,
        .read = fault_read,
        .pread = fault_pread,
        .write = fault_write,
        .lseek = fault_lseek,
        .fstat = fault_fstat,
        .ftruncate = fault_ftruncate,
        .fsync = fault_fsync,
        .close = fault_close,
        .rename = fault_rename,
        .link = fault_link,
        .unlink = fault_unlink,
        .mkdir = fault_mkdir,
        .access = fault_access,
        .flock = fault_flock,
        .opendir = fault_opendir,
        .readdir = fault_readdir,
        .closedir = fault_closedir,
    };
    static const hl_allocator allocator = { fault_allocate, fault_reallocate, fault_release };
    memset(&files, 0, sizeof files);
    memset(&memory, 0, sizeof memory);
    hl_file_calls_set(NULL);
    files.system = *hl_file_calls_get();
    hl_file_calls_set(&file_calls);
    hl_allocator_set(&allocator);
}

void faults_in_files(int n, faults_kind kind, int error)
{
    files.n = n;
    files.kind = kind;
    files.error = error;
    files.calls = 0;
    files.short_last = false;
    files.n_failures = 0;
    files.interrupted = 0;
    files.unlink_failed = false;
    files.renamed = false;
}

void faults_of_call(faults_call call)
{
    files.call = call;
}

void faults_beside(const char *part)
{
    files.beside = part;
}

const char *faults_call_name(faults_call call)
{
    static const char *const names[FAULTS_CALLS] = {
        "any call", "open",   "read", "pread",  "write", "short write", "lseek", "fstat",   "ftruncate", "fsync",
        "close",    "rename", "link", "unlink", "mkdir", "access",      "flock", "opendir", "readdir",   "closedir",
    };
    return names[call];
}

int faults_failures(const faults_failure **failures)
{
    *failures = files.failures;
    return files.n_failures;
}

void faults_in_memory(int n, faults_kind kind)
{
    memory.n = n;
    memory.kind = kind;
    memory.calls = 0;
}

void faults_pieces(size_t bytes)
{
    files.piece = bytes;
}

void faults_interrupts(bool on)
{
    files.interrupts = on;
    files.interrupted_last = false;
}

int faults_file_calls(void)
{
    return files.calls;
}

int faults_interrupted(void)
{
    return files.interrupted;
}

bool faults_unlink_failed(void)
{
    return files.unlink_failed;
}

bool faults_renamed(void)
{
    return files.renamed;
}

int faults_allocations(void)
{
    return memory.calls;
}

int faults_open_files(void)
{
    return files.open;
}

int faults_live_blocks(void)
{
    return memory.live;
}

void faults_end(void)
{
    hl_file_calls_set(NULL);
    hl_allocator_set(NULL);
}
