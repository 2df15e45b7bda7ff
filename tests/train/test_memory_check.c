/* How much memory there is, as the kernel tells it, and what needs more. */
#include "train/memory_check.h"

#include "tests/check_suite.h"
#include "tests/control_files.h"
#include "tests/train/config_parsing.h"
#include "train/footprint.h"

#include <stdint.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define MIB ((size_t)1 << 20)
#define GIB ((size_t)1 << 30)
#define MEMORY                                                                                      \
    {                                                                                               \
        "/proc/meminfo", "MemTotal:       8388608 kB\nMemFree: 1 kB\nMemAvailable:    4194304 kB\n" \
    }
#define GROUP(lines)               \
    {                              \
        "/proc/self/cgroup", lines \
    }

static void expect(hl_memory_at_hand left, const control_file *files)
{
    control_files_begin(files);
    hl_memory_at_hand found = hl_memory_at_hand_now();
    control_files_end();
    ck_assert_uint_eq(found.bytes, left.bytes);
    ck_assert_int_eq(found.container, left.container);
}

/* What the kernel's files tell, of which the last has no name. */
static const struct {
    hl_memory_at_hand left;
    control_file files[9];
} told[] = {
    /* Without a group, the machine's memory counts. */
    { { SIZE_MAX, false }, { { NULL, NULL } } },
    { { SIZE_MAX, false }, { { "/proc/meminfo", "MemAvailable: much\n" } } },
    { { 4 * GIB, false }, { MEMORY } },
    { { 4 * GIB, false }, { MEMORY, GROUP("0::/\n"), { "/sys/fs/cgroup/memory.max", "max\n" } } },

    /* The limit of a group counts, less what is used without the cache. */
    { { 515 * MIB, true },
      { MEMORY,
        GROUP("0::/\n"),
        { "/sys/fs/cgroup/memory.max", "1073741824\n" },
        { "/sys/fs/cgroup/memory.current", "536870912\n" },
        { "/sys/fs/cgroup/memory.stat", "anon 1048576\ninactive_file 1048576\nactive_file 2097152\nslab 7\n" } } },
    { { 512 * MIB, true },
      { MEMORY, { "/sys/fs/cgroup/memory.max", "1073741824\n" }, { "/sys/fs/cgroup/memory.current", "536870912\n" } } },
    { { 0, true },
      { MEMORY, { "/sys/fs/cgroup/memory.max", "1048576\n" }, { "/sys/fs/cgroup/memory.current", "1048577\n" } } },
    { { 4 * GIB, false },
      { MEMORY, { "/sys/fs/cgroup/memory.max", "107374182400\n" }, { "/sys/fs/cgroup/memory.current", "1048577\n" } } },

    /* The least of the groups above counts. */
    { { 2047 * MIB, true },
      { MEMORY,
        GROUP("1:name=systemd:/\n0::/user.slice/run.scope\n"),
        { "/sys/fs/cgroup/user.slice/run.scope/memory.max", "3221225472\n" },
        { "/sys/fs/cgroup/user.slice/run.scope/memory.current", "0\n" },
        { "/sys/fs/cgroup/user.slice/memory.max", "2147483648\n" },
        { "/sys/fs/cgroup/user.slice/memory.current", "1048576\n" } } },

    /* Groups of version 1 count, too. The second container sees its group as the root, the file names it as the machine
     * does. */
    { { 1023 * MIB, true },
      { MEMORY,
        GROUP("5:devices:/\n4:memory:/docker/1a\n3:cpuset:/b\n0::/\n"),
        { "/sys/fs/cgroup/memory/docker/1a/memory.limit_in_bytes", "1073741824\n" },
        { "/sys/fs/cgroup/memory/docker/1a/memory.usage_in_bytes", "2097152\n" },
        { "/sys/fs/cgroup/memory/docker/1a/memory.stat", "inactive_file 5\ntotal_inactive_file 1048576\n" },
        { "/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n" },
        { "/sys/fs/cgroup/memory/memory.usage_in_bytes", "9437184\n" } } },
    { { 1023 * MIB, true },
      { MEMORY,
        GROUP("4:memory:/docker/1a\n"),
        { "/sys/fs/cgroup/memory/memory.limit_in_bytes", "1073741824\n" },
        { "/sys/fs/cgroup/memory/memory.usage_in_bytes", "1048576\n" } } },

    /* A group may have several controllers, those of another are none, and a softer limit counts. */
    { { MIB, true },
      { MEMORY,
        GROUP("5:cpu,memory,io:/a\n3:cpu:/b\n"),
        { "/sys/fs/cgroup/memory/a/memory.limit_in_bytes", "1048576\n" },
        { "/sys/fs/cgroup/memory/a/memory.usage_in_bytes", "0\n" } } },
    { { 4 * GIB, false },
      { MEMORY,
        GROUP("5:cpu,memory2:/a\n3\n:\n"),
        { "/sys/fs/cgroup/memory/a/memory.limit_in_bytes", "1048576\n" },
        { "/sys/fs/cgroup/memory/a/memory.usage_in_bytes", "0\n" } } },
    { { 2 * MIB, true },
      { MEMORY,
        { "/sys/fs/cgroup/memory.max", "max\n" },
        { "/sys/fs/cgroup/memory.high", "2097152\n" },
        { "/sys/fs/cgroup/memory.current", "0\n" } } },
};

