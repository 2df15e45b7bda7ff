#include "core/base/memory.h"
#include "core/files/files.h"
#include "tests/check_suite.h"
#include "tests/runs/runs.h"
#include "tests/scratch.h"
#include "train/run_folder.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static void touch(const char *folder, const char *name)
{
    const char *path = scratch_format("%s/%s", folder, name);
    scratch_write(path, name, strlen(name));
}

static bool there(const char *folder, const char *name)
{
    const char *path = scratch_format("%s/%s", folder, name);
    return scratch_exists(path);
}

/* As a run does it. */
static hl_status take(hl_run_folder *folder, const char *path, hl_run_mode mode)
{
    HL_TRY(hl_run_folder_open(folder, path, mode));
    return hl_run_folder_make(folder);
}

static hl_run_folder opened(const char *path, hl_run_mode mode)
{
    hl_run_folder folder;
    CHECK_OK(take(&folder, path, mode));
    return folder;
}

/* What becomes of taking it, in passing. */
static hl_status tried(const char *path, hl_run_mode mode)
{
    hl_run_folder folder;
    hl_status status = take(&folder, path, mode);
    hl_run_folder_close(&folder);
    return status;
}

/* Taking the folder in this mode and those after it fails with the code and a text that begins with a path and goes on
 * so. */
static void expect_refused(const char *folder_path, hl_run_mode mode, const char *path, const char *words)
{
    for (; mode <= HL_RUN_OVERWRITE; mode++) {
        hl_status status = tried(folder_path, mode);
        size_t length = strlen(path);
        ck_assert_int_eq(status.code, HL_BAD_FILE);
        ck_assert_msg(strncmp(status.text, path, length) == 0 &&
                          strncmp(status.text + length, words, strlen(words)) == 0,
                      "%s", status.text);
    }
}

/* A run's files and others, and whether they stay when the run is cleared. */
static const struct {
    const char *name;
    bool stays;
} all_files[] = {
    { "config.ini", true },
    { "metrics.csv", false },
    { "scores.csv", false },
    { "confusion.csv", false },
    { "model.safetensors", false },
    { "model-before.safetensors", false },
    { "checkpoint.safetensors", false },
    { "vocab.txt", false },
    { "events.out.tfevents.headlight", false },
    { "metrics.csv.tmp", false },
    { "config.ini.tmp", false },
    { "checkpoint-5.safetensors", false },
    { "checkpoint-10.safetensors", false },
    { "checkpoint-15.safetensors", false },
    { "checkpoint-x.safetensors", true },
    { "checkpoint-5.safetensors.bak", true },
    { "model.safetensors.old", true },
    { "patterns/step_000000.npz", false },
    { "patterns/step_000010.npz", false },
    { "patterns/step_1000000.npz", false },
    { "patterns/step_000003.npz.tmp", false },
    { "patterns/step_.npz", true },
    { "patterns/notes", true },
};
enum { ALL_FILES = sizeof all_files / sizeof *all_files };

/* A folder with all of them. */
static hl_run_folder full_folder(const char *path)
{
    hl_run_folder folder = opened(path, HL_RUN_NEW);
    ck_assert_int_eq(mkdir(folder.patterns, 0777), 0);
    for (int i = 0; i < ALL_FILES; i++) {
        touch(path, all_files[i].name);
    }
    return folder;
}

TEST(a_folder_and_those_above_it_are_made)
{
    const char *path = scratch_path("a/b/c");
    hl_run_folder folder = opened(path, HL_RUN_NEW);
    ck_assert_str_eq(folder.path, path);
    ck_assert(there(path, ".lock"));
    hl_run_folder_close(&folder);
    CHECK_OK(tried(path, HL_RUN_NEW)); /* nothing of a run in it yet */
}

