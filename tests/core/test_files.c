#include "core/files/files.h"

#include "core/base/memory.h"
#include "core/files/folders.h"
#include "tests/check_suite.h"
#include "tests/fault_checks.h"
#include "tests/faults.h"
#include "tests/scratch.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static void refused(hl_status status, const char *path, const char *reason)
{
    ck_assert_int_eq(status.code, HL_BAD_FILE);
    ck_assert_msg(strstr(status.text, path) != NULL && strstr(status.text, reason) != NULL, "%s", status.text);
}

TEST(a_file_is_read_whole_with_a_zero_after_it)
{
    const char *path = scratch_path("a");
    scratch_write(path, "one\0two", 7);
    char *content;
    size_t size;
    CHECK_OK(hl_file_read(path, 7, &content, &size));
    ck_assert_uint_eq(size, 7);
    ck_assert_mem_eq(content, "one\0two", 8);
    hl_free(content);
    scratch_write(path, "", 0);
    CHECK_OK(hl_file_read(path, 0, &content, &size));
    ck_assert_uint_eq(size, 0);
    ck_assert_str_eq(content, "");
    hl_free(content);
}

TEST(what_cannot_be_read_is_refused_with_its_path_and_reason)
{
    char *content;
    size_t size;
    const char *path = scratch_path("a");
    refused(hl_file_read(path, 100, &content, &size), path, "No such file");
    ck_assert_ptr_null(content);
    scratch_write(path, "1234567", 7);
    refused(hl_file_read(path, 6, &content, &size), path, "has 7 bytes, more than the 6");
    ck_assert_ptr_null(content);
    const char *folder = scratch_path("");
    refused(hl_file_read(folder, 100, &content, &size), folder, "is a folder");
    const char *pipe = scratch_path("pipe");
    ck_assert_int_eq(mkfifo(pipe, 0600), 0);
    refused(hl_file_read(pipe, 100, &content, &size), pipe, "is not a regular file");
}

static int twice_as_large(int fd, struct stat *info)
{
    int result = fstat(fd, info);
    info->st_size *= 2;
    return result;
}

TEST(a_file_that_shrinks_while_it_is_read_is_refused)
{
    const char *path = scratch_path("a");
    scratch_write(path, "1234567", 7);
    hl_file_calls calls = *hl_file_calls_get();
    calls.fstat = twice_as_large;
    hl_file_calls_set(&calls);
    char *content;
    size_t size;
    refused(hl_file_read(path, 100, &content, &size), path, "cut short while it was read");
    ck_assert_ptr_null(content);
    hl_file_calls_set(NULL);
    CHECK_OK(hl_file_read(path, 100, &content, &size));
    hl_free(content);
}

TEST(a_place_of_a_file_is_read_whole_or_refused)
{
    const char *path = scratch_path("a");
    scratch_write(path, "0123456789", 10);
    faults_begin();
    faults_pieces(2);
    faults_interrupts(true);
    int fd;
    size_t n;
    char bytes[8] = "";
    CHECK_OK(hl_file_open(path, O_RDONLY, &fd));
    CHECK_OK(hl_file_read_at(fd, path, bytes, 5, 3));
    ck_assert_str_eq(bytes, "34567");
    refused(hl_file_read_at(fd, path, bytes, 5, 6), path, "cut short while it was read");
    CHECK_OK(hl_file_read_some(fd, path, bytes, 5, &n)); /* pread has not moved the position */
    ck_assert(n == 2 && memcmp(bytes, "01", 2) == 0);
    faults_interrupts(false);
    faults_in_files(1, FAULTS_ONCE, EIO);
    refused(hl_file_read_at(fd, path, bytes, 5, 3), path, "cannot read: Input/output error");
    ck_assert_int_eq(hl_file_calls_get()->close(fd), 0);
    faults_end();
}

TEST(a_file_appears_under_its_name_only_when_committed)
{
    const char *path = scratch_path("a");
    const char *temporary = scratch_path("a.tmp");
    scratch_write(path, "old", 3);
    hl_file file;
    CHECK_OK(hl_file_create(&file, path));
    hl_file_write(&file, "new ", 4);
    hl_file_write(&file, "12th", 4);
    ck_assert(scratch_holds(path, "old", 3));
    ck_assert(scratch_holds(temporary, "new 12th", 8));
    CHECK_OK(hl_file_commit(&file, HL_VOLATILE));
    ck_assert(scratch_holds(path, "new 12th", 8));
    ck_assert(!scratch_exists(temporary));

    CHECK_OK(hl_file_create(&file, path));
    hl_file_write(&file, "never", 5);
    hl_file_abandon(&file);
    ck_assert(scratch_holds(path, "new 12th", 8));
    ck_assert(!scratch_exists(temporary));
}

