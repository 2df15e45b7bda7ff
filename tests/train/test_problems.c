#include "core/base/nearest.h"
#include "tests/check_suite.h"
#include "tests/faults.h"
#include "train/problems.h"

#include <string.h>

TEST(lines_are_kept_in_order_and_stay_single_lines)
{
    hl_problems problems = { 0 };
    hl_problems_add(&problems, "%s:%d: %s", "a\nb", 3, "\033[31mred\x7f");
    hl_problems_add(&problems, "second");
    ck_assert_int_eq(problems.n, 2);
    ck_assert_str_eq(problems.lines[0], "a\\x0ab:3: \\x1b[31mred\\x7f");
    ck_assert_str_eq(problems.lines[1], "second");
    hl_problems_free(&problems);
    ck_assert_int_eq(problems.n, 0);
    hl_problems_free(&problems);
}

TEST(the_list_is_bounded_and_says_so)
{
    hl_problems problems = { 0 };
    for (int i = 0; i < 2 * HL_MAX_PROBLEMS; i++) {
        hl_problems_add(&problems, "problem %d", i);
    }
    ck_assert_int_eq(problems.n, HL_MAX_PROBLEMS);
    ck_assert_str_eq(problems.lines[HL_MAX_PROBLEMS - 2], "problem 98");
    ck_assert_str_eq(problems.lines[HL_MAX_PROBLEMS - 1], "further problems are not listed");
    ck_assert(!problems.no_memory);
    hl_problems_free(&problems);
}

TEST(a_line_lost_for_want_of_memory_is_remembered)
{
    hl_problems problems = { 0 };
    faults_begin();
    faults_in_memory(1, FAULTS_ONCE);
    hl_problems_add(&problems, "lost");
    hl_problems_add(&problems, "kept");
    ck_assert(problems.no_memory);
    ck_assert_int_eq(problems.n, 1);
    ck_assert_str_eq(problems.lines[0], "kept");
    hl_problems_free(&problems);
    ck_assert_int_eq(faults_live_blocks(), 0);
    faults_end();
}

static const struct {
    const char *wrong, *meant;
} slips[] = {
    { "heds", "heads" },
    { "haeds", "heads" },
    { "Heads", "heads" },
    { "HEADS", "heads" },
    { "headss", "heads" },
    { "headz", "heads" },
    { "num_heads", "heads" },
    { "n_heads", "heads" },
    { "kv_head", "kv_heads" },
    { "dk", "d_k" },
    { "d_q", "d_k" },
    { "warmup", "warmup_steps" },
    { "warmup_stesp", "warmup_steps" },
    { "x", NULL },
    { "", NULL },
    { "tails", NULL },
    { "d_q_k", NULL },
    { "up_", NULL },
    { "wxrmzp_qqqqs", NULL },
};

LOOP_TEST(the_nearest_name_is_what_was_meant, 0, sizeof slips / sizeof slips[0])
{
    static const char *const names[] = { "heads", "kv_heads", "d_k", "d_v", "warmup_steps" };
    int nearest = hl_nearest_name(slips[_i].wrong, names, 5);
    if (slips[_i].meant == NULL) {
        ck_assert_int_eq(nearest, -1);
    } else {
        ck_assert_int_ge(nearest, 0);
        ck_assert_str_eq(names[nearest], slips[_i].meant);
    }
}

TEST(a_very_long_name_is_like_no_other)
{
    static const char *const names[] = { "heads" };
    char name[4000];
    memset(name, 'h', sizeof name);
    memcpy(name, "heads", 5);
    name[sizeof name - 1] = '\0';
    ck_assert_int_eq(hl_nearest_name(name, names, 1), -1);
    ck_assert_int_eq(hl_nearest_name("heads", names, 0), -1);
}

TEST(a_name_of_one_letter_has_no_letter_to_spare)
{
    static const char *const names[] = { "k" };
    ck_assert_int_eq(hl_nearest_name("v", names, 1), -1);
    ck_assert_int_eq(hl_nearest_name("K", names, 1), 0);
}

SUITE("problems")
