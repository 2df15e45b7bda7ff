#include "core/files/folders.h"

#include "core/base/memory.h"
#include "core/files/files.h"
#include "tests/check_suite.h"
#include "tests/faults.h"
#include "tests/scratch.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

static void refused(hl_status status, const char *path, const char *reason)
{
    ck_assert_int_eq(status.code, HL_BAD_FILE);
    ck_assert_msg(strstr(status.text, path) != NULL && strstr(status.text, reason) != NULL, "%s", status.text);
}

static int flushed;

static int count_flush(int fd)
{
    flushed++;
    return fsync(fd);
}

TEST(folders_that_are_made_are_flushed)
{
    hl_file_calls calls = *hl_file_calls_get();
    calls.fsync = count_flush;
    hl_file_calls_set(&calls);
    const char *inner = scratch_path("one/two/three");
    CHECK_OK(hl_folder_make(inner));
    ck_assert_int_eq(flushed, 3);
    CHECK_OK(hl_folder_make(inner));
    ck_assert_int_eq(flushed, 3);
    hl_file_calls_set(NULL);
}

TEST(folders_are_made_with_those_above_them)
{
    const char *inner = scratch_path("one/two//three/");
    CHECK_OK(hl_folder_make(inner));
    CHECK_OK(hl_folder_make(inner));
    scratch_write(scratch_path("one/two/three/file"), "1", 1);
    const char *file = scratch_path("one/two/three/file");
    refused(hl_folder_make(file), file, "Not a directory");
    refused(hl_folder_make(scratch_path("one/two/three/file/four")), file, "Not a directory");
    refused(hl_folder_make(""), "", "No such file");
    static char path[PATH_MAX + 100];
    memset(path, 'x', sizeof path - 1);
    refused(hl_folder_make(path), "xxx", "too long");
    /* A path in the current folder has no parent, and "/" always exists. */
    ck_assert_int_eq(chdir(scratch_path("one")), 0);
    CHECK_OK(hl_folder_make("here"));
    ck_assert(scratch_exists(scratch_path("one/here")));
    CHECK_OK(hl_file_replace("plain", "1", 1, HL_DURABLE));
    ck_assert(scratch_exists(scratch_path("one/plain")));
    CHECK_OK(hl_folder_make("/"));
    CHECK_OK(hl_file_sync_folder("/x"));
}

TEST(every_failing_call_of_making_a_folder_is_reported)
{
    faults_begin();
    for (int n = 1;; n++) {
        const char *path = scratch_path(n % 2 == 0 ? "even/inner" : "odd/inner");
        faults_in_files(n, FAULTS_ONCE, EACCES);
        hl_status status = hl_folder_make(path);
        if (faults_file_calls() < n) {
            ck_assert_int_eq(status.code, HL_OK);
            break;
        }
        ck_assert_int_eq(faults_open_files(), 0);
        if (status.code != HL_OK) {
            ck_assert_int_eq(status.code, HL_BAD_FILE);
            ck_assert_ptr_nonnull(strstr(status.text, "Permission denied"));
        } else {
            ck_assert(scratch_exists(path)); /* only the last call, a close, may fail unseen */
        }
    }
    faults_end();
}

TEST(paths_are_joined)
{
    char *path = hl_path_join("runs/copy", "step_%06d.npz", 500);
    ck_assert_str_eq(path, "runs/copy/step_000500.npz");
    hl_free(path);
    faults_begin();
    for (int n = 1; n <= 1; n++) {
        faults_in_memory(n, FAULTS_ONCE);
        ck_assert_ptr_null(hl_path_join("a", "b%d", 1));
        ck_assert_int_eq(faults_live_blocks(), 0);
    }
    faults_end();
}

static hl_status note_name(void *context, const char *name)
{
    char *names = context;
    if (strcmp(name, "refused") == 0) {
        return hl_error(HL_FAILED, "no %s", name);
    }
    strcat(strcat(names, name), " ");
    return hl_ok();
}

TEST(a_folder_is_listed_whole_or_not_at_all)
{
    char names[256] = "";
    const char *folder = scratch_path("folder"), *file = scratch_path("folder/one");
    CHECK_OK(hl_folder_list(folder, note_name, names)); /* which is not there */
    ck_assert_str_eq(names, "");
    CHECK_OK(hl_folder_make(folder));
    scratch_write(file, "1", 1);
    CHECK_OK(hl_folder_list(folder, note_name, names));
    ck_assert_ptr_nonnull(strstr(names, "one "));
    refused(hl_folder_list(file, note_name, names), file, "Not a directory");
    faults_begin();
    for (int n = 1; n <= 5; n++) { /* opendir, readdir for ".", "..", "one" and the end */
        names[0] = '\0';
        faults_in_files(n, FAULTS_ONCE, EIO);
        refused(hl_folder_list(folder, note_name, names), folder, "Input/output error");
        ck_assert_int_eq(faults_open_files(), 0);
    }
    faults_in_files(6, FAULTS_ONCE, EIO); /* closedir */
    CHECK_OK(hl_folder_list(folder, note_name, names));
    scratch_write(scratch_path("folder/refused"), "1", 1);
    faults_in_files(0, FAULTS_ONCE, 0);
    hl_status status = hl_folder_list(folder, note_name, names);
    ck_assert_int_eq(status.code, HL_FAILED);
    ck_assert_str_eq(status.text, "no refused");
    ck_assert_int_eq(faults_open_files(), 0);
    faults_end();
}

SUITE("folders")
