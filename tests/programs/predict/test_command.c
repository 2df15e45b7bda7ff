/* The command line of predict: its values, and what does not go together or does not fit the run's task. */
#include "programs/predict/command.h"

#include "tests/check_suite.h"

#include <stdio.h>
#include <string.h>

enum { MOST_WORDS = 16, LINE = 200 };

/* Words parted by blanks; texts in *command stand until the next call. */
static hl_status parse(const char *line, hl_predict_command *command)
{
    static char words[LINE];
    char *argv[MOST_WORDS] = { (char *)"predict" };
    int argc = 1;
    snprintf(words, sizeof words, "%s", line);
    for (char *word = strtok(words, " "); word != NULL; word = strtok(NULL, " ")) {
        ck_assert_int_lt(argc, MOST_WORDS);
        argv[argc++] = word;
    }
    return hl_predict_command_parse(argc, argv, command);
}

TEST(values_are_taken)
{
    hl_predict_command c;
    ck_assert_int_eq(parse("run text.txt --top 3 --json --stride=7 --threads 2", &c).code, HL_OK);
    ck_assert_str_eq(c.run, "run");
    ck_assert_str_eq(c.file, "text.txt");
    ck_assert(c.top == 3 && c.json && c.stride == 7 && c.threads == 2 && !c.tokens && c.score == NULL);
    ck_assert_int_eq(parse("run - --temperature 0.5 --top-k 40 --seed 9 --length 12", &c).code, HL_OK);
    ck_assert_str_eq(c.file, "-");
    ck_assert_double_eq(c.temperature, 0.5);
    ck_assert(c.top_k == 40 && c.seed == 9 && c.length == 12);
    ck_assert_int_eq(parse("run --score dev.txt --json", &c).code, HL_OK);
    ck_assert_str_eq(c.score, "dev.txt");
    ck_assert_int_eq(parse("run --score", &c).code, HL_OK);
    ck_assert_str_eq(c.score, "-");
    ck_assert_int_eq(parse("--help", &c).code, HL_OK);
    ck_assert_int_eq(parse("run a --embed out.npy --stride 3", &c).code, HL_OK);
}

TEST(what_was_not_given_is_as_the_help_says)
{
    hl_predict_command c;
    ck_assert_int_eq(parse("run", &c).code, HL_OK);
    ck_assert_int_eq(hl_predict_command_fit(&c, HL_TEXT_NEXT).code, HL_OK);
    ck_assert_str_eq(c.file, "-");
    ck_assert_double_eq(c.temperature, 0.8);
    ck_assert(c.length == 200 && c.top_k == 0 && c.seed == 1 && c.stride == 0);
    ck_assert_int_eq(parse("run --temperature 0 --seed 0", &c).code, HL_OK);
    ck_assert_int_eq(hl_predict_command_fit(&c, HL_TEXT_NEXT).code, HL_OK);
    ck_assert(c.temperature == 0 && c.seed == 0);
    static const int tops[] = { [HL_TEXT_MASKED] = 5, [HL_TEXT_TAGS] = 1, [HL_TEXT_CLASSES] = 1, [HL_TEXT_FILE] = 1 };
    for (int task = HL_TEXT_MASKED; task <= HL_TEXT_FILE; task++) {
        if (task != HL_TEXT_NEXT) {
            ck_assert_int_eq(parse("run", &c).code, HL_OK);
            ck_assert_int_eq(hl_predict_command_fit(&c, (hl_text_task)task).code, HL_OK);
            ck_assert_int_eq(c.top, tops[task]);
        }
    }
}

TEST(what_is_wrong_is_named)
{
    static const struct {
        const char *line, *part;
    } wrong[] = {
        { "", "no run given, as in: predict runs/text_masked" },
        { "run a b", "b: a run and one file are enough" },
        { "run a --score b", "--score b and a: one file at a time" },
        { "run --score b --tokens", "--score, --tokens and --embed: call predict once for each" },
        { "run --embed a --tokens", "--score, --tokens and --embed" },
        { "run --embed a.npy --json", "--embed writes a file of its own: leave --json out" },
        { "run --embed -", "--embed" },
        { "run --tokens --top 3", "--top does not go with --tokens" },
        { "run --tokens --stride 3", "--stride does not go with --tokens" },
        { "run --embed a --length 3", "--length does not go with --embed" },
        { "run --score a --temperature 0", "--temperature does not go with --score" },
        { "run --temperature warm", "--temperature: \"warm\" is no number in 0 .. 1000" },
        { "run --temperature -1", "--temperature" },
        { "run --temperature nan", "--temperature: \"nan\" is no number" },
        { "run --word-l2r", "--word-l2r says how --score reads a file" },
        { "run --top 0", "--top: \"0\" is no whole number in 1 .. 1048576" },
        { "run --stride 0", "--stride: \"0\" is no whole number in 1" },
        { "run --tpo 3", "did you mean \"--top\"" },
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        hl_predict_command command;
        hl_status status = parse(wrong[i].line, &command);
        ck_assert_msg(status.code == HL_INVALID, "%s: %d", wrong[i].line, status.code);
        ck_assert_msg(strstr(status.text, wrong[i].part) != NULL, "%s: %s", wrong[i].line, status.text);
    }
}

TEST(what_does_not_fit_the_task_is_named)
{
    static const struct {
        const char *line, *option;
        int tasks; /* bits of those that it fits */
    } options[] = {
        { "run --top 3", "top", 1 << HL_TEXT_MASKED | 1 << HL_TEXT_CLASSES | 1 << HL_TEXT_FILE },
        { "run --length 3", "length", 1 << HL_TEXT_NEXT },
        { "run --temperature 0", "temperature", 1 << HL_TEXT_NEXT },
        { "run --top-k 3", "top-k", 1 << HL_TEXT_NEXT },
        { "run --seed 0", "seed", 1 << HL_TEXT_NEXT },
        { "run --stride 3", "stride", ~(1 << HL_TEXT_NEXT) },
        { "run --stride 3 --score a", "stride", ~0 },
        { "run --word-l2r --score a", "word-l2r", 1 << HL_TEXT_MASKED },
        { "run --stride 3 --embed a", "stride", ~0 },
    };
    static const char *const names[] = { "masked", "next", "tags", "classes", "file" };
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        for (int task = HL_TEXT_MASKED; task <= HL_TEXT_FILE; task++) {
            hl_predict_command command;
            char expected[HL_STATUS_TEXT];
            ck_assert_int_eq(parse(options[i].line, &command).code, HL_OK);
            hl_status status = hl_predict_command_fit(&command, (hl_text_task)task);
            snprintf(expected, sizeof expected,
                     "command line: --%s: run was trained for the task %s, which has no use for it", options[i].option,
                     names[task]);
            bool fits = (options[i].tasks >> task & 1) != 0;
            ck_assert_int_eq(status.code, fits ? HL_OK : HL_INVALID);
            ck_assert_str_eq(status.text, fits ? "" : expected);
        }
    }
}

TEST(the_usage_fits_80_columns)
{
    for (const char *line = hl_predict_command_usage; *line != '\0'; line += strcspn(line, "\n") + 1) {
        ck_assert_msg(strcspn(line, "\n") <= 80, "%.100s", line);
    }
}

SUITE("predict_command")
