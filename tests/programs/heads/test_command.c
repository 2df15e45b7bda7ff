/* The command line of heads: which questions it asks, and what does not go together. */
#include "programs/heads/command.h"

#include "tests/check_suite.h"
#include "tests/messages.h"
#include "tests/programs/command_lines.h"

#include <stdio.h>
#include <string.h>

/* Words parted by blanks; texts in *command stand until the next call. */
static hl_status parse(const char *line, hl_heads_command *command)
{
    command_line words = command_line_of("heads", line);
    return hl_heads_command_parse(words.argc, words.argv, command);
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
    CHECK_OK(parse("run --prune-to=3 --out a --prune-by=gradient --prune-once", &command));
    ck_assert_int_eq(command.prune_to, 3);
    ck_assert_str_eq(command.out, "a");
    ck_assert_int_eq(command.prune_by, HL_PRUNE_BY_GRADIENT);
    ck_assert(command.prune_once && command.prune && !command.importance);
    CHECK_OK(parse("run --shapley --step 7", &command));
    ck_assert(command.shapley && command.importance && !command.prune);
    ck_assert_int_eq(command.step, 7);
    CHECK_OK(parse("run --prune", &command));
    ck_assert(command.prune_by == HL_PRUNE_BY_LOSS && command.prune_to == 0 && !command.prune_once);
}

TEST(what_does_not_go_together_is_named)
{
    static const struct {
        const char *line, *message;
    } wrong[] = {
        { "run --keep-only L0H0 --drop L0H1", "runs.drop_does_not_go_with_keep" },
        { "run --drop L0H0 --npz a", "heads.npz_does_not_go_with_drop" },
        { "run --drop L0H0 --importance", "heads.drop_does_not_go_with_importance" },
        { "run --importance --prune", "heads.importance_does_not_go_with_prune" },
        { "run --shapley --prune-once", "heads.shapley_does_not_go_with_prune" },
        { "run --importance --png a", "heads.png_does_not_go_with_importance" },
        { "run --importance --report", "heads.report_does_not_go_with_importance" },
        { "run --importance --against b", "heads.against_does_not_go_with_importance" },
        { "run --importance --words", "heads.words_does_not_go_with_importance" },
        { "run --against b --words", "runs.against_compares_two_runs_and_goes" },
        { "run --prune --head L0H0", "heads.head_does_not_go_with_prune" },
        { "run --prune --input a", "heads.input_does_not_go_with_prune" },
        { "run --prune --example 1", "heads.example_does_not_go_with_prune" },
        { "run --prune --npz a", "runs.npz_does_not_go_with_prune" },
        { "run --prune --bertviz a", "heads.bertviz_does_not_go_with_prune" },
        { "run --prune --npz a", "runs.npz_does_not_go_with_prune" },
        { "run --prune --step 1", "runs.step_does_not_go_with_prune" },
        { "run --prune-to 3", "runs.prune_to_where_shall_it_go" },
        { "run --prune-to 3 --out -", "runs.out_standard_output_cannot_take_this" },
        { "run --out a", "runs.out_only_prune_to_n_writes" },
        { "run --examples a --input b", "heads.examples_and_input_exclude_each_other" },
        { "run --examples a --file b", "heads.examples_and_file_exclude_each_other" },
        { "run --examples a --importance", "heads.examples_does_not_go_with_importance" },
        { "run --examples a --export b", "runs.export_goes_with_no_other_option" },
        { "run --prune --out a", "runs.out_only_prune_to_n_writes" },
        { "run --prune-to none --out a", "heads.prune_to_none_is_no_whole" },
        { "run --prune-by x", "heads.prune_by_x_is_neither_loss" },
        { "run --importance=1", "heads.importance_1_takes_no_value_see" },
        { "run --json --csv", "runs.json_and_csv_cannot_both_go" },
        { "run --svg - --bertviz -", "heads.svg_and_bertviz_cannot_both_go" },
        { "run --json x --csv x", "heads.json_and_csv_both_to_x" },
        { "run --npz ./x --csv x", "heads.csv_and_npz_both_to_name" },
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        hl_heads_command command;
        message_check(parse(wrong[i].line, &command), HL_INVALID, wrong[i].message);
    }
}

TEST(the_usage_names_them_all_in_80_columns)
{
    COMMAND_USAGE_CHECK(hl_heads_command_usage, "--keep-only HEADS", "--drop HEADS", "--importance", "--shapley",
                        "--prune  ", "--prune-by WHAT", "--prune-once", "--prune-to N", "--out FILE");
}

SUITE("the command line of heads")
