/* A training of millions of updates. */
#include "tests/check_suite.h"
#include "tests/runs/endurance.h"

#include <stdio.h>

TEST(memory_and_files_do_not_grow_with_millions_of_updates)
{
    endurance found = endurance_of(3000000);
    printf("3,000,000 updates: %ld KiB resident after 300,000, %ld after 2,400,000\n", found.kib_at_first,
           found.kib_at_last);
}

SUITE("long load", .seconds = 600)
