#include "programs/train/command.h"
#include "tests/check_suite.h"

#include <stdio.h>
#include <string.h>

enum { MOST_WORDS = 80 };

/* Parses the words of `line`. */
static hl_status parse(const char *line, hl_train_command *command)
{
    static char copy[2048];
    char *argv[MOST_WORDS + 1] = { (char *)(size_t) "train" };
    int argc = 1;
    snprintf(copy, sizeof copy, "%s", line);
    for (char *word = strtok(copy, " "); word != NULL; word = strtok(NULL, " ")) {
        ck_assert_int_lt(argc, MOST_WORDS);
        argv[argc++] = word;
    }
    return hl_train_command_parse(argc, argv, command);
}

TEST(options_may_stand_anywhere)
{
    hl_train_command command;
    ck_assert_int_eq(parse("--quiet a.ini --out dir model.heads=2 --resume train.steps=5", &command).code, HL_OK);
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
    ck_assert_int_eq(parse("a.ini", &command).code, HL_OK);
    ck_assert_int_eq(command.mode, HL_RUN_NEW);
    ck_assert_int_eq(parse("a.ini --overwrite", &command).code, HL_OK);
    ck_assert_int_eq(command.mode, HL_RUN_OVERWRITE);
    ck_assert_int_eq(parse("a.ini --from=w --check --summary", &command).code, HL_OK);
    ck_assert_str_eq(command.from, "w");
    ck_assert(command.check && command.summary && !command.yes);
    ck_assert_int_eq(parse("a.ini --yes", &command).code, HL_OK);
    ck_assert(command.yes && !command.mixed);
    ck_assert_int_eq(parse("a.ini --mixed", &command).code, HL_OK);
    ck_assert(command.mixed);
    ck_assert_int_eq(parse("a.ini --watch 0", &command).code, HL_OK);
    ck_assert_int_eq(command.watch, 0);
    ck_assert_int_eq(parse("--watch=11 a.ini", &command).code, HL_OK);
    ck_assert_int_eq(command.watch, 11);
    ck_assert_double_eq(command.pace, 0);
    ck_assert_int_eq(parse("--pace 0.5 a.ini --watch 1", &command).code, HL_OK);
    ck_assert_double_eq(command.pace, 0.5);
    ck_assert_ptr_null(command.json);
    ck_assert_int_eq(parse("a.ini --json --summary", &command).code, HL_OK);
    ck_assert_str_eq(command.json, "-");
    ck_assert_int_eq(parse("a.ini --summary --json f.json", &command).code, HL_OK);
    ck_assert_str_eq(command.json, "f.json");
    ck_assert_int_eq(parse("--help", &command).code, HL_OK);
    ck_assert(command.help && command.config.path == NULL);
    ck_assert_int_eq(parse("--reference", &command).code, HL_OK);
    ck_assert(command.reference && !command.help && command.config.path == NULL);
    ck_assert_int_eq(parse("--version", &command).code, HL_OK);
    ck_assert(command.version);
    ck_assert_int_eq(parse("-- --odd.ini", &command).code, HL_OK);
    ck_assert_str_eq(command.config.path, "--odd.ini");
    ck_assert_int_eq(parse("a=b.ini", &command).code, HL_OK);
    ck_assert_str_eq(command.config.path, "a=b.ini");
}

TEST(what_is_wrong_is_named)
{
    static const struct {
        const char *line, *word;
    } wrong[] = {
        { "", "no config" },
        { "--quiet", "no config" },
        { "a.ini b.ini", "b.ini: " },
        { "a.ini --nope", " --nope: unknown option; see --help" },
        { "a.ini --resmue", " --resmue: unknown option (did you mean \"--resume\"?); see --help" },
        { "a.ini --form=w", " --form=w: unknown option (did you mean \"--from\"?); see --help" },
        { "a.ini --=x", " --=x: unknown option; see --help" },
        { "a.ini -zq", " -zq: unknown option; see --help" },
        { "a.ini -q", " -q: unknown option; see --help" },
        { "a.ini -\t", " -\\x09: unknown option; see --help" },
        { "a.ini -\303\244", " -\303\244: unknown option; see --help" },
        { "a.ini --over", " --over: unknown option" },
        { "a.ini --out", " --out: needs a value; see --help" },
        { "a.ini --from", " --from: needs a value; see --help" },
        { "a.ini --check=1", " --check=1: takes no value; see --help" },
        { "a.ini --version=", " --version=: takes no value; see --help" },
        { "a.ini --watch", " --watch: needs a value; see --help" },
        { "a.ini --watch L1", " --watch: \"L1\" is no whole number in 0 .. " },
        { "a.ini --watch -1", " --watch: \"-1\" is no whole number in 0 .. " },
        { "a.ini --watch 1 --quiet", "exclude" },
        { "a.ini --pace 1", " --pace is that of --watch, " },
        { "a.ini --watch 1 --pace 0", " --pace: \"0\" is no number in 0.001 .. 3600" },
        { "a.ini --watch 1 --pace slow", " --pace: \"slow\" is no number in 0.001 .. 3600" },
        { "a.ini --json", " --json is that of --summary, " },
        { "a.ini --check --summary --json", " --json is that of --summary, " },
        { "a.ini --resume --overwrite", "--resume and --overwrite exclude" },
        { "a.ini --resume --from x", "--resume and --from FILE exclude" },
        { "a.ini --overwrite --from x --resume", "--resume and --overwrite exclude" },
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        hl_train_command command;
        hl_status status = parse(wrong[i].line, &command);
        ck_assert_msg(status.code == HL_INVALID, "%s", wrong[i].line);
        ck_assert_msg(strstr(status.text, wrong[i].word) != NULL, "%s: %s", wrong[i].line, status.text);
        ck_assert_int_eq(strncmp(status.text, "command line: ", 14), 0);
    }
}

TEST(overrides_are_limited)
{
    char line[2048] = "a.ini";
    for (int i = 0; i < HL_MAX_OVERRIDES; i++) {
        strcat(line, " a.b=1");
    }
    hl_train_command command;
    ck_assert_int_eq(parse(line, &command).code, HL_OK);
    ck_assert_int_eq(command.config.n_overrides, HL_MAX_OVERRIDES);
    strcat(line, " a.b=1");
    ck_assert_int_eq(parse(line, &command).code, HL_INVALID);
}

TEST(the_usage_names_every_option)
{
    static const char *const options[] = { "--resume",  "--overwrite",    "--from FILE", "--out DIR",    "--summary",
                                           "--check",   "--quiet",        "--help",      "--reference",  "--version",
                                           "--watch N", "--pace SECONDS", "--yes",       "--json [FILE]" };
    for (int i = 0; i < 14; i++) {
        ck_assert_msg(strstr(hl_train_command_usage, options[i]) != NULL, "%s", options[i]);
    }
}

TEST(the_usage_fits_80_columns)
{
    int n_lines = 0;
    for (const char *line = hl_train_command_usage; *line != '\0'; line += strcspn(line, "\n") + 1, n_lines++) {
        ck_assert_msg(strcspn(line, "\n") <= 80, "%s", line);
    }
    ck_assert_int_gt(n_lines, 10);
}

SUITE("the command line of train")
