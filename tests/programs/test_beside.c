#include "programs/beside.h"

#include "core/base/memory.h"
#include "tests/check_suite.h"
#include "tests/scratch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

TEST(another_program_is_looked_for_beside_this_one)
{
    char own[HL_SIBLING_TEXT], path[HL_SIBLING_TEXT];
    ssize_t size = readlink("/proc/self/exe", own, sizeof own - 1);
    ck_assert_int_gt(size, 0);
    own[size] = '\0';
    hl_sibling_program("programs", "ablate", path); /* this one is test_programs */
    size_t kept = (size_t)size - strlen("programs");
    ck_assert_mem_eq(path, own, kept);
    ck_assert_str_eq(path + kept, "ablate");
}

TEST(there_is_none_where_this_one_has_another_name_or_the_path_is_too_long)
{
    char path[HL_SIBLING_TEXT] = "?";
    hl_sibling_program("bench", "ablate", path);
    ck_assert_str_eq(path, "");
    static char long_name[HL_SIBLING_TEXT];
    memset(long_name, 'x', sizeof long_name - 1);
    path[0] = '?';
    hl_sibling_program(long_name, "ablate", path); /* longer than this program's path */
    ck_assert_str_eq(path, "");
    path[0] = '?';
    hl_sibling_program("train", long_name, path);
    ck_assert_str_eq(path, "");
}

/* Leaves the names as they were: not known. */
TEST(programs_are_named_as_they_were_called)
{
    static const struct {
        const char *own, *called, *heads;
    } cases[] = {
        { "train", "./train", "./heads" },
        { "train", "headlight-train", "headlight-heads" },
        { "ablate", "/usr/bin/headlight-ablate", "/usr/bin/headlight-heads" },
        { "heads", "heads", "heads" },
        { "train", "my-training", "heads" },
        { "train", NULL, "heads" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hl_called_as(cases[i].own, cases[i].called);
        ck_assert_str_eq(hl_program_name("heads"), cases[i].heads);
    }
}

static const char *printed_help(void)
{
    static char text[1024];
    FILE *file = tmpfile();
    ck_assert_ptr_nonnull(file);
    CHECK_OK(hl_print_help(file, "usage: {heads} RUN\n  --out DIR   where {train} is\n"));
    rewind(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    return text;
}

TEST(help_has_the_names_in_it)
{
    static const char installed[] = "\nInstalled, the programs are called headlight-train, "
                                    "headlight-heads,\nheadlight-predict, headlight-ablate and "
                                    "headlight-bench.\n";
    const char *expected = scratch_format("usage: ./heads RUN\n  --out DIR   where ./train is\n%s", installed);
    hl_called_as("bench", "./bench");
    ck_assert_str_eq(printed_help(), expected);
    hl_called_as("bench", "headlight-bench");
    ck_assert_str_eq(printed_help(), "usage: headlight-heads RUN\n  --out DIR   where headlight-train is\n");
    hl_called_as("bench", NULL);
}

TEST(a_config_is_the_users_own_or_a_shipped_one)
{
    char *path;
    char own[] = "/tmp/headlight-config-XXXXXX";
    int fd = mkstemp(own);
    ck_assert_int_ge(fd, 0);
    close(fd);
    CHECK_OK(hl_find_config(own, &path));
    ck_assert_str_eq(path, own);
    hl_free(path);
    unlink(own);
    CHECK_OK(hl_find_config("nowhere.ini", &path));
    ck_assert_str_eq(path, "nowhere.ini");
    hl_free(path);
    CHECK_OK(hl_find_config("../tests/nowhere/../CMakeCache.txt", &path));
    ck_assert_str_eq(path, "../tests/nowhere/../CMakeCache.txt"); /* as the user wrote it */
    hl_free(path);
    ck_assert_int_eq(hl_shipped_config("/proc/self/exe", "copy_task.ini", &path).code, HL_BAD_FILE);
    ck_assert_ptr_null(path);
}

SUITE("what lies beside a program")