/* One by one, and nothing of the folder changes. */
TEST(any_file_that_a_run_would_take_for_its_own_is_refused_by_name)
{
    static const struct {
        const char *name;
        bool tells; /* whose the others are */
    } files[] = {
        { "config.ini", true },
        { "checkpoint.safetensors", true },
        { "checkpoint-5.safetensors", true },
        { "metrics.csv", false },
        { "scores.csv", false },
        { "confusion.csv", false },
        { "model.safetensors", false },
        { "model-before.safetensors", false },
        { "vocab.txt", false },
        { "heads.csv", false },
        { "report.html", false },
        { "against-other.html", false },
        { "patterns/step_000200.npz", false },
    };
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        const char *path = scratch_path(i % 2 == 0 ? "even" : "odd");
        scratch_remove(path);
        ck_assert_int_eq(mkdir(path, 0777) | mkdir(run_file(path, "patterns"), 0777), 0);
        touch(path, files[i].name);
        touch(path, "notes.txt");
        touch(path, "patterns/notes.txt");
        const char *before = run_list(path);
        for (hl_run_mode mode = HL_RUN_NEW; mode <= HL_RUN_RESUME; mode++) {
            hl_status status = tried(path, mode);
            if (mode == HL_RUN_RESUME && files[i].tells) {
                ck_assert_msg(status.code == HL_OK, "%s: %s", files[i].name, status.text);
                continue;
            }
            ck_assert_msg(status.code == HL_INVALID, "%s: %s", files[i].name, status.text);
            ck_assert_msg(strstr(status.text, files[i].tells ? ": this folder holds a run; continue it (--resume)"
                                                             : run_file(path, files[i].name)) ==
                              status.text + (files[i].tells ? strlen(path) : 0),
                          "%s", status.text);
            ck_assert_ptr_nonnull(strstr(status.text, "--overwrite"));
            ck_assert_str_eq(run_list(path), before);
        }
        hl_run_folder folder = opened(path, HL_RUN_OVERWRITE);
        ck_assert(there(path, files[i].name));
        CHECK_OK(hl_run_folder_clear(&folder));
        ck_assert(there(path, files[i].name) == (strcmp(files[i].name, "config.ini") == 0));
        ck_assert(there(path, "notes.txt") && there(path, "patterns/notes.txt"));
        hl_run_folder_close(&folder);
    }
}

TEST(opening_makes_nothing)
{
    const char *path = scratch_path("run");
    for (hl_run_mode mode = HL_RUN_NEW; mode <= HL_RUN_OVERWRITE; mode++) {
        hl_run_folder folder;
        CHECK_OK(hl_run_folder_open(&folder, path, mode));
        ck_assert(!scratch_exists(path));
        hl_run_folder_close(&folder);
    }
}

/* Between the look at it and the beginning. */
TEST(a_run_that_came_first_is_noticed)
{
    const char *path = scratch_path("run");
    hl_run_folder folder, other;
    CHECK_OK(hl_run_folder_open(&folder, path, HL_RUN_NEW));
    CHECK_OK(take(&other, path, HL_RUN_NEW));
    touch(path, "config.ini");
    hl_run_folder_close(&other);
    ck_assert_int_eq(hl_run_folder_make(&folder).code, HL_INVALID);
    hl_run_folder_close(&folder);
}

TEST(the_lock_is_against_other_processes_and_ends_with_them)
{
    const char *path = scratch_path("run");
    hl_run_folder folder = opened(path, HL_RUN_NEW);
    for (int i = 0; i < 2; i++) {
        pid_t child = fork();
        if (child == 0) {
            _exit((int)tried(path, HL_RUN_RESUME).code);
        }
        int status;
        ck_assert_int_eq(waitpid(child, &status, 0), child);
        ck_assert_int_eq(WEXITSTATUS(status), i == 0 ? HL_BAD_FILE : HL_OK);
        if (i == 0) {
            hl_run_folder_close(&folder);
        }
    }
    CHECK_OK(tried(path, HL_RUN_NEW));
}

/* One that was killed has its lock until the system has done away with it. */
TEST(a_lock_that_is_about_to_go_is_waited_for)
{
    const char *path = scratch_path("run");
    int held[2];
    ck_assert_int_eq(pipe(held), 0);
    pid_t child = fork();
    if (child == 0) {
        hl_run_folder own;
        char code = (char)take(&own, path, HL_RUN_NEW).code;
        ck_assert_int_eq(write(held[1], &code, 1), 1);
        run_pause(300);
        _exit(0);
    }
    char code = HL_FAILED;
    ck_assert_int_eq(read(held[0], &code, 1), 1);
    ck_assert_int_eq(code, HL_OK);
    CHECK_OK(tried(path, HL_RUN_RESUME));
    waitpid(child, NULL, 0);
}

TEST(clearing_removes_what_runs_write_and_no_more)
{
    const char *path = scratch_path("run");
    hl_run_folder folder = full_folder(path);
    CHECK_OK(hl_run_folder_clear(&folder));
    for (int i = 0; i < ALL_FILES; i++) {
        ck_assert_msg(there(path, all_files[i].name) == all_files[i].stays, "%s", all_files[i].name);
    }
    ck_assert(there(path, ".lock"));
    hl_run_folder_close(&folder);
}

