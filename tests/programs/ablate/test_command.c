#include "programs/ablate/command.h"
#include "tests/check_suite.h"

#include <stdio.h>
#include <string.h>

enum { MOST_WORDS = 80 };

static hl_status parse(const char *line, hl_ablate_command *command)
{
    static char copy[4096];
    char *argv[MOST_WORDS + 1] = { (char *)(size_t) "ablate" };
    int argc = 1;
    snprintf(copy, sizeof copy, "%s", line);
    for (char *word = strtok(copy, " "); word != NULL; word = strtok(NULL, " ")) {
        ck_assert_int_lt(argc, MOST_WORDS);
        argv[argc++] = word;
    }
    return hl_ablate_command_parse(argc, argv, command);
}

TEST(options_may_stand_anywhere)
{
    hl_ablate_command command;
    hl_status status = parse("--seeds=5 a.ini --heads 1,2 train.steps=9 --vary model.dropout=0,0.1 --d-v=4 --jobs 3 "
                             "--target 0.5 --out x --overwrite --yes --json --csv=f.csv",
                             &command);
    ck_assert_msg(status.code == HL_OK, "%s", status.text);
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
    ck_assert_int_eq(parse("a.ini --table3", &command).code, HL_OK);
    ck_assert(command.table3 && command.seeds == 3 && command.jobs == 0 && command.target == 0.99);
    ck_assert(command.out == NULL && command.json == NULL && command.csv == NULL && !command.overwrite &&
              !command.yes && !command.row_a && command.n_axes == 0);
    ck_assert_int_eq(parse("--positions none -- --odd.ini", &command).code, HL_OK);
    ck_assert_str_eq(command.config.path, "--odd.ini");
    ck_assert_int_eq(parse("--help", &command).code, HL_OK);
    ck_assert_int_eq(parse("--version", &command).code, HL_OK);
}

TEST(what_is_wrong_is_named_with_the_remedy)
{
    static const struct {
        const char *line, *words;
    } cases[] = {
        { "", "no config given, as in: ablate configs/copy_task.ini" },
        { "a.ini", "nothing varies; give --heads 1,2,4,8" },
        { "a.ini b.ini --heads 1", "b.ini: one config is enough" },
        { "a.ini --head 1", "did you mean \"--heads\"?" },
        { "a.ini -h", "-h: unknown option" },
        { "a.ini --heads", "--heads: needs a value" },
        { "a.ini --table3 --heads 1", "--table3 says itself what varies; leave model.heads out" },
        { "a.ini --heads 1 --vary model.heads=2", "model.heads: varies twice" },
        { "a.ini --vary model.heads", "not of the form section.key=a,b,c" },
        { "a.ini --vary =1", "not of the form section.key=a,b,c" },
        { "a.ini --heads 1 --seeds 0", "--seeds: \"0\" is no whole number in 1 .. 1000" },
        { "a.ini --heads 1 --seeds two", "--seeds: \"two\"" },
        { "a.ini --heads 1 --jobs 0", "--jobs: \"0\"" },
        { "a.ini --heads 1 --target 99", "--target: \"99\" is no accuracy above 0 and up to 1" },
        { "a.ini --heads 1 --target 0", "--target: \"0\"" },
        { "a.ini --heads 1 --target 0.5x", "--target: \"0.5x\"" },
        { "a.ini --heads 1 --target nan", "--target: \"nan\"" },
        { "a.ini --heads 1 --out=", "--out: its value is empty" },
        { "a.ini --heads 1 --json=", "--json: its value is empty" },
        { "a.ini --heads 1 --json --csv", "--json and --csv cannot both go to standard output; name a file for one" },
        { "a.ini --heads 1 --json x --csv x", "--json and --csv: both to x; name a file for each" },
        { "a.ini --heads 1 --json x --csv ././x", "--json and --csv: both to ././x; name a file for each" },
        { "a.ini --vary a=1 --vary b=1 --vary c=1 --vary d=1 --vary e=1 --vary f=1 --vary g=1 --vary h=1 --vary i=1",
          "more than 8 keys that vary" },
        { "a.ini --vary model.aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa=1", "unknown key" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hl_ablate_command command;
        hl_status status = parse(cases[i].line, &command);
        ck_assert_msg(status.code == HL_INVALID, "%s: code %d", cases[i].line, status.code);
        ck_assert_msg(strncmp(status.text, "command line: ", 14) == 0, "%s", status.text);
        ck_assert_msg(strstr(status.text, cases[i].words) != NULL, "%s: %s", cases[i].line, status.text);
    }
}

TEST(the_help_fits_a_terminal)
{
    for (const char *line = hl_ablate_command_usage; *line != '\0'; line += strcspn(line, "\n") + 1) {
        ck_assert_msg(strcspn(line, "\n") <= 80, "%.100s", line);
    }
}

SUITE("ablate_command")
