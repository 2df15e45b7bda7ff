/* Folders that cannot be written to: what would write says so in one line, what only reads works. */
#define _GNU_SOURCE /* unshare */
#include "programs/heads/program.h"
#include "programs/train/program.h"
#include "tests/check_suite.h"
#include "tests/runs/sweeps.h"
#include "tests/scratch.h"

#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

enum { NOBODY = 65534, WRITABLE = 0755, READ_ONLY = 0555, NO_MOUNTS = 96 };

/* ---- making it so ---- */

static const char *read_only;

/* The flags that a mount has and that one who is not root may not take away. */
static unsigned long flags_of(const char *path)
{
    struct statvfs info;
    unsigned long flags = 0;
    if (statvfs(path, &info) == 0) {
        flags |= (info.f_flag & ST_NOSUID) != 0 ? MS_NOSUID : 0;
        flags |= (info.f_flag & ST_NODEV) != 0 ? MS_NODEV : 0;
        flags |= (info.f_flag & ST_NOEXEC) != 0 ? MS_NOEXEC : 0;
        flags |= (info.f_flag & ST_NOATIME) != 0 ? MS_NOATIME : 0;
        flags |= (info.f_flag & ST_RELATIME) != 0 ? MS_RELATIME : 0;
    }
    return flags;
}

/* Makes the folder and all in it read-only, even for its owner and for root. */
static void by_a_mount(void)
{
    unsigned long flags = flags_of(read_only);
    if (unshare(geteuid() == 0 ? CLONE_NEWNS : CLONE_NEWNS | CLONE_NEWUSER) != 0 ||
        mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
        mount(read_only, read_only, NULL, MS_BIND, NULL) != 0 ||
        mount("none", read_only, NULL, MS_REMOUNT | MS_BIND | MS_RDONLY | flags, NULL) != 0) {
        _exit(NO_MOUNTS);
    }
}

/* Takes write permission from the folder, not from what is in it. Root ignores that, so the test becomes another user.
 * */
static void by_its_mode(void)
{
    if (chmod(read_only, READ_ONLY) != 0 || (geteuid() == 0 && (setgid(NOBODY) != 0 || setuid(NOBODY) != 0))) {
        _exit(1);
    }
}

/* Calls a program's function on a folder, `kept`, that it cannot write to. */
static run_result run_on(const char *kept, void (*how)(void), int (*program)(int, char **, FILE *, FILE *),
                         const char *const *arguments)
{
    read_only = kept;
    ck_assert_int_eq(chmod(run_path("."), WRITABLE), 0); /* others come through */
    run_result run = run_with((run_options){ .arguments = arguments, .program = program, .before = how });
    ck_assert_int_eq(chmod(kept, WRITABLE), 0);
    return run;
}
#define ON(kept, program, ...) run_on(kept, by_a_mount, program, (const char *const[]){ __VA_ARGS__, NULL })

/* Tests that need mounts end here, and say so, where none can be made. */
static bool has_mounts(void)
{
    const char *folder = run_path("any");
    ck_assert_int_eq(mkdir(folder, WRITABLE), 0);
    bool has = ON(folder, hl_train_program, "--version").code != NO_MOUNTS;
    if (!has) {
        fprintf(stderr, "read-only mounts cannot be made here: not tested\n");
    }
    return has;
}

/* ---- what happens ---- */

static void expect_refused(run_result run, const char *folder)
{
    ck_assert_msg(run.code == 3, "exit code %d: %s%s", run.code, run.err, run.out);
    ck_assert_str_eq(run.out, "");
    ck_assert_msg(strncmp(run.err, folder, strlen(folder)) == 0, "%s", run.err);
    ck_assert_msg(strstr(run.err, "Read-only file system\n") != NULL || strstr(run.err, "Permission denied\n") != NULL,
                  "%s", run.err);
    ck_assert_ptr_eq(strchr(run.err, '\n'), run.err + strlen(run.err) - 1);
}

static const char *folder_of_a_run(void)
{
    const char *folder = TINY_RUN("run");
    return folder;
}