TEST(what_cannot_be_removed_is_found_before_anything_is)
{
    static const char *const names[] = { "patterns/step_000015.npz", "checkpoint-20.safetensors", "heads.csv",
                                         "against-b.html" };
    for (int i = 0; i < 4; i++) {
        const char *path = scratch_path(i % 2 == 0 ? "even" : "odd");
        scratch_remove(path);
        hl_run_folder folder = full_folder(path);
        ck_assert_int_eq(mkdir(run_file(path, names[i]), 0777), 0);
        const char *before = run_list(path), *snapshots = run_list(folder.patterns);
        CHECK_FAILS(hl_run_folder_clear(&folder), HL_BAD_FILE, names[i],
                    ": is a folder in the place of a run's file; move it away");
        ck_assert_str_eq(run_list(path), before);
        ck_assert_str_eq(run_list(folder.patterns), snapshots);
        hl_run_folder_close(&folder);
        hl_run_folder again; /* before anything is made */
        ck_assert_int_eq(hl_run_folder_open(&again, path, HL_RUN_OVERWRITE).code, HL_BAD_FILE);
        hl_run_folder_close(&again);
    }
}

TEST(a_link_in_the_place_of_the_lock_is_refused_with_a_remedy)
{
    const char *path = scratch_path("run"), *link = run_file(path, ".lock");
    ck_assert_int_eq(mkdir(path, 0777) | symlink(scratch_path("away"), link), 0);
    expect_refused(path, HL_RUN_NEW, link, ": is no regular file, which a run would lock; move it away");
    ck_assert_str_eq(run_list(path), ".lock ");
}

TEST(a_step_has_one_name_alone)
{
    ck_assert_int_eq(hl_run_folder_snapshot_step("step_000005.npz"), 5);
    ck_assert_int_eq(hl_run_folder_snapshot_step("step_000000.npz"), 0);
    ck_assert_int_eq(hl_run_folder_snapshot_step("step_1000000.npz"), 1000000);
    static const char *const others[] = { "step_5.npz",       "step_0000005.npz", "step_.npz",
                                          "step_+00005.npz",  "step_-00005.npz",  "step_000005.npz.tmp",
                                          "step_000005x.npz", "step_ 00005.npz",  "step_99999999999999999999.npz",
                                          "xstep_000005.npz" };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        ck_assert_msg(hl_run_folder_snapshot_step(others[i]) == -1, "%s", others[i]);
    }
    const char *path = scratch_path("run");
    hl_run_folder folder = full_folder(path);
    touch(path, "checkpoint-000020.safetensors");
    int64_t newest;
    CHECK_OK(hl_run_folder_newest_kept(&folder, &newest));
    ck_assert_int_eq(newest, 15);
    hl_run_folder_close(&folder);
}

TEST(what_is_later_is_dropped)
{
    const char *path = scratch_path("run");
    hl_run_folder folder = full_folder(path);
    CHECK_OK(hl_run_folder_drop_after(&folder, 10));
    ck_assert(there(path, "checkpoint-5.safetensors") && there(path, "checkpoint-10.safetensors"));
    ck_assert(!there(path, "checkpoint-15.safetensors"));
    ck_assert(there(path, "patterns/step_000000.npz") && there(path, "patterns/step_000010.npz"));
    ck_assert(!there(path, "patterns/step_1000000.npz") && !there(path, "patterns/step_000003.npz.tmp"));
    ck_assert(there(path, "checkpoint.safetensors") && there(path, "metrics.csv"));
    CHECK_OK(hl_run_folder_drop_after(&folder, 9));
    ck_assert(!there(path, "patterns/step_000010.npz") && !there(path, "checkpoint-10.safetensors"));
    ck_assert(there(path, "patterns/step_000000.npz") && there(path, "checkpoint-5.safetensors"));
    CHECK_OK(hl_run_folder_drop_after(&folder, -1));
    ck_assert(!there(path, "patterns/step_000000.npz") && !there(path, "checkpoint-5.safetensors"));
    hl_run_folder_close(&folder);
}

