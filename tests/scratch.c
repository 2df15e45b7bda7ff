#define _GNU_SOURCE /* vasprintf */
#include "tests/scratch.h"

#include <dirent.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static _Noreturn void fail(const char *what)
{
    perror(what);
    abort();
}

static char folder[256], shared_folder[256];
static pid_t owner;

void scratch_remove(const char *path)
{
    DIR *directory = opendir(path);
    if (directory != NULL) {
        for (struct dirent *item; (item = readdir(directory)) != NULL;) {
            char inner[1024];
            if (strcmp(item->d_name, ".") != 0 && strcmp(item->d_name, "..") != 0 &&
                snprintf(inner, sizeof inner, "%s/%s", path, item->d_name) < (int)sizeof inner) {
                struct stat info;
                if (lstat(inner, &info) == 0 && S_ISDIR(info.st_mode)) {
                    scratch_remove(inner);
                } else {
                    unlink(inner);
                }
            }
        }
        closedir(directory);
    }
    rmdir(path);
}

void scratch_copy(const char *from, const char *to)
{
    DIR *directory = opendir(from);
    if (directory == NULL || mkdir(to, 0777) != 0) {
        fail(to);
    }
    for (struct dirent *item; (item = readdir(directory)) != NULL;) {
        char inner[1024], copy[1024];
        struct stat info;
        snprintf(inner, sizeof inner, "%s/%s", from, item->d_name);
        snprintf(copy, sizeof copy, "%s/%s", to, item->d_name);
        if (lstat(inner, &info) == 0 && S_ISREG(info.st_mode)) {
            size_t size;
            char *bytes = scratch_read(inner, &size);
            scratch_write(copy, bytes, size);
            free(bytes);
        } else if (strcmp(item->d_name, ".") != 0 && strcmp(item->d_name, "..") != 0) {
            scratch_copy(inner, copy);
        }
    }
    closedir(directory);
}

typedef struct kept {
    void *object;
    void (*release)(void *object);
    struct kept *before;
} kept;

static kept *last_kept;
static pthread_mutex_t keeping = PTHREAD_MUTEX_INITIALIZER;

void *scratch_own(void *object, void (*release)(void *object))
{
    kept *one = malloc(sizeof *one);
    if (one == NULL) {
        fail("what a test keeps");
    }
    pthread_mutex_lock(&keeping);
    *one = (kept){ object, release, last_kept };
    last_kept = one;
    pthread_mutex_unlock(&keeping);
    return object;
}

static void release_text(void *text)
{
    hl_text_free(text);
    free(text);
}

const char *scratch_format(const char *format, ...)
{
    char *text = NULL;
    va_list arguments;
    va_start(arguments, format);
    if (vasprintf(&text, format, arguments) < 0) {
        fail("a text");
    }
    va_end(arguments);
    return scratch_own(text, free);
}

hl_text *scratch_text(void)
{
    return scratch_own(calloc(1, sizeof(hl_text)), release_text);
}

void scratch_end(void)
{
    while (last_kept != NULL) {
        kept *one = last_kept;
        last_kept = one->before;
        one->release(one->object);
        free(one);
    }
    if (owner == getpid()) {
        scratch_remove(folder);
        owner = 0;
    }
}

static void remove_at_exit(void)
{
    static bool registered; /* a forked process has its parent's handlers too */
    if (!registered) {
        registered = atexit(scratch_end) == 0;
    }
}

static void make_folder(char path[256])
{
    /* Disks flush a file that is replaced: in memory, thousands of replacements are a hundred times faster. */
    const char *parent = getenv("TMPDIR");
    if (parent == NULL) {
        parent = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
    }
    snprintf(path, 256, "%s/headlight-test-XXXXXX", parent);
    if (mkdtemp(path) == NULL) {
        fail(path);
    }
}

static const char *path_in(const char *parent, const char *name)
{
    enum { KEPT = 8 };
    static char paths[KEPT][512];
    static int next;
    char *path = paths[next++ % KEPT];
    if (snprintf(path, sizeof paths[0], "%s/%s", parent, name) >= (int)sizeof paths[0]) {
        fail(name);
    }
    return path;
}

const char *scratch_folder(void)
{
    if (owner != getpid()) {
        make_folder(folder);
        owner = getpid();
        remove_at_exit();
    }
    return folder;
}

const char *scratch_path(const char *name)
{
    return path_in(scratch_folder(), name);
}

void scratch_share_begin(void)
{
    make_folder(shared_folder);
}

void scratch_share_end(void)
{
    scratch_remove(shared_folder);
}

const char *scratch_shared_path(const char *name)
{
    return path_in(shared_folder, name);
}

void scratch_write(const char *path, const void *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    if (file == NULL || fwrite(bytes, 1, size, file) != size || fclose(file) != 0) {
        fail(path);
    }
}

const char *scratch_file(const char *name, const char *text)
{
    const char *path = scratch_format("%s", scratch_path(name));
    scratch_write(path, text, strlen(text));
    return path;
}

char *scratch_read(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        return NULL;
    }
    if (fseek(file, 0, SEEK_END) != 0) {
        fail(path);
    }
    *size = (size_t)ftell(file);
    rewind(file);
    char *content = malloc(*size + 1);
    if (content == NULL) {
        fail(path);
    }
    if (fread(content, 1, *size, file) != *size || fclose(file) != 0) {
        fail(path);
    }
    content[*size] = '\0';
    return content;
}

bool scratch_exists(const char *path)
{
    struct stat info;
    return lstat(path, &info) == 0;
}

bool scratch_holds(const char *path, const void *bytes, size_t size)
{
    size_t actual;
    char *content = scratch_read(path, &actual);
    bool same = content != NULL && actual == size && memcmp(content, bytes, size) == 0;
    free(content);
    return same;
}