LOOP_TEST(the_machine_and_the_groups_tell_what_is_left, 0, sizeof told / sizeof *told)
{
    expect(told[_i].left, told[_i].files);
}

TEST(the_address_space_counts_less_what_is_used)
{
    const control_file files[] = { { "/proc/meminfo", "MemAvailable: 4398046511104 kB\n" },
                                   { "/proc/self/statm", "256 1 1 1 0 1 0\n" },
                                   { NULL, NULL } };
    const size_t most = (size_t)1 << 50; /* more than the process, with whatever a sanitizer maps, can ever have */
    struct rlimit limit;
    ck_assert_int_eq(getrlimit(RLIMIT_AS, &limit), 0);
    limit.rlim_cur = most;
    ck_assert_int_eq(setrlimit(RLIMIT_AS, &limit), 0);
    expect((hl_memory_at_hand){ most - 256 * (size_t)sysconf(_SC_PAGESIZE), false }, files);
}

TEST(this_machine_tells_something)
{
    hl_memory_at_hand found = hl_memory_at_hand_now();
    ck_assert_uint_gt(found.bytes, 16 * MIB);
    ck_assert_uint_lt(found.bytes, SIZE_MAX);
}

TEST(what_needs_more_than_there_is_is_refused)
{
    hl_config config;
    config_parse("[model]\nlayers = 2\n[train]\nthreads = 1\n", &config);
    hl_footprint needed;
    CHECK_OK(hl_footprint_of_config(&config, &needed));
    hl_memory_at_hand enough = { .bytes = needed.total }, less = { .bytes = needed.total - 1 },
                      container = { .bytes = 3 * MIB, .container = true };
    CHECK_OK(hl_memory_check_training(&config, 1, enough, "x.ini"));
    hl_status status = hl_memory_check_training(&config, 1, less, "x.ini");
    ck_assert_int_eq(status.code, HL_NO_MEMORY);
    ck_assert_ptr_eq(strstr(status.text, "x.ini: the run needs about "), status.text);
    ck_assert_ptr_nonnull(strstr(status.text, " are free; optimizer.accumulate "));
    status = hl_memory_check_training(&config, 1, container, "x.ini");
    ck_assert_ptr_nonnull(strstr(status.text, ", and 3.0 MiB are free in this container; "));
}

/* A process has memory for its own leaves alone. */
TEST(of_several_processes_each_needs_less)
{
    hl_config config;
    config_parse("[train]\nbatch_size = 64\nleaves = 4\nthreads = 1\n", &config);
    hl_footprint alone, one;
    CHECK_OK(hl_footprint_of(&config, HL_FOR_TRAINING, 1, -1, &alone));
    CHECK_OK(hl_footprint_of(&config, HL_FOR_TRAINING, 4, -1, &one));
    ck_assert_uint_lt(one.total, alone.total);
    ck_assert_uint_eq(one.gradients, 2 * alone.gradients); /* its own, and what it receives */
    hl_memory_at_hand enough_for_one = { .bytes = one.total };
    CHECK_OK(hl_memory_check_training(&config, 4, enough_for_one, "x.ini"));
    ck_assert_int_eq(hl_memory_check_training(&config, 1, enough_for_one, "x.ini").code, HL_NO_MEMORY);
}

/* What is told to need less does. */
TEST(the_remedy_is_for_what_takes_most)
{
    static const struct {
        const char *config, *remedy, *less;
    } all[] = {
        { "[train]\nbatch_size = 512\n", "optimizer.accumulate ",
          "[train]\nbatch_size = 512\n[optimizer]\naccumulate = 8\n" },
        { "[model]\nd_model = 2048\n[train]\nbatch_size = 1\n", "a smaller model ",
          "[model]\nd_model = 1024\n[train]\nbatch_size = 1\n" },
        { "[train]\neval_examples = 1000000\n", "fewer train.eval_examples", "[train]\neval_examples = 1000\n" },
        { "[task]\nlength = 60\n[train]\nbatch_size = 4\n[patterns]\nexamples = 256\n", "fewer patterns.examples ",
          "[task]\nlength = 60\n[train]\nbatch_size = 4\n[patterns]\nexamples = 64\n" },
        { "[task]\nlength = 250\n[train]\nbatch_size = 1\neval_examples = 16\n[patterns]\nexamples = 0\n",
          "shorter examples ",
          "[task]\nlength = 100\n[train]\nbatch_size = 1\neval_examples = 16\n[patterns]\nexamples = 0\n" },
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        hl_config config, less;
        hl_footprint needed, then;
        config_parse(all[i].config, &config);
        config_parse(all[i].less, &less);
        hl_status status = hl_memory_check_training(&config, 1, (hl_memory_at_hand){ .bytes = MIB }, "x.ini");
        ck_assert_msg(strstr(status.text, all[i].remedy) != NULL, "%zu: %s", i, status.text);
        CHECK_OK(hl_footprint_of_config(&config, &needed));
        CHECK_OK(hl_footprint_of_config(&less, &then));
        ck_assert_uint_lt(then.total, needed.total / 4 * 3);
    }
}

SUITE("memory check")