TEST(the_newest_checkpoints_are_kept)
{
    const char *path = scratch_path("run");
    hl_run_folder folder = full_folder(path);
    CHECK_OK(hl_run_folder_prune(&folder, 3));
    ck_assert(there(path, "checkpoint-5.safetensors"));
    CHECK_OK(hl_run_folder_prune(&folder, 2));
    ck_assert(!there(path, "checkpoint-5.safetensors") && there(path, "checkpoint-10.safetensors"));
    CHECK_OK(hl_run_folder_prune(&folder, 1));
    ck_assert(!there(path, "checkpoint-10.safetensors") && there(path, "checkpoint-15.safetensors"));
    char *kept = hl_run_folder_kept_checkpoint(&folder, 15);
    ck_assert(scratch_exists(kept));
    hl_free(kept);
    hl_run_folder_close(&folder);
}

static int names_read;

static struct dirent *counted_readdir(DIR *folder)
{
    names_read++;
    return readdir(folder);
}

/* However many are kept: after every checkpoint it is done again. */
TEST(pruning_reads_the_folder_once)
{
    enum { KEPT = 300, OTHERS = 4 /* ".", "..", .lock, the end */ };
    const char *path = scratch_path("run");
    hl_run_folder folder = opened(path, HL_RUN_NEW);
    for (int i = 1; i <= KEPT; i++) {
        const char *name = scratch_format("checkpoint-%d.safetensors", i);
        touch(path, name);
    }
    hl_file_calls calls = *hl_file_calls_get();
    calls.readdir = counted_readdir;
    hl_file_calls_set(&calls);
    CHECK_OK(hl_run_folder_prune(&folder, KEPT));
    ck_assert_int_eq(names_read, KEPT + OTHERS);
    ck_assert(there(path, "checkpoint-1.safetensors"));
    CHECK_OK(hl_run_folder_prune(&folder, KEPT - 2));
    ck_assert(!there(path, "checkpoint-2.safetensors") && there(path, "checkpoint-3.safetensors"));
    hl_run_folder_close(&folder);
}

/* Also a name that the run would come to last. */
TEST(links_in_the_place_of_files_are_refused_at_once)
{
    static const char *const names[] = { "config.ini", "metrics.csv", "model.safetensors", "checkpoint.safetensors",
                                         "vocab.txt",  "heads.csv",   "report.html" };
    const char *away = scratch_path("away");
    scratch_write(away, "x", 1);
    for (int i = 0; i < 7; i++) {
        const char *path = scratch_path(names[i]);
        CHECK_OK(tried(path, HL_RUN_NEW));
        const char *link = run_file(path, names[i]);
        ck_assert_int_eq(symlink(away, link), 0);
        expect_refused(path, HL_RUN_RESUME, link, ": is a link and is not replaced; name the file itself");
        ck_assert(scratch_holds(away, "x", 1));
        ck_assert_int_eq(unlink(link), 0);
        ck_assert_int_eq(symlink("no such file", link), 0); /* a new run would meet it */
        ck_assert_int_eq(tried(path, HL_RUN_NEW).code, HL_BAD_FILE);
    }
}

/* Or a run would remove and write files elsewhere. */
TEST(patterns_are_a_folder_and_no_link)
{
    const char *path = scratch_path("run"), *patterns = run_file(path, "patterns"), *away = scratch_path("away");
    ck_assert_int_eq(mkdir(path, 0777) | mkdir(away, 0777), 0);
    touch(away, "step_000001.npz");
    touch(path, "config.ini");
    for (int i = 0; i < 3; i++) {
        if (i < 2) {
            ck_assert_int_eq(symlink(i == 0 ? away : "no such folder", patterns), 0);
        } else {
            touch(path, "patterns");
        }
        expect_refused(path, HL_RUN_RESUME, patterns, i < 2 ? ": is a link, and" : ": is no folder, and");
        ck_assert_int_eq(unlink(patterns), 0);
    }
    ck_assert(there(away, "step_000001.npz"));
}

TEST(a_file_in_the_place_of_a_folder_is_reported)
{
    const char *file = scratch_path("file");
    scratch_write(file, "", 0);
    ck_assert_int_eq(tried(file, HL_RUN_NEW).code, HL_BAD_FILE);
    const char *path = scratch_path("run");
    hl_run_folder folder = opened(path, HL_RUN_RESUME);
    touch(path, "patterns");
    ck_assert_int_eq(hl_run_folder_drop_after(&folder, 0).code, HL_BAD_FILE);
    hl_run_folder_close(&folder);
}

TEST(a_zeroed_one_is_closed_without_harm)
{
    hl_run_folder folder = { 0 };
    hl_run_folder_close(&folder);
    ck_assert_int_ge(fcntl(0, F_GETFD), 0); /* 0 is nobody's but standard input's */
}

SUITE("run folder")
