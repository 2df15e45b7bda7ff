/* The command line of heads: its verbs, their options, and the options from before there were verbs. */
#include "programs/heads/verb.h"
#include "tests/check_suite.h"
#include "tests/messages.h"
#include "tests/programs/heads/lines.h"
#include "tests/runs/runs.h"

#include <string.h>

TEST(the_first_word_is_the_verb_or_the_model)
{
    static const struct {
        const char *line;
        const hl_heads_verb *verb;
        const char *model, *object;
    } lines[] = {
        { "run", &hl_heads_verb_table, "run", NULL },
        { "table run", &hl_heads_verb_table, "run", NULL },
        { "--json x run", &hl_heads_verb_table, "run", NULL },
        { "./map", &hl_heads_verb_table, "./map", NULL },
        { "map ./map", &hl_heads_verb_map, "./map", NULL },
        { "map map", &hl_heads_verb_map, "map", NULL },
        { "map run L0H1", &hl_heads_verb_map, "run", "L0H1" },
        { "map run --input a L0H1", &hl_heads_verb_map, "run", "L0H1" },
        { "map run task.column=XPOS --file a L0H1", &hl_heads_verb_map, "run", "L0H1" },
        { "profile run", &hl_heads_verb_profile, "run", NULL },
        { "importance run --keep L0H0,L1H*", &hl_heads_verb_importance, "run", NULL },
        { "importance run --file a task.column=XPOS", &hl_heads_verb_importance, "run", NULL },
        { "prune run --to=3 --out a", &hl_heads_verb_prune, "run", NULL },
        { "grammar run a=b.conllu", &hl_heads_verb_grammar, "run", "a=b.conllu" },
        { "compare run other", &hl_heads_verb_compare, "run", "other" },
        { "export run -- --folder", &hl_heads_verb_export, "run", "--folder" },
        { "words", &hl_heads_verb_words, NULL, NULL },
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        hl_heads_command command;
        hl_status status = heads_line(lines[i].line, &command);
        ck_assert_msg(status.code == HL_OK, "%s: %s", lines[i].line, status.text);
        ck_assert_msg(command.verb == lines[i].verb, "%s", lines[i].line);
        ck_assert_pstr_eq(command.model, lines[i].model);
        ck_assert_pstr_eq(command.object, lines[i].object);
    }
}

TEST(values_are_taken)
{
    hl_heads_command command;
    CHECK_OK(heads_line("prune run --to=3 --out a --by=gradient --once", &command));
    ck_assert_int_eq(command.to, 3);
    ck_assert_str_eq(command.out, "a");
    ck_assert(command.by == HL_PRUNE_BY_GRADIENT && command.once);
    CHECK_OK(heads_line("prune run", &command));
    ck_assert(command.by == HL_PRUNE_BY_LOSS && command.to == 0 && !command.once);
    CHECK_OK(heads_line("importance run --shapley --step 7", &command));
    ck_assert(command.shapley && command.step == 7);
    CHECK_OK(heads_line("table run", &command));
    ck_assert(command.step == -1 && command.example == -1 && !command.wide && !command.help);
    CHECK_OK(heads_line("importance run --file a task.column=XPOS train.seed=2", &command));
    ck_assert_int_eq(command.asked.n_overrides, 2);
    ck_assert_str_eq(command.asked.overrides[1], "train.seed=2");
}

TEST(help_and_version_need_no_model)
{
    hl_heads_command command;
    CHECK_OK(heads_line("--help", &command));
    ck_assert(command.help && command.verb == NULL);
    CHECK_OK(heads_line("run --help", &command));
    ck_assert(command.help && command.verb == NULL);
    CHECK_OK(heads_line("grammar --help", &command));
    ck_assert(command.help && command.verb == &hl_heads_verb_grammar);
    CHECK_OK(heads_line("--version", &command));
    ck_assert(command.version);
}