TEST(what_stands_under_the_temporary_name_is_replaced_not_followed)
{
    const char *path = scratch_path("a");
    const char *temporary = scratch_path("a.tmp");
    const char *victim = scratch_path("victim");
    scratch_write(temporary, "left by a crash", 15);
    CHECK_OK(hl_file_replace(path, "1", 1, HL_VOLATILE));
    ck_assert(scratch_holds(path, "1", 1));
    scratch_write(victim, "precious", 8);
    ck_assert_int_eq(symlink(victim, temporary), 0);
    CHECK_OK(hl_file_replace(path, "2", 1, HL_VOLATILE));
    ck_assert(scratch_holds(path, "2", 1));
    ck_assert_int_eq(symlink(victim, temporary), 0);
    faults_begin();
    faults_in_files(1, FAULTS_ONCE, EPERM); /* a link that cannot be removed is not written through */
    refused(hl_file_replace(path, "3", 1, HL_VOLATILE), temporary, "File exists");
    faults_end();
    ck_assert(scratch_holds(path, "2", 1));
    ck_assert(scratch_holds(victim, "precious", 8));
}

TEST(a_file_never_created_has_nothing_to_close)
{
    hl_file file = { .fd = -1 };
    int input = open("/dev/null", O_RDONLY);
    ck_assert_int_eq(dup2(input, STDIN_FILENO), STDIN_FILENO); /* descriptor 0, which zeros would name */
    hl_file_abandon(&file);
    ck_assert_int_ge(fcntl(STDIN_FILENO, F_GETFD), 0);
    CHECK_OK(hl_file_commit(&file, HL_VOLATILE));
    ck_assert_int_ge(fcntl(STDIN_FILENO, F_GETFD), 0);
    close(input);
}

TEST(printed_text_may_be_long_and_seeking_overwrites)
{
    const char *path = scratch_path("a");
    enum { LONG = 100000 };
    char *text = malloc(LONG + 1);
    ck_assert_ptr_nonnull(text);
    memset(text, 'x', LONG);
    text[LONG] = '\0';
    hl_file file;
    hl_file_create(&file, path);
    hl_file_write(&file, text, LONG);
    ck_assert_int_eq(hl_file_seek(&file, 0, SEEK_CUR), LONG);
    ck_assert_int_eq(hl_file_seek(&file, 10, SEEK_SET), 10);
    hl_file_write(&file, "here", 4);
    CHECK_OK(hl_file_commit(&file, HL_VOLATILE));
    memcpy(text + 10, "here", 4);
    ck_assert(scratch_holds(path, text, LONG));
    free(text);
}

TEST(the_first_failure_is_kept_and_nothing_done_after_it)
{
    const char *path = scratch_path("a");
    scratch_write(path, "old", 3);
    hl_file file;
    hl_file_create(&file, path);
    hl_file_write(&file, "12", 2);
    hl_file_fail(&file, hl_error(HL_INVALID, "the first"));
    hl_file_fail(&file, hl_error(HL_FAILED, "the second"));
    hl_file_write(&file, "34", 2);
    hl_file_write(&file, "56", 2);
    ck_assert_int_eq(hl_file_seek(&file, 0, SEEK_SET), -1);
    ck_assert(scratch_holds(scratch_path("a.tmp"), "12", 2));
    hl_status status = hl_file_commit(&file, HL_DURABLE);
    ck_assert_int_eq(status.code, HL_INVALID);
    ck_assert_str_eq(status.text, "the first");
    ck_assert(scratch_holds(path, "old", 3));
    ck_assert(!scratch_exists(scratch_path("a.tmp")));
}

