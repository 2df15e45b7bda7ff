/* The command line of heads: which questions it asks, and what does not go together. */
#include "programs/heads/command.h"

#include "tests/check_suite.h"

#include <stdio.h>
#include <string.h>

enum { MOST_WORDS = 12, LINE = 200 };

/* Words parted by blanks; texts in *command stand until the next call. */
static hl_status parse(const char *line, hl_heads_command *command)
{
    static char words[LINE];
    char *argv[MOST_WORDS] = { (char *)"heads" };
    int argc = 1;
    snprintf(words, sizeof words, "%s", line);
    for (char *word = strtok(words, " "); word != NULL; word = strtok(NULL, " ")) {
        ck_assert_int_lt(argc, MOST_WORDS);
        argv[argc++] = word;
    }
    return hl_heads_command_parse(argc, argv, command);
}

TEST(each_option_asks_its_question)
{
    static const struct {
        const char *line;
        hl_heads_question question;
    } lines[] = {
        { "run", HL_HEADS_NO_QUESTION },
        { "run --json", HL_HEADS_NO_QUESTION },
        { "run --head L0H0 --png a.png", HL_HEADS_NO_QUESTION },
        { "run --keep-only L0H0", HL_HEADS_SUBSET },
        { "--drop L0H0,L1H* run", HL_HEADS_SUBSET },
        { "run --importance --json --csv a --step 5", HL_HEADS_IMPORTANCE },
        { "run --shapley", HL_HEADS_IMPORTANCE },
        { "run --prune --csv --json b --png a --svg d --pdf c", HL_HEADS_PRUNE },
        { "run --prune-once", HL_HEADS_PRUNE },
        { "run --prune-by gradient", HL_HEADS_PRUNE },
        { "run --prune-to 3 --out a", HL_HEADS_PRUNE },
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        hl_heads_command command;
        hl_status status = parse(lines[i].line, &command);
        ck_assert_msg(status.code == HL_OK, "%s: %s", lines[i].line, status.text);
        ck_assert_msg(hl_heads_command_question(&command) == lines[i].question, "%s", lines[i].line);
    }
}

TEST(values_are_taken)
{
    hl_heads_command command;
    ck_assert_int_eq(parse("run --prune-to=3 --out a --prune-by=gradient --prune-once", &command).code, HL_OK);
    ck_assert_int_eq(command.prune_to, 3);
    ck_assert_str_eq(command.out, "a");
    ck_assert_int_eq(command.prune_by, HL_PRUNE_BY_GRADIENT);
    ck_assert(command.prune_once && command.prune && !command.importance);
    ck_assert_int_eq(parse("run --shapley --step 7", &command).code, HL_OK);
    ck_assert(command.shapley && command.importance && !command.prune);
    ck_assert_int_eq(command.step, 7);
    ck_assert_int_eq(parse("run --prune", &command).code, HL_OK);
    ck_assert(command.prune_by == HL_PRUNE_BY_LOSS && command.prune_to == 0 && !command.prune_once);
}

TEST(what_does_not_go_together_is_named)
{
    static const struct {
        const char *line, *part;
    } wrong[] = {
        { "run --keep-only L0H0 --drop L0H1", "--drop does not go with --keep-only" },
        { "run --drop L0H0 --npz a", "--npz does not go with --drop" },
        { "run --drop L0H0 --importance", "--drop does not go with --importance" },
        { "run --importance --prune", "--importance does not go with --prune" },
        { "run --shapley --prune-once", "--shapley does not go with --prune" },
        { "run --importance --png a", "--png does not go with --importance" },
        { "run --importance --report", "--report does not go with --importance" },
        { "run --importance --against b", "--against does not go with --importance" },
        { "run --importance --words", "--words does not go with --importance" },
        { "run --against b --words", "--against compares two runs" },
        { "run --prune --head L0H0", "--head does not go with --prune" },
        { "run --prune --input a", "--input does not go with --prune" },
        { "run --prune --example 1", "--example does not go with --prune" },
        { "run --prune --npz a", "--npz does not go with --prune" },
        { "run --prune --bertviz a", "--bertviz does not go with --prune" },
        { "run --prune --npz a", "--npz does not go with --prune" },
        { "run --prune --step 1", "--step does not go with --prune" },
        { "run --prune-to 3", "add --out FILE" },
        { "run --prune-to 3 --out -", "--out: standard output cannot take this one" },
        { "run --out a", "only --prune-to N writes a model, and --examples FILE a folder" },
        { "run --examples a --input b", "--examples and --input exclude each other" },
        { "run --examples a --file b", "--examples and --file exclude each other" },
        { "run --examples a --importance", "--examples does not go with --importance" },
        { "run --examples a --export b", "--export goes with no other option" },
        { "run --prune --out a", "only --prune-to N writes a model" },
        { "run --prune-to none --out a", "--prune-to: \"none\" is no whole number" },
        { "run --prune-by x", "\"x\" is neither loss nor gradient" },
        { "run --importance=1", "--importance=1: takes no value" },
        { "run --json --csv", "--json and --csv cannot both go to standard output; name a file for one" },
        { "run --svg - --bertviz -", "--svg and --bertviz cannot both go to standard output; name a file for one" },
        { "run --json x --csv x", "--json and --csv: both to x; name a file for each" },
        { "run --npz ./x --csv x", "--csv and --npz: both to ./x; name a file for each" },
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        hl_heads_command command;
        hl_status status = parse(wrong[i].line, &command);
        ck_assert_msg(status.code == HL_INVALID, "%s was taken", wrong[i].line);
        ck_assert_msg(strstr(status.text, wrong[i].part) != NULL, "%s: %s", wrong[i].line, status.text);
        ck_assert_int_eq(strncmp(status.text, "command line: ", 14), 0);
    }
}

TEST(the_usage_names_them_all_in_80_columns)
{
    static const char *const options[] = { "--keep-only HEADS", "--drop HEADS", "--importance",
                                           "--shapley",         "--prune  ",    "--prune-by WHAT",
                                           "--prune-once",      "--prune-to N", "--out FILE" };
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        ck_assert_msg(strstr(hl_heads_command_usage, options[i]) != NULL, "%s", options[i]);
    }
    for (const char *line = hl_heads_command_usage; *line != '\0'; line += strcspn(line, "\n") + 1) {
        ck_assert_msg(strcspn(line, "\n") <= 80, "%s", line);
    }
}

SUITE("the command line of heads")
