#include "programs/sibling.h"
#include "tests/check_suite.h"

#include <string.h>
#include <unistd.h>

START_TEST(another_program_is_looked_for_beside_this_one)
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
END_TEST

START_TEST(there_is_none_where_this_one_has_another_name_or_the_path_is_too_long)
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
END_TEST

static void add_tests(TCase *tc)
{
    tcase_add_test(tc, another_program_is_looked_for_beside_this_one);
    tcase_add_test(tc, there_is_none_where_this_one_has_another_name_or_the_path_is_too_long);
}
SUITE("sibling", add_tests)