TEST(where_nothing_can_be_created_the_reason_is_given)
{
    const char *path = scratch_path("no such folder/a");
    hl_file file;
    refused(hl_file_create(&file, path), path, "No such file");
    hl_file_write(&file, "1", 1);
    refused(hl_file_commit(&file, HL_DURABLE), path, "No such file");
    const char *folder = scratch_path("folder");
    ck_assert_int_eq(mkdir(folder, 0700), 0);
    refused(hl_file_replace(folder, "1", 1, HL_VOLATILE), folder, "cannot replace");
    ck_assert(!scratch_exists(scratch_path("folder.tmp")));
    refused(hl_file_sync_folder(path), path, "No such file");
    static char long_path[PATH_MAX + 100];
    memset(long_path, 'x', sizeof long_path - 1);
    long_path[sizeof long_path - 3] = '/';
    refused(hl_file_sync_folder(long_path), "xxx", "the path is too long: xxx"); /* said before the text is cut */
}

TEST(a_pipe_or_device_is_not_replaced_by_a_file)
{
    const char *pipe = scratch_path("pipe"), *link = scratch_path("link");
    struct stat info;
    ck_assert_int_eq(mkfifo(pipe, 0600), 0);
    ck_assert_int_eq(symlink("pipe", link), 0);
    refused(hl_file_replace(pipe, "1", 1, HL_VOLATILE), pipe, "is not a regular file");
    ck_assert(stat(pipe, &info) == 0 && S_ISFIFO(info.st_mode));
    refused(hl_file_replace(link, "1", 1, HL_DURABLE), link, "is a link");
    ck_assert(lstat(link, &info) == 0 && S_ISLNK(info.st_mode));
    ck_assert(!scratch_exists(scratch_path("pipe.tmp")) && !scratch_exists(scratch_path("link.tmp")));
}

/* A link to a file, as /dev/stdout is where standard output is a file. */
TEST(a_link_is_not_replaced_by_a_file)
{
    const char *file = scratch_path("file"), *link = scratch_path("link"), *nowhere = scratch_path("nowhere");
    struct stat info;
    CHECK_OK(hl_file_replace(file, "1", 1, HL_VOLATILE));
    ck_assert_int_eq(symlink("file", link), 0);
    ck_assert_int_eq(symlink("no such file", nowhere), 0);
    refused(hl_file_replace(link, "22", 2, HL_VOLATILE), link, "name the file itself");
    refused(hl_file_replace(nowhere, "22", 2, HL_VOLATILE), nowhere, "name the file itself");
    ck_assert(lstat(link, &info) == 0 && S_ISLNK(info.st_mode));
    ck_assert(stat(file, &info) == 0 && info.st_size == 1);
    CHECK_OK(hl_file_replace(file, "22", 2, HL_VOLATILE));
    ck_assert(stat(link, &info) == 0 && info.st_size == 2);
    ck_assert(!scratch_exists(scratch_path("link.tmp")) && !scratch_exists(scratch_path("nowhere.tmp")));
}

TEST(what_is_opened_to_work_on_is_a_regular_file_and_never_waited_for)
{
    const char *file = scratch_path("file"), *pipe = scratch_path("pipe"), *link = scratch_path("link");
    int fd;
    ck_assert_int_eq(mkfifo(pipe, 0600), 0);
    ck_assert_int_eq(symlink("file", link), 0);
    static const int flags[] = { O_RDONLY, O_RDWR | O_CREAT, O_WRONLY | O_CREAT | O_APPEND };
    for (int i = 2; i >= 0; i--) { /* the last one makes the file */
        CHECK_OK(hl_file_open(file, flags[i], &fd));
        ck_assert_int_ge(fd, 0);
        close(fd);
        hl_status status = hl_file_open(pipe, flags[i], &fd);
        ck_assert_msg(status.code == HL_BAD_FILE && strstr(status.text, pipe) == status.text, "%s", status.text);
        ck_assert_int_eq(fd, -1);
    }
    CHECK_OK(hl_file_open(link, O_RDONLY, &fd));
    close(fd);
    refused(hl_file_open(link, O_WRONLY, &fd), link, "cannot be opened");
    refused(hl_file_open(scratch_path("missing"), O_WRONLY, &fd), scratch_path("missing"), "No such file");
}

