#include "core/memory.h"
#include "heads/recorder.h"
#include "tests/check_suite.h"
#include "tests/train/config_parsing.h"
#include "train/setup.h"
#include "train/snapshot_budget.h"

#include <stdio.h>
#include <string.h>

static hl_snapshot_budget budget_of(const char *text)
{
    static hl_config config;
    config_parse(text, &config);
    return hl_snapshot_budget_of(&config);
}

/* Which of the steps 0 .. 12 of a run of 12 are recorded, whose loss never falls. */
static const char *recorded(const char *every)
{
    static char steps[64];
    char text[64];
    snprintf(text, sizeof text, "[patterns]\nevery = %s\n", every);
    hl_cadence cadence = budget_of(text).cadence;
    const hl_cadence_state no_losses = { 0 };
    steps[0] = '\0';
    for (int64_t step = 0; step <= 12; step++) {
        if (hl_cadence_records(cadence, &no_losses, step, 12)) {
            snprintf(steps + strlen(steps), sizeof steps - strlen(steps), "%d ", (int)step);
        }
    }
    return steps;
}

START_TEST(snapshots_come_as_the_config_says)
{
    ck_assert_str_eq(recorded("log"), "0 1 2 5 10 12 ");
    ck_assert_str_eq(recorded("5"), "0 5 10 12 ");
    ck_assert_str_eq(recorded("0"), "0 12 ");
}
END_TEST

/* 1000 steps: 11 snapshots of the series. One is a little more than 510 KiB, so that 2 go into 1 MiB. */
START_TEST(extra_ones_are_as_many_as_there_is_room_for)
{
    static const struct {
        const char *text;
        int64_t extra, n;
    } cases[] = {
        { "[train]\nsteps = 1000\n", 16, 27 },
        { "[train]\nsteps = 1000\n[patterns]\nbudget_mb = 0\n", 16, 27 },
        { "[train]\nsteps = 1000\n[patterns]\nbudget_mb = 14\n", 16, 27 },
        { "[train]\nsteps = 1000\n[patterns]\nbudget_mb = 13\n", 15, 26 },
        { "[train]\nsteps = 1000\n[patterns]\nbudget_mb = 6\n", 1, 12 },
        { "[train]\nsteps = 1000\n[patterns]\nbudget_mb = 5\n", 0, 11 },
        { "[train]\nsteps = 1000\n[patterns]\nevery = 100\n", 0, 11 },
        { "[train]\nsteps = 1000\n[patterns]\nevery = 0\n", 0, 2 },
        { "[train]\nsteps = 1000\n[patterns]\nexamples = 0\n", 0, 0 },
        { "[train]\nsteps = 3\n", 16, 4 }, /* all of them */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hl_snapshot_budget budget = budget_of(cases[i].text);
        ck_assert_msg(budget.cadence.extra == cases[i].extra && budget.n == cases[i].n, "%s: %lld, %lld", cases[i].text,
                      (long long)budget.cadence.extra, (long long)budget.n);
        ck_assert_uint_eq(budget.together, (size_t)budget.n * budget.each);
        ck_assert(budget.allowed == 0 || budget.together <= budget.allowed || cases[i].extra == 0);
    }
}
END_TEST

START_TEST(the_text_tells_how_many_there_may_be)
{
    static hl_config config;
    char text[HL_SNAPSHOT_BUDGET_TEXT];
    config_parse("[train]\nsteps = 1000\n", &config);
    hl_snapshot_budget_text(&config, text);
    ck_assert_msg(strncmp(text, "up to 27 snapshots of ", 22) == 0, "%s", text);
    config_parse("[train]\nsteps = 1000\n[patterns]\nevery = 100\n", &config);
    hl_snapshot_budget_text(&config, text);
    ck_assert_msg(strncmp(text, "11 snapshots of ", 16) == 0, "%s", text);
}
END_TEST

static void add_tests(TCase *tc)
{
    tcase_add_test(tc, snapshots_come_as_the_config_says);
    tcase_add_test(tc, extra_ones_are_as_many_as_there_is_room_for);
    tcase_add_test(tc, the_text_tells_how_many_there_may_be);
}
SUITE("snapshot budget", add_tests)