static void expect_nothing_new(void (*how)(void))
{
    const char *config = run_tiny_config(), *folder = run_path("folder"), *inner = run_file(folder, "inner");
    ck_assert_int_eq(mkdir(folder, WRITABLE), 0);
    const char *const places[] = { folder, inner };
    for (int i = 0; i < 2; i++) {
        const char *run[] = { config, "--out", places[i], NULL };
        const char *sweep[] = { config, "--heads", "1", "--out", places[i], NULL };
        expect_refused(run_on(folder, how, hl_train_program, run), places[i]);
        expect_refused(run_on(folder, how, sweep_program, sweep), places[i]);
    }
    ck_assert_str_eq(run_list(folder), "");
}

TEST(a_new_run_or_sweep_is_refused)
{
    if (getenv("GCOV_ERROR_FILE") != NULL && geteuid() == 0) { /* its counts are root's: it would say so */
        fprintf(stderr, "another user cannot count what is reached: not tested\n");
        return;
    }
    expect_nothing_new(by_its_mode);
}

TEST(a_new_run_or_sweep_is_refused_on_a_read_only_mount)
{
    if (has_mounts()) {
        expect_nothing_new(by_a_mount);
    }
}

TEST(an_old_run_is_not_gone_on_with_nor_replaced)
{
    if (!has_mounts()) {
        return;
    }
    const char *config = run_tiny_config(), *folder = folder_of_a_run(), *before = run_list(folder);
    const char *metrics = run_read(run_file(folder, "metrics.csv"));
    expect_refused(ON(folder, hl_train_program, config, "--resume", "--out", folder), folder);
    expect_refused(ON(folder, hl_train_program, config, "--overwrite", "--out", folder), folder);
    ck_assert_str_eq(run_list(folder), before);
    ck_assert_str_eq(run_read(run_file(folder, "metrics.csv")), metrics);
}

TEST(an_old_sweep_is_not_gone_on_with_nor_replaced)
{
    if (!has_mounts()) {
        return;
    }
    const char *config = run_tiny_config(), *folder = run_path("sweep");
    OK(ABLATE(config, "--heads", "1", "--seeds", "1", "--out", folder));
    const char *before = run_list(folder), *csv = sweep_csv(folder);
    expect_refused(ON(folder, sweep_program, config, "--heads", "1", "--seeds", "1", "--out", folder), folder);
    expect_refused(ON(folder, sweep_program, config, "--heads", "1", "--seeds", "1", "--overwrite", "--out", folder),
                   folder);
    ck_assert_str_eq(run_list(folder), before);
    ck_assert_str_eq(sweep_csv(folder), csv);
}

/* Checks that it says on standard error what it could not write, and nothing else. */
static void expect_told(run_result run, const char *folder, const char *what)
{
    const char *line = scratch_format("%s: this folder cannot be written to: %s\n", folder, what);
    ck_assert_msg(run.code == 0, "exit code %d: %s", run.code, run.err);
    ck_assert_str_eq(run.err, line);
}

TEST(heads_are_shown_all_the_same)
{
    if (!has_mounts()) {
        return;
    }
    const char *folder = folder_of_a_run(), *table = HEADS(folder).out, *other = run_path("other");
    static const char unchanged[] = "its heads.csv and report.html stay as they are";
    const char *csv = run_path("heads.csv"), *page = run_path("page.html"), *report = run_file(folder, "report.html");
    run_result run = ON(folder, hl_heads_program, folder);
    expect_told(run, folder, unchanged);
    ck_assert_str_eq(run.out, table);
    run = ON(folder, hl_heads_program, folder, "--csv", csv, "--report", page);
    expect_told(run, folder, unchanged);
    ck_assert_str_eq(run_read(csv), run_read(run_file(folder, "heads.csv")));
    ck_assert_str_eq(run_read(page), run_read(report));
    run = ON(folder, hl_heads_program, "map", folder, "L1H0");
    ck_assert(run.code == 0 && *run.err == '\0' && *run.out != '\0');
    run = ON(folder, hl_heads_program, "importance", folder);
    ck_assert(run.code == 0 && *run.err == '\0' && *run.out != '\0');
    EXPECT_RUN(0, run_tiny_config(), "train.seed=2", "--out", other);
    run = ON(folder, hl_heads_program, "compare", folder, other);
    expect_told(run, folder, "name another place for the page with --report FILE");
    ck_assert_ptr_nonnull(strstr(run.out, "closest"));
    expect_refused(ON(folder, hl_heads_program, "map", folder, "--png", run_file(folder, "x.png")), folder);
}

SUITE("read-only")
