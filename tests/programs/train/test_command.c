#include "programs/train/command.h"
#include "tests/check_suite.h"
#include "tests/messages.h"
#include "tests/programs/command_lines.h"

#include <string.h>

static hl_status parse(const char *line, hl_train_command *command)
{
    command_line words = command_line_of("train", line);
    return hl_train_command_parse(words.argc, words.argv, command);
}

TEST(options_may_stand_anywhere)
{
    hl_train_command command;
    CHECK_OK(parse("--quiet a.ini --out dir model.heads=2 --resume train.steps=5", &command));
    ck_assert_str_eq(command.config.path, "a.ini");
    ck_assert_str_eq(command.out, "dir");
    ck_assert_int_eq(command.config.n_overrides, 2);
    ck_assert_str_eq(command.config.overrides[0], "model.heads=2");
    ck_assert_str_eq(command.config.overrides[1], "train.steps=5");
    ck_assert_int_eq(command.mode, HL_RUN_RESUME);
    ck_assert(command.quiet && !command.check && !command.summary && !command.help && !command.version);
    ck_assert_ptr_null(command.from);
    ck_assert_int_eq(command.watch, -1);
}

TEST(every_option_is_taken)
{
    hl_train_command command;
    CHECK_OK(parse("a.ini", &command));
    ck_assert_int_eq(command.mode, HL_RUN_NEW);
    CHECK_OK(parse("a.ini --overwrite", &command));
    ck_assert_int_eq(command.mode, HL_RUN_OVERWRITE);
    CHECK_OK(parse("a.ini --from=w --check --summary", &command));
    ck_assert_str_eq(command.from, "w");
    ck_assert(command.check && command.summary && !command.yes);
    CHECK_OK(parse("a.ini --yes", &command));
    ck_assert(command.yes && !command.mixed);
    CHECK_OK(parse("a.ini --mixed", &command));
    ck_assert(command.mixed);
    CHECK_OK(parse("a.ini --watch 0", &command));
    ck_assert_int_eq(command.watch, 0);
    CHECK_OK(parse("--watch=11 a.ini", &command));
    ck_assert_int_eq(command.watch, 11);
    ck_assert_double_eq(command.pace, 0);
    CHECK_OK(parse("--pace 0.5 a.ini --watch 1", &command));
    ck_assert_double_eq(command.pace, 0.5);
    ck_assert_ptr_null(command.json);
    CHECK_OK(parse("a.ini --json --summary", &command));
    ck_assert_str_eq(command.json, "-");
    CHECK_OK(parse("a.ini --summary --json f.json", &command));
    ck_assert_str_eq(command.json, "f.json");
    CHECK_OK(parse("--help", &command));
    ck_assert(command.help && command.config.path == NULL);
    CHECK_OK(parse("--reference", &command));
    ck_assert(command.reference && !command.help && command.config.path == NULL);
    CHECK_OK(parse("--version", &command));
    ck_assert(command.version);
    CHECK_OK(parse("-- --odd.ini", &command));
    ck_assert_str_eq(command.config.path, "--odd.ini");
    CHECK_OK(parse("a=b.ini", &command));
    ck_assert_str_eq(command.config.path, "a=b.ini");
}

TEST(what_is_wrong_is_named)
{
    static const struct {
        const char *line, *message;
    } wrong[] = {
        { "", "train.no_config_given_as_in_train" },
        { "--quiet", "train.no_config_given_as_in_train" },
        { "a.ini b.ini", "train.b_ini_one_config_is_enough" },
        { "a.ini --nope", "train.nope_unknown_option_see_help" },
        { "a.ini --resmue", "train.resmue_unknown_option_did_you_mean" },
        { "a.ini --form=w", "train.form_w_unknown_option_did_you" },
        { "a.ini --=x", "train.x_unknown_option_see_help" },
        { "a.ini -zq", "train.zq_unknown_option_see_help" },
        { "a.ini -q", "train.q_unknown_option_see_help" },
        { "a.ini -\t", "train.x09_unknown_option_see_help" },
        { "a.ini -\303\244", "train.unknown_option_see_help" },
        { "a.ini --over", "train.over_unknown_option_did_you_mean" },
        { "a.ini --out", "train.out_needs_a_value_see_help" },
        { "a.ini --from", "train.from_needs_a_value_see_help" },
        { "a.ini --check=1", "train.check_1_takes_no_value_see" },
        { "a.ini --version=", "train.version_takes_no_value_see_help" },
        { "a.ini --watch", "train.watch_needs_a_value_see_help" },
        { "a.ini --watch L1", "train.watch_l1_is_no_whole_number" },
        { "a.ini --watch -1", "train.watch_1_is_no_whole_number" },
        { "a.ini --watch 1 --quiet", "train.quiet_and_watch_exclude_each_other" },
        { "a.ini --pace 1", "train.pace_is_that_of_watch_as" },
        { "a.ini --watch 1 --pace 0", "train.pace_0_is_no_number_in" },
        { "a.ini --watch 1 --pace slow", "train.pace_slow_is_no_number_in" },
        { "a.ini --json", "train.json_is_that_of_summary_as" },
        { "a.ini --check --summary --json", "train.json_is_that_of_summary_as" },
        { "a.ini --resume --overwrite", "train.resume_and_overwrite_exclude_each_other" },
        { "a.ini --resume --from x", "train.resume_and_from_file_exclude_each" },
        { "a.ini --overwrite --from x --resume", "train.resume_and_overwrite_exclude_each_other" },
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        hl_train_command command;
        message_check(parse(wrong[i].line, &command), HL_INVALID, wrong[i].message);
    }
}

TEST(overrides_are_limited)
{
    char line[2048] = "a.ini";
    for (int i = 0; i < HL_MAX_OVERRIDES; i++) {
        strcat(line, " a.b=1");
    }
    hl_train_command command;
    CHECK_OK(parse(line, &command));
    ck_assert_int_eq(command.config.n_overrides, HL_MAX_OVERRIDES);
    strcat(line, " a.b=1");
    ck_assert_int_eq(parse(line, &command).code, HL_INVALID);
}

TEST(the_usage_names_every_option_in_80_columns)
{
    COMMAND_USAGE_CHECK(hl_train_help_usage, "--resume", "--overwrite", "--from FILE", "--out DIR", "--summary",
                        "--check", "--quiet", "--help", "--reference", "--version", "--watch N", "--pace SECONDS",
                        "--yes", "--json [FILE]");
}

SUITE("the command line of train")
