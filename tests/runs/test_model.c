/* A run that is looked at is read once, whatever is asked of it. */
#include "core/files/files.h"
#include "programs/heads/program.h"
#include "tests/check_suite.h"
#include "tests/runs/runs.h"
#include "tests/scratch.h"

#include <fcntl.h>
#include <string.h>

static hl_file_calls system_calls;
static char opened[64 * 1024]; /* the paths that were opened to be read, each followed by a newline */
static const char *list;

static int noting_open(const char *path, int flags, mode_t mode)
{
    size_t length = strlen(opened), more = strlen(path);
    if ((flags & (O_WRONLY | O_RDWR)) == 0 && length + more + 2 < sizeof opened) {
        memcpy(opened + length, path, more);
        memcpy(opened + length + more, "\n", 2);
    }
    return system_calls.open(path, flags, mode);
}

static void note_opens(void)
{
    static hl_file_calls calls;
    calls = system_calls = *hl_file_calls_get();
    calls.open = noting_open;
    hl_file_calls_set(&calls);
}

static void tell_opens(void)
{
    hl_file_calls_set(NULL);
    scratch_write(list, opened, strlen(opened));
}

static int count_opens(const char *name)
{
    int n = 0;
    const char *line = scratch_format("/%s\n", name);
    for (const char *at = run_read(list); (at = strstr(at, line)) != NULL; at++) {
        n++;
    }
    return n;
}

static void look(const char *verb, const char *folder, const char *option, const char *value)
{
    const char *arguments[] = { verb, folder, option, value, NULL };
    list = run_path("opens");
    run_result run = run_with((run_options){
        .arguments = arguments, .before = note_opens, .after = tell_opens, .program = hl_heads_program });
    ck_assert_msg(run.code == 0, "%s", run.err);
}

TEST(no_file_of_a_run_is_read_twice)
{
    const char *folder = TINY_RUN("run", "train.keep_checkpoints=9", "patterns.every=6");
    static const char *const snapshots[] = { "step_000000.npz", "step_000006.npz", "step_000012.npz", "step_000018.npz",
                                             "step_000024.npz" };
    static const char *const options[][2] = {
        { NULL, NULL }, { "--json", "-" }, { "--npz", "maps.npz" }, { "--report", "-" }
    };
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        const char *option = options[i][0], *value = options[i][1];
        bool writes = option != NULL && strcmp(option, "--npz") == 0;
        look(writes ? "map" : "table", folder, option, writes ? run_path(value) : value);
        for (size_t s = 0; s < sizeof snapshots / sizeof *snapshots; s++) {
            int expected = writes && s + 1 < sizeof snapshots / sizeof *snapshots ? 0 : 1;
            ck_assert_msg(count_opens(snapshots[s]) == expected, "%s: %s opened %d times", option, snapshots[s],
                          count_opens(snapshots[s]));
        }
        ck_assert_int_eq(count_opens("checkpoint.safetensors"), writes ? 0 : 1);
        ck_assert_int_eq(count_opens("metrics.csv"), writes ? 0 : 1);
    }
    look("table", folder, "--step", "18"); /* the table is of another step than the report: both are read, each once */
    ck_assert_int_eq(count_opens("checkpoint-18.safetensors"), 1);
    ck_assert_int_eq(count_opens("step_000024.npz"), 1);
    look("prune", folder, "--once", NULL);
    ck_assert_int_eq(count_opens("checkpoint.safetensors"), 1);
    ck_assert_int_eq(count_opens("step_000024.npz"), 1);
}

SUITE("a run is opened once")
