#include "core/base/memory.h"
#include "heads/recorder.h"
#include "tests/check_suite.h"
#include "tests/scratch.h"
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
    const char *text = scratch_format("[patterns]\nevery = %s\n", every);
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

TEST(snapshots_come_as_the_config_says)
{
    ck_assert_str_eq(recorded("log"), "0 1 2 5 10 12 ");
    ck_assert_str_eq(recorded("5"), "0 5 10 12 ");
    ck_assert_str_eq(recorded("0"), "0 12 ");
}

/* 1000 steps: 11 snapshots of the series. One is a little more than 510 KiB, so that 2 go into 1 MiB. */
TEST(extra_ones_are_as_many_as_there_is_room_for)
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

TEST(the_text_tells_how_many_there_may_be)
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

/* A config of text: its sizes are of the files, not of the task. One example takes about 25 MiB: 12 layers of 8 heads
 * at 256 tokens. */
static void text_config(hl_config *config, const char *patterns)
{
    const char *text = scratch_format(
        "[model]\nlayers = 12\nd_model = 64\nheads = 8\nmax_length = 256\n[train]\nsteps = 1000\n[patterns]\n%s",
        patterns);
    config_parse(text, config);
    config->sizes = (hl_data_sizes){ .vocabulary = 30000,
                                     .targets = 30000,
                                     .longest = 256,
                                     .n_lengths = 256,
                                     .examples = { 5000, 500 },
                                     .words = true };
    config->train.eval_examples = 500;
}

/* 11 snapshots are sure. */
TEST(of_text_fewer_examples_are_recorded_where_the_budget_has_no_room)
{
    static const struct {
        const char *patterns;
        int64_t examples;
        const char *notice;
    } cases[] = {
        { "budget_mb = 0\n", 32, NULL },
        { "budget_mb = 9000\n", 32, NULL },
        { "budget_mb = 256\nexamples = 0\n", 0, NULL },
        { "budget_mb = 1000\n", 3, "patterns.budget_mb = 1000: 3 of 32 examples are recorded, 72.5 MiB a snapshot" },
        { "budget_mb = 256\n", 0, "patterns.budget_mb = 256: no snapshots, of one example each takes 24.4 MiB" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        static hl_config config;
        char text[HL_SNAPSHOT_BUDGET_TEXT];
        text_config(&config, cases[i].patterns);
        ck_assert_int_eq(hl_snapshot_budget_examples(&config), cases[i].examples);
        const char *notice = hl_snapshot_budget_notice(&config, text);
        ck_assert_int_eq(notice != NULL, cases[i].notice != NULL);
        if (notice != NULL) {
            ck_assert_str_eq(notice, cases[i].notice);
        }
        hl_snapshot_budget budget = hl_snapshot_budget_of(&config);
        ck_assert(budget.allowed == 0 || budget.together <= budget.allowed);
        CHECK_OK(hl_snapshot_budget_check(&config, "a.ini"));
        if (cases[i].examples == 0 && notice != NULL) {
            ck_assert_str_eq(hl_snapshot_budget_text(&config, text), cases[i].notice);
        }
        config.sizes.examples[HL_TRAIN] = 0; /* a toy task's are never fewer than asked for */
        ck_assert_int_eq(hl_snapshot_budget_examples(&config), config.patterns.examples);
    }
}

SUITE("snapshot budget")
