/* A training of millions of updates. */
#include "tests/check_suite.h"
#include "tests/runs/endurance.h"

#include <stdio.h>

START_TEST(memory_and_files_do_not_grow_with_millions_of_updates)
{
    endurance found = endurance_of(3000000);
    printf("3,000,000 updates: %ld KiB resident after 300,000, %ld after 2,400,000\n", found.kib_at_first,
           found.kib_at_last);
}
END_TEST

static void add_tests(TCase *tc)
{
    tcase_set_timeout(tc, 600);
    tcase_add_test(tc, memory_and_files_do_not_grow_with_millions_of_updates);
}
SUITE("long load", add_tests)