TEST(what_is_wrong_is_named)
{
    static const struct {
        const char *line, *message;
    } wrong[] = {
        { "", "runs.no_model_given_as_in_heads" },
        { "map", "heads.no_model_given_as_in_map" },
        { "run map", "heads.map_the_verb_comes_first" },
        { "table run other", "runs.other_one_word_too_many" },
        { "run other", "runs.other_one_word_too_many" },
        { "map run L0H0 L0H1", "heads.l0h1_one_word_too_many" },
        { "words run", "heads.run_takes_no_more_words" },
        { "grammar run", "heads.grammar_needs_a_second_word" },
        { "compare run", "heads.compare_needs_a_second_word" },
        { "table run --png a", "heads.png_has_verbs_now" },
        { "export run a --shapley", "heads.shapley_is_for_the_verb_importance" },
        { "prune run --npz=x", "runs.npz_is_for_the_verb_map" },
        { "prune run --step=1", "runs.step_1_unknown_option_see_help" },
        { "importance run --keep L0H0 --drop L0H1", "runs.keep_and_drop_exclude_each_other" },
        { "importance run --keep L0H0 --shapley", "heads.keep_and_shapley_exclude_each_other" },
        { "importance run --drop L0H0 --step 1", "heads.drop_and_step_exclude_each_other" },
        { "map run --input a --step 1", "runs.input_runs_the_last_checkpoint_s" },
        { "map run --input a --example 1", "runs.input_and_example_exclude_each_other" },
        { "map run --examples a --input b", "heads.examples_and_input_exclude_each_other" },
        { "map run --examples a --file b", "heads.examples_and_file_exclude_each_other" },
        { "table run --out a", "heads.out_needs_examples_file" },
        { "table run --overwrite", "heads.overwrite_needs_examples_file" },
        { "prune run --to 3", "runs.to_needs_out_file" },
        { "prune run --to 3 --out -", "runs.out_standard_output_cannot_take_this" },
        { "prune run --out a", "runs.out_needs_to_n" },
        { "prune run --export a", "heads.export_needs_to_n" },
        { "prune run --to none --out a", "heads.to_none_is_no_whole" },
        { "prune run --by x", "heads.by_x_is_neither_loss" },
        { "prune run --to 3 --out a --overwrite", "heads.overwrite_needs_export_dir" },
        { "grammar run a --importance --relation det", "study.importance_and_relation_exclude" },
        { "grammar run a --importance --report", "heads.importance_and_report_exclude" },
        { "grammar run a --relation det --png b", "study.relation_and_png_exclude" },
        { "grammar run a --relation det --trees", "study.relation_and_trees_exclude" },
        { "grammar run a --step 3", "heads.step_needs_importance" },
        { "importance run --shapley=1", "heads.shapley_1_takes_no_value_see" },
        { "table run --json --csv", "runs.json_and_csv_cannot_both_go" },
        { "table run --json - --csv -", "runs.json_and_csv_cannot_both_go" },
        { "map run --svg - --bertviz -", "heads.svg_and_bertviz_cannot_both_go" },
        { "table run --json x --csv x", "heads.json_and_csv_both_to_x" },
        { "map run --npz ./x --csv x", "heads.csv_and_npz_both_to_name" },
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        hl_heads_command command;
        message_check(heads_line(wrong[i].line, &command), HL_INVALID, wrong[i].message);
    }
}

/* Every option of every verb, with a letter left out of its middle. */
TEST(a_slip_in_any_option_finds_it)
{
    for (int v = 0; v < HL_HEADS_VERBS; v++) {
        const hl_heads_verb *verb = hl_heads_verbs[v];
        hl_option options[HL_HEADS_MOST_OPTIONS];
        for (int i = 0, n = hl_heads_options(verb->options, options); i < n; i++) {
            const char *name = options[i].name;
            size_t middle = strlen(name) / 2;
            if (strlen(name) < 4) {
                continue; /* a shorter name with a letter less is no similar one */
            }
            const char *slip = scratch_format("%s --%.*s%s", verb->name, (int)middle, name, name + middle + 1);
            hl_heads_command command;
            CHECK_FAILS(heads_line(slip, &command), HL_INVALID, scratch_format("(did you mean \"--%s\"?)", name));
        }
    }
}

/* ---- help ---- */

TEST(the_help_of_a_verb_fits_a_screen_and_has_all_of_its_options)
{
    for (int v = 0; v < HL_HEADS_VERBS; v++) {
        const hl_heads_verb *verb = hl_heads_verbs[v];
        int lines = 0;
        for (const char *line = verb->help; *line != '\0'; line += strcspn(line, "\n") + 1, lines++) {
            ck_assert_msg(strcspn(line, "\n") <= 80, "%s: %.100s", verb->name, line);
        }
        ck_assert_msg(lines <= 37, "%s: %d lines, and three more follow", verb->name, lines);
        hl_option options[HL_HEADS_MOST_OPTIONS];
        for (int i = 0, n = hl_heads_options(verb->options, options); i < n; i++) {
            const char *name = options[i].name;
            bool common = strcmp(name, "help") == 0 || strcmp(name, "version") == 0;
            ck_assert_msg(common || strstr(verb->help, scratch_format("--%s", name)) != NULL, "%s: %s", verb->name,
                          name);
        }
    }
}

