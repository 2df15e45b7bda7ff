#include "programs/ablate/command.h"
#include "tests/check_suite.h"
#include "tests/messages.h"
#include "tests/programs/command_lines.h"

#include <string.h>

static hl_status parse(const char *line, hl_ablate_command *command)
{
    command_line words = command_line_of("ablate", line);
    return hl_ablate_command_parse(words.argc, words.argv, command);
}

TEST(options_may_stand_anywhere)
{
    hl_ablate_command command;
    CHECK_OK(parse("--seeds=5 a.ini --heads 1,2 train.steps=9 --vary model.dropout=0,0.1 --d-v=4 --jobs 3 "
                   "--target 0.5 --out x --overwrite --yes --json --csv=f.csv",
                   &command));
    ck_assert_str_eq(command.config.path, "a.ini");
    ck_assert(command.seeds == 5 && command.jobs == 3 && command.target == 0.5 && command.overwrite && command.yes &&
              command.row_a);
    ck_assert_str_eq(command.out, "x");
    ck_assert_str_eq(command.json, "-");
    ck_assert_str_eq(command.csv, "f.csv");
    ck_assert_int_eq(command.config.n_overrides, 1);
    ck_assert_str_eq(command.config.overrides[0], "train.steps=9");
    ck_assert_int_eq(command.n_axes, 3);
    ck_assert_str_eq(command.axes[0].key, "model.heads");
    ck_assert_str_eq(command.axes[0].values, "1,2");
    ck_assert_str_eq(command.axes[1].key, "model.dropout");
    ck_assert_str_eq(command.axes[1].values, "0,0.1");
    ck_assert_str_eq(command.axes[2].key, "model.d_v");
}

TEST(what_is_not_said_has_a_default)
{
    hl_ablate_command command;
    CHECK_OK(parse("a.ini --table3", &command));
    ck_assert(command.table3 && command.seeds == 3 && command.jobs == 0 && command.target == 0.99);
    ck_assert(command.out == NULL && command.json == NULL && command.csv == NULL && !command.overwrite &&
              !command.yes && !command.row_a && command.n_axes == 0);
    CHECK_OK(parse("--positions none -- --odd.ini", &command));
    ck_assert_str_eq(command.config.path, "--odd.ini");
    CHECK_OK(parse("--help", &command));
    CHECK_OK(parse("--version", &command));
}

TEST(what_is_wrong_is_named_with_the_remedy)
{
    static const struct {
        const char *line, *message;
    } cases[] = {
        { "", "ablate.no_config_given_as_in_ablate" },
        { "a.ini", "ablate.nothing_varies_give_heads_1_2" },
        { "a.ini b.ini --heads 1", "train.b_ini_one_config_is_enough" },
        { "a.ini --head 1", "ablate.head_unknown_option_did_you_mean" },
        { "a.ini -h", "ablate.h_unknown_option_see_help" },
        { "a.ini --heads", "ablate.heads_needs_a_value_see_help" },
        { "a.ini --table3 --heads 1", "ablate.table3_says_itself_what_varies_leave" },
        { "a.ini --heads 1 --vary model.heads=2", "ablate.model_heads_varies_twice_give_all" },
        { "a.ini --vary model.heads", "ablate.vary_model_heads_not_of_the" },
        { "a.ini --vary =1", "ablate.vary_1_not_of_the_form" },
        { "a.ini --heads 1 --seeds 0", "ablate.seeds_0_is_no_whole_number" },
        { "a.ini --heads 1 --seeds two", "ablate.seeds_two_is_no_whole_number" },
        { "a.ini --heads 1 --jobs 0", "ablate.jobs_0_is_no_whole_number" },
        { "a.ini --heads 1 --target 99", "ablate.target_99_is_no_accuracy_above" },
        { "a.ini --heads 1 --target 0", "ablate.target_0_is_no_accuracy_above" },
        { "a.ini --heads 1 --target 0.5x", "ablate.target_0_5x_is_no_accuracy" },
        { "a.ini --heads 1 --target nan", "ablate.target_nan_is_no_accuracy_above" },
        { "a.ini --heads 1 --out=", "ablate.out_its_value_is_empty_see" },
        { "a.ini --heads 1 --json=", "ablate.json_its_value_is_empty_see" },
        { "a.ini --heads 1 --json --csv", "runs.json_and_csv_cannot_both_go" },
        { "a.ini --heads 1 --json x --csv x", "heads.json_and_csv_both_to_x" },
        { "a.ini --heads 1 --json x --csv ././x", "ablate.json_and_csv_both_to_name" },
        { "a.ini --vary a=1 --vary b=1 --vary c=1 --vary d=1 --vary e=1 --vary f=1 --vary g=1 --vary h=1 --vary i=1",
          "ablate.more_than_8_keys_that_vary" },
        { "a.ini --vary model.aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa=1",
          "ablate.model_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa_unknown_key" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hl_ablate_command command;
        message_check(parse(cases[i].line, &command), HL_INVALID, cases[i].message);
    }
}

TEST(the_help_fits_a_terminal)
{
    COMMAND_USAGE_CHECK(hl_ablate_help_usage, "--seeds");
}

SUITE("ablate_command")
