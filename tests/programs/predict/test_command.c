/* The command line of predict: its values, and what does not go together or does not fit the run's task. */
#include "programs/predict/command.h"

#include "tests/check_suite.h"
#include "tests/messages.h"
#include "tests/programs/command_lines.h"
#include "tests/scratch.h"

#include <string.h>

/* Words parted by blanks; texts in *command stand until the next call. */
static hl_status parse(const char *line, hl_predict_command *command)
{
    command_line words = command_line_of("predict", line);
    return hl_predict_command_parse(words.argc, words.argv, command);
}

TEST(values_are_taken)
{
    hl_predict_command c;
    CHECK_OK(parse("run text.txt --top 3 --json --stride=7 --threads 2", &c));
    ck_assert_str_eq(c.run, "run");
    ck_assert_str_eq(c.file, "text.txt");
    ck_assert(c.top == 3 && c.json && c.stride == 7 && c.threads == 2 && !c.tokens && c.score == NULL);
    CHECK_OK(parse("run - --temperature 0.5 --top-k 40 --seed 9 --length 12", &c));
    ck_assert_str_eq(c.file, "-");
    ck_assert_double_eq(c.temperature, 0.5);
    ck_assert(c.top_k == 40 && c.seed == 9 && c.length == 12);
    CHECK_OK(parse("run --score dev.txt --json", &c));
    ck_assert_str_eq(c.score, "dev.txt");
    CHECK_OK(parse("run --score", &c));
    ck_assert_str_eq(c.score, "-");
    CHECK_OK(parse("--help", &c));
    CHECK_OK(parse("run a --embed out.npy --stride 3", &c));
}

TEST(what_was_not_given_is_as_the_help_says)
{
    hl_predict_command c;
    CHECK_OK(parse("run", &c));
    CHECK_OK(hl_predict_command_fit(&c, HL_TEXT_NEXT));
    ck_assert_str_eq(c.file, "-");
    ck_assert_double_eq(c.temperature, 0.8);
    ck_assert(c.length == 200 && c.top_k == 0 && c.seed == 1 && c.stride == 0);
    CHECK_OK(parse("run --temperature 0 --seed 0", &c));
    CHECK_OK(hl_predict_command_fit(&c, HL_TEXT_NEXT));
    ck_assert(c.temperature == 0 && c.seed == 0);
    static const int tops[] = { [HL_TEXT_MASKED] = 5, [HL_TEXT_TAGS] = 1, [HL_TEXT_CLASSES] = 1, [HL_TEXT_FILE] = 1 };
    for (int task = HL_TEXT_MASKED; task <= HL_TEXT_FILE; task++) {
        if (task != HL_TEXT_NEXT) {
            CHECK_OK(parse("run", &c));
            CHECK_OK(hl_predict_command_fit(&c, (hl_text_task)task));
            ck_assert_int_eq(c.top, tops[task]);
        }
    }
}

TEST(what_is_wrong_is_named)
{
    static const struct {
        const char *line, *message;
    } wrong[] = {
        { "", "predict.no_run_given_as_in_predict" },
        { "run a b", "predict.b_a_run_and_one_file" },
        { "run a --score b", "predict.score_b_and_a_one_file" },
        { "run --score b --tokens", "predict.score_tokens_and_embed_call_predict" },
        { "run --embed a --tokens", "predict.score_tokens_and_embed_call_predict" },
        { "run --embed a.npy --json", "predict.embed_writes_a_file_of_its" },
        { "run --embed -", "predict.embed_writes_a_file_of_its_2" },
        { "run --tokens --top 3", "predict.top_does_not_go_with_tokens" },
        { "run --tokens --stride 3", "predict.stride_does_not_go_with_tokens" },
        { "run --embed a --length 3", "predict.length_does_not_go_with_embed" },
        { "run --score a --temperature 0", "predict.temperature_does_not_go_with_score" },
        { "run --temperature warm", "predict.temperature_warm_is_no_number_in" },
        { "run --temperature -1", "predict.temperature_1_is_no_number_in" },
        { "run --temperature nan", "predict.temperature_nan_is_no_number_in" },
        { "run --word-l2r", "predict.word_l2r_says_how_score_reads" },
        { "run --top 0", "predict.top_0_is_no_whole_number" },
        { "run --stride 0", "predict.stride_0_is_no_whole_number" },
        { "run --tpo 3", "predict.tpo_unknown_option_did_you_mean" },
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        hl_predict_command command;
        message_check(parse(wrong[i].line, &command), HL_INVALID, wrong[i].message);
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
            CHECK_OK(parse(options[i].line, &command));
            hl_status status = hl_predict_command_fit(&command, (hl_text_task)task);
            const char *expected =
                scratch_format("command line: --%s: run was trained for the task %s, which has no use for it",
                               options[i].option, names[task]);
            bool fits = (options[i].tasks >> task & 1) != 0;
            ck_assert_int_eq(status.code, fits ? HL_OK : HL_INVALID);
            ck_assert_str_eq(status.text, fits ? "" : expected);
        }
    }
}

TEST(the_usage_fits_80_columns)
{
    COMMAND_USAGE_CHECK(hl_predict_help_usage, "--top");
}

SUITE("predict_command")