TEST(help_lists_the_verbs_each_with_an_example_that_is_taken)
{
    run_result help = OK(HEADS("--help"));
    for (int v = 0; v < HL_HEADS_VERBS; v++) {
        const hl_heads_verb *verb = hl_heads_verbs[v];
        ck_assert_ptr_nonnull(strstr(help.out, scratch_format("\n  %-12s%s\n", verb->name, verb->does)));
        ck_assert_ptr_nonnull(strstr(help.out, scratch_format(" %s\n", verb->example)));
        hl_heads_command command;
        CHECK_OK(heads_line(verb->example, &command));
        ck_assert_ptr_eq(command.verb, verb);
        SAYS(HEADS(verb->name, "--help"), scratch_format("usage: heads %s", verb->name));
    }
    SAYS(HEADS("words"), "\n  offset(k) ");
}

/* ---- from before ---- */

TEST(an_old_option_is_refused_with_the_new_command)
{
    static const struct {
        const char *before, *now;
    } commands[] = {
        { "run --head L0H1", "map run L0H1" },
        { "run --head=L0H1 --json", "map run L0H1 --json" },
        { "--head L0H1 run", "map run L0H1" },
        { "--words run --head L0H1", "map run L0H1 --words" },
        { "run --input a_b", "map run --input 'a b'" },
        { "run --input it's", "map run --input 'it'\\''s'" },
        { "run --input a --head L0H1 --npz x", "map run L0H1 --input a --npz x" },
        { "run --example 2", "map run --example 2" },
        { "run --npz x", "map run --npz x" },
        { "run --bertviz x", "map run --bertviz x" },
        { "run --png x --step 3", "map run --png x --step 3" },
        { "run --svg=x", "map run --svg x" },
        { "run --pdf -", "map run --pdf -" },
        { "run --file x --head L0H0 task.column=XPOS", "map run task.column=XPOS L0H0 --file x" },
        { "run --profile --md x", "profile run --md x" },
        { "run --profile --examples x --json", "profile run --examples x --json" },
        { "run --importance", "importance run" },
        { "run --shapley --importance --csv x", "importance run --shapley --csv x" },
        { "run --keep-only L0H0,L1H*", "importance run --keep 'L0H0,L1H*'" },
        { "run --drop L0H0", "importance run --drop L0H0" },
        { "run --importance --task tags --file x", "importance run --task tags --file x" },
        { "run --prune", "prune run" },
        { "run --prune --prune-once --png x", "prune run --once --png x" },
        { "run --prune-by gradient", "prune run --by gradient" },
        { "run --prune-to 3 --out x", "prune run --to 3 --out x" },
        { "run --prune-to 3 --export x", "prune run --to 3 --export x" },
        { "run --treebank x", "grammar run x" },
        { "run --treebank=x --relation det", "grammar run x --relation det" },
        { "run --treebank x --trees --subtypes --punct-and-root --max-pieces 9 --without-null",
          "grammar run x --trees --subtypes --punct-and-root --max-pieces 9 --without-null" },
        { "run --importance --treebank x --json -", "grammar run x --importance --json -" },
        { "run --treebank x --examples y --out z", "grammar run x --examples y --out z" },
        { "run --against other --report", "compare run other --report" },
        { "run --export x --overwrite", "export run x --overwrite" },
        { "map run --head L0H1", "map run L0H1" },
        { "prune run --prune-to 3 --out x", "prune run --to 3 --out x" },
    };
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        hl_heads_command command;
        hl_status status = heads_line(commands[i].before, &command);
        ck_assert_int_eq(status.code, HL_INVALID);
        const char *said = strstr(status.text, " has verbs now: heads ");
        ck_assert_msg(said != NULL, "%s: %s", commands[i].before, status.text);
        ck_assert_str_eq(said + strlen(" has verbs now: heads "), commands[i].now);
        if (strchr(commands[i].now, '\'') == NULL) {
            CHECK_OK(heads_line(commands[i].now, &command));
        }
    }
}

SUITE("the command line of heads")
