/* A full disk: a small file system in memory, where this process may mount one. */
#define _GNU_SOURCE /* unshare */
#include "tests/check_suite.h"
#include "tests/runs/runs.h"
#include "tests/scratch.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- a small disk ---- */

static bool tell(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    bool written = file != NULL && fputs(text, file) >= 0;
    return file != NULL && fclose(file) == 0 && written;
}

/* In a mount namespace of this test's own; whoever is not root is root in a user namespace first. */
static bool enter_own_namespace(void)
{
    const char *user = scratch_format("0 %u 1", geteuid());
    const char *group = scratch_format("0 %u 1", getegid());
    if (geteuid() != 0 && (unshare(CLONE_NEWUSER) != 0 || !tell("/proc/self/setgroups", "deny") ||
                           !tell("/proc/self/uid_map", user) || !tell("/proc/self/gid_map", group))) {
        return false;
    }
    return unshare(CLONE_NEWNS) == 0 && mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0;
}

/* A new folder with this much room; NULL where mounting is not allowed. */
static const char *mount_small_disk(const char *size)
{
    const char *folder = run_path("disk");
    const char *options = scratch_format("size=%s", size);
    ck_assert_int_eq(mkdir(folder, 0777), 0);
    if (!enter_own_namespace() || mount("tmpfs", folder, "tmpfs", 0, options) != 0) {
        printf("a full disk: skipped, no file system may be mounted here (%s)\n", strerror(errno));
        return NULL;
    }
    return folder;
}

/* Leaves so many bytes free, or fewer. */
static const char *fill(const char *disk, size_t left)
{
    const char *path = run_file(disk, "filler");
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    setvbuf(file, NULL, _IONBF, 0);
    char block[1024] = { 0 };
    long size = 0;
    while (fwrite(block, 1, sizeof block, file) == sizeof block) {
        size += (long)sizeof block;
    }
    fclose(file);
    ck_assert_int_eq(truncate(path, size > (long)left ? size - (long)left : 0), 0);
    return path;
}

/* ---- a run on it ---- */

#define EVERYTHING "train.steps=12", "train.checkpoint_every=3", "train.keep_checkpoints=2", "train.log_every=1"

TEST(a_run_on_a_full_disk_says_so_and_goes_on_when_there_is_room)
{
    const char *config = run_tiny_config(), *straight = TINY_RUN("straight", EVERYTHING);
    const char *disk = mount_small_disk("2m");
    int ended = 0;
    for (size_t left = 0; disk != NULL; left += 8192) {
        const char *folder = run_file(disk, "run"), *checkpoint = run_file(folder, "checkpoint.safetensors");
        const char *filler = fill(disk, left);
        run_result run = RUN(config, EVERYTHING, "--out", folder);
        if (run.code != 0) {
            const char *newline = strchr(run.err, '\n');
            ck_assert_msg(run.code == 3, "%zu left: exit code %d: %s", left, run.code, run.err);
            ck_assert_msg(newline != NULL && newline[1] == '\0' && strstr(run.err, "No space left on device") != NULL,
                          "%s", run.err);
            ck_assert_msg(strstr(run.err, disk) == run.err, "%s", run.err);
            ck_assert_ptr_null(strstr(run_list(folder), ".tmp"));
            int64_t step = run_weights_step(checkpoint); /* whole, if there is one */
            ck_assert_int_eq(step >= 3, scratch_exists(checkpoint));
            ended++;
        }
        ck_assert_int_eq(unlink(filler), 0);
        EXPECT_RUN(0, config, EVERYTHING, "--resume", "--out", folder);
        run_assert_same(straight, folder);
        scratch_remove(folder);
        if (run.code == 0) {
            break;
        }
    }
    ck_assert(disk == NULL || ended > 5);
    if (disk != NULL) {
        printf("a full disk: %d runs ended by it\n", ended);
        umount(disk);
    }
}

SUITE("full disk")