/* Each would find that another has renamed, or made anew, the file it is writing. */
TEST(several_may_replace_a_file_in_turn)
{
    enum { WRITERS = 4, TIMES = 200, SIZE = 3000 };
    const char *path = scratch_path("a");
    static char bytes[SIZE];
    pid_t writers[WRITERS];
    for (int i = 0; i < WRITERS; i++) {
        writers[i] = fork();
        if (writers[i] == 0) {
            bool good = true;
            memset(bytes, 'a' + i, sizeof bytes);
            for (int n = 0; n < TIMES; n++) {
                hl_file file;
                hl_file_create_locked(&file, path);
                hl_file_write(&file, bytes, sizeof bytes);
                good = good && hl_file_commit(&file, HL_VOLATILE).code == HL_OK;
            }
            _exit(good ? 0 : 1);
        }
    }
    for (int i = 0; i < WRITERS; i++) {
        int status;
        ck_assert_int_eq(waitpid(writers[i], &status, 0), writers[i]);
        ck_assert_int_eq(status, 0);
    }
    size_t size;
    char *content = scratch_read(path, &size);
    ck_assert_uint_eq(size, SIZE);
    ck_assert_uint_eq(strspn(content, (char[]){ content[0], '\0' }), SIZE);
    free(content);
    hl_file file;
    hl_file_create_locked(&file, scratch_path("no/file"));
    refused(hl_file_commit(&file, HL_VOLATILE), scratch_path("no/file"), "its folder");
}

static ssize_t write_nothing(int fd, const void *buffer, size_t count)
{
    (void)fd;
    (void)buffer;
    (void)count;
    return 0;
}

TEST(a_disk_that_takes_nothing_is_a_failure)
{
    const char *path = scratch_path("a");
    hl_file_calls calls = *hl_file_calls_get();
    calls.write = write_nothing;
    hl_file_calls_set(&calls);
    refused(hl_file_replace(path, "1", 1, HL_VOLATILE), path, "No space left");
    hl_file_calls_set(NULL);
    ck_assert(!scratch_exists(path));
}

TEST(an_error_without_a_name_is_told_by_its_number)
{
    const char *path = scratch_path("a");
    faults_begin();
    faults_in_files(1, FAULTS_ONCE, 9999);
    char *content;
    size_t size;
    refused(hl_file_read(path, 1, &content, &size), path, "cannot open: error 9999");
    faults_end();
}

static int close_interrupted(int fd)
{
    close(fd);
    errno = EINTR;
    return -1;
}

TEST(a_close_that_is_interrupted_has_closed)
{
    const char *path = scratch_path("a");
    hl_file_calls calls = *hl_file_calls_get();
    calls.close = close_interrupted;
    hl_file_calls_set(&calls);
    CHECK_OK(hl_file_replace(path, "1", 1, HL_DURABLE));
    hl_file_calls_set(NULL);
    ck_assert(scratch_holds(path, "1", 1));
}

static int n_syncs, last_sync_error;

static int count_syncs(int fd)
{
    n_syncs++;
    (void)fd;
    errno = last_sync_error;
    return last_sync_error == 0 ? 0 : -1;
}

TEST(a_durable_file_waits_for_the_disk_twice_a_volatile_one_never)
{
    const char *path = scratch_path("a");
    hl_file_calls calls = *hl_file_calls_get();
    calls.fsync = count_syncs;
    hl_file_calls_set(&calls);
    CHECK_OK(hl_file_replace(path, "1", 1, HL_VOLATILE));
    ck_assert_int_eq(n_syncs, 0);
    CHECK_OK(hl_file_replace(path, "1", 1, HL_DURABLE));
    ck_assert_int_eq(n_syncs, 2);
    /* Some file systems cannot flush a folder and say so. */
    last_sync_error = EINVAL;
    CHECK_OK(hl_file_sync_folder(path));
    last_sync_error = EIO;
    refused(hl_file_sync_folder(path), path, "cannot write its folder to the disk");
    hl_file_calls_set(NULL);
}

TEST(short_reads_and_writes_are_continued_and_interrupted_calls_made_again)
{
    const char *path = scratch_path("a");
    faults_begin();
    faults_in_files(0, FAULTS_ONCE, 0);
    faults_pieces(3);
    faults_interrupts(true);
    CHECK_OK(hl_file_replace(path, "a longer text", 13, HL_DURABLE));
    ck_assert(scratch_holds(path, "a longer text", 13));
    ck_assert_int_eq(faults_interrupted(), 9); /* 2 opens, 5 writes, 2 fsyncs */
    char *content;
    size_t size;
    CHECK_OK(hl_file_read(path, 100, &content, &size));
    ck_assert_str_eq(content, "a longer text");
    ck_assert_int_eq(faults_interrupted(), 15); /* an open and 5 reads more */
    hl_free(content);
    ck_assert_int_eq(faults_open_files(), 0);
    ck_assert_int_eq(faults_live_blocks(), 0);
    faults_end();
}

TEST(a_file_is_cut_in_place_or_stays)
{
    const char *path = scratch_path("a");
    scratch_write(path, "0123456789", 10);
    faults_begin();
    faults_of_call(FAULTS_FTRUNCATE);
    faults_in_files(1, FAULTS_ONCE, EIO);
    refused(hl_file_cut(path, 4), path, "cannot be cut: Input/output error");
    ck_assert_int_eq(faults_file_calls(), 1);
    ck_assert(scratch_holds(path, "0123456789", 10));
    faults_in_files(0, FAULTS_ONCE, 0);
    faults_interrupts(true);
    CHECK_OK(hl_file_cut(path, 4));
    ck_assert_int_eq(faults_interrupted(), 2); /* open and ftruncate */
    ck_assert(scratch_holds(path, "0123", 4));
    ck_assert_int_eq(faults_open_files(), 0);
    faults_end();
}

static hl_status save_text(const char *path, int version)
{
    hl_file file;
    hl_file_create(&file, path);
    char text[32];
    hl_file_write(&file, text, (size_t)snprintf(text, sizeof text, "version %d\n", version));
    hl_file_seek(&file, 0, SEEK_SET);
    hl_file_write(&file, "V", 1);
    return hl_file_commit(&file, HL_DURABLE);
}

static hl_status load_text(const char *path)
{
    char *content;
    size_t size;
    HL_TRY(hl_file_read(path, 100, &content, &size));
    ck_assert_str_eq(content, "Version 0\n");
    hl_free(content);
    return hl_ok();
}

TEST(no_failing_call_harms_the_old_file)
{
    /* Harmless are removing a temporary file that is not there and closing the folder. */
    fault_checks_saving(save_text, 2);
}

TEST(no_failing_call_is_missed_in_reading)
{
    fault_checks_loading(save_text, load_text, 1);
}

/* ---- what is there ---- */

TEST(a_file_exists_is_missing_or_cannot_be_looked_for)
{
    const char *path = scratch_path("a"), *inside = scratch_path("a/b");
    bool exists = true;
    CHECK_OK(hl_file_exists(path, &exists));
    ck_assert(!exists);
    scratch_write(path, "1", 1);
    CHECK_OK(hl_file_exists(path, &exists));
    ck_assert(exists);
    CHECK_OK(hl_file_exists(inside, &exists));
    ck_assert(!exists);
    faults_begin();
    faults_in_files(1, FAULTS_ONCE, EIO);
    refused(hl_file_exists(path, &exists), path, "Input/output error");
    faults_end();
}

TEST(a_call_that_fails_for_want_of_memory_says_that)
{
    const char *path = scratch_path("a");
    scratch_write(path, "1", 1);
    char *content;
    size_t size;
    faults_begin();
    faults_in_files(1, FAULTS_ONCE, ENOMEM);
    hl_status status = hl_file_read(path, 9, &content, &size);
    faults_end();
    ck_assert_int_eq(status.code, HL_NO_MEMORY);
    ck_assert_msg(strstr(status.text, "out of memory: ") == status.text && strstr(status.text, path) != NULL, "%s",
                  status.text);
}

/* ---- faults of one kind ---- */

TEST(a_short_write_is_followed_by_a_full_disk)
{
    const char *path = scratch_path("a");
    faults_begin();
    faults_of_call(FAULTS_SHORT_WRITE);
    faults_in_files(1, FAULTS_ONCE, ENOSPC);
    refused(hl_file_replace(path, "123456789", 9, HL_VOLATILE), path, "No space left");
    const faults_failure *failures;
    ck_assert_int_eq(faults_failures(&failures), 1);
    ck_assert_int_eq(failures[0].call, FAULTS_WRITE);
    ck_assert_ptr_nonnull(strstr(failures[0].path, path));
    ck_assert(!scratch_exists(path));
    faults_of_call(FAULTS_RENAME);
    faults_in_files(1, FAULTS_ONCE, EIO);
    refused(hl_file_replace(path, "123456789", 9, HL_VOLATILE), path, "cannot replace");
    ck_assert_int_eq(faults_file_calls(), 1);
    faults_end();
}

SUITE("files")
