#include "programs/bench/command.h"
#include "tests/check_suite.h"
#include "tests/messages.h"
#include "tests/programs/bench/test_bench.h"
#include "tests/programs/command_lines.h"

static hl_status parse(const char *line, hl_bench_command *command)
{
    command_line words = command_line_of("bench", line);
    return hl_bench_command_parse(words.argc, words.argv, command);
}

TEST(configs_overrides_and_options_may_stand_anywhere)
{
    hl_bench_command command;
    CHECK_OK(parse("a.ini --threads 3 model.heads=2 --seconds=0.5 b=c.ini --profile --json -", &command));
    ck_assert_int_eq(command.n_configs, 2);
    ck_assert_str_eq(command.configs[0], "a.ini");
    ck_assert_str_eq(command.configs[1], "b=c.ini");
    ck_assert_int_eq(command.job.config.n_overrides, 1);
    ck_assert_str_eq(command.job.config.overrides[0], "model.heads=2");
    ck_assert_int_eq(command.job.threads, 3);
    ck_assert_double_eq(command.job.seconds, 0.5);
    ck_assert_str_eq(command.json, "-");
    ck_assert(command.job.profile && !command.scaling && !command.heads && !command.measure);
}

TEST(what_is_not_said_has_a_default)
{
    hl_bench_command command;
    CHECK_OK(parse("", &command));
    ck_assert_int_eq(command.n_configs, 0);
    ck_assert_int_eq(command.job.threads, 0);
    ck_assert_double_eq(command.job.seconds, 4);
    ck_assert_ptr_null(command.json);
    CHECK_OK(parse("--scaling", &command));
    ck_assert(command.scaling);
    ck_assert_double_eq(command.job.seconds, 1);
    CHECK_OK(parse("--heads x.ini", &command));
    ck_assert(command.heads);
    ck_assert_double_eq(command.job.seconds, 1);
    CHECK_OK(parse("--cluster x.ini", &command));
    ck_assert(command.cluster);
    ck_assert_double_eq(command.job.seconds, 1);
    ck_assert_int_eq(parse("--cluster --heads x.ini", &command).code, HL_INVALID);
    ck_assert_int_eq(parse("--cluster x.ini --profile", &command).code, HL_INVALID);
    CHECK_OK(parse("--measure loop x.ini", &command));
    ck_assert(command.measure && command.job.what == HL_BENCH_LOOP);
    CHECK_OK(parse("--measure step x.ini --profile", &command));
    char many[HL_MAX_OVERRIDES * sizeof "model.heads=2 " + sizeof "--measure step x.ini train.seed=1"] = "";
    for (int i = 0; i < HL_MAX_OVERRIDES; i++) {
        strcat(many, "model.heads=2 ");
    }
    strcat(many, "--measure step x.ini train.seed=1"); /* the last is of the bench that asks */
    CHECK_OK(parse(many, &command));
    CHECK_OK(parse("--measure sgemm --threads 2", &command));
    ck_assert(command.measure && command.job.what == HL_BENCH_SGEMM);
    CHECK_OK(parse("--seconds 9 -- --odd.ini", &command));
    ck_assert_str_eq(command.configs[0], "--odd.ini");
}

TEST(what_is_wrong_is_named_with_the_remedy)
{
    static const struct {
        const char *line, *message;
    } wrong[] = {
        { "--nope", "train.nope_unknown_option_see_help" },
        { "--scalng", "bench.scalng_unknown_option_did_you_mean" },
        { "--thread=2", "bench.thread_2_unknown_option_did_you" },
        { "-p", "bench.p_unknown_option_see_help" },
        { "--profile=1", "bench.profile_1_takes_no_value_see" },
        { "--json", "bench.json_needs_a_value_see_help" },
        { "--threads 0", "bench.threads_0_is_no_whole_number" },
        { "--threads 65", "bench.threads_65_is_no_whole_number" },
        { "--threads 2x", "bench.threads_2x_is_no_whole_number" },
        { "--seconds nan", "bench.seconds_nan_is_no_number_in" },
        { "--seconds 0", "bench.seconds_0_is_no_number_in" },
        { "--seconds 1e9", "bench.seconds_1e9_is_no_number_in" },
        { "--measure all", "bench.measure_all_is_none_of_step" },
        { "--measure step", "bench.no_config_given_to_measure" },
        { "--measure sgemm a.ini", "bench.a_ini_measure_sgemm_takes_no" },
        { "--measure sgemm model.heads=2", "bench.model_heads_2_measure_sgemm_takes" },
        { "--measure sgemm --profile", "bench.profile_is_for_training_steps_leave_2" },
        { "--measure loop a.ini --profile", "bench.profile_is_for_training_steps_leave" },
        { "--scaling --heads", "bench.scaling_heads_cluster_and_measure_exclude" },
        { "--scaling a.ini b.ini", "bench.b_ini_one_config_is_enough" },
        { "--heads --json x", "bench.json_is_for_workloads_leave_it" },
        { "--scaling --profile", "bench.profile_is_for_workloads_leave_it" },
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        hl_bench_command command;
        message_check(parse(wrong[i].line, &command), HL_INVALID, wrong[i].message);
    }
}

/* Whatever else is said. */
TEST(help_and_version_are_given)
{
    static const char *const lines[] = { "--help --scaling --heads", "--measure step --help",
                                         "--version --heads --json x" };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        hl_bench_command command;
        CHECK_OK(parse(lines[i], &command));
        ck_assert(command.help != command.version);
    }
}

TEST(too_many_words_are_refused)
{
    char line[2048] = "";
    for (int i = 0; i <= HL_MAX_OVERRIDES; i++) {
        strcat(line, "model.heads=2 ");
    }
    hl_bench_command command;
    ck_assert_str_eq(parse(line, &command).text, "command line: more than 64 overrides");
    line[0] = '\0';
    for (int i = 0; i <= HL_BENCH_MAX_CONFIGS; i++) {
        strcat(line, "x.ini ");
    }
    ck_assert_str_eq(parse(line, &command).text, "command line: more than 64 configs");
}

TEST(a_wrong_command_ends_the_program_with_2)
{
    REFUSED_SAYING(BENCH_NOTHING("--profil"), 2,
                   "command line: --profil: unknown option (did you mean \"--profile\"?); see --help\n");
}

TEST(help_and_version_need_nothing)
{
    run_result result = BENCH_NOTHING("--help");
    ck_assert_int_eq(result.code, 0);
    ck_assert_str_eq(result.err, "");
    ck_assert_int_eq(strncmp(result.out, "usage: bench [CONFIG ...] ", 26), 0);
    COMMAND_USAGE_CHECK(result.out, "--json");
    result = OK(BENCH_NOTHING("--version"));
    ck_assert_int_eq(strncmp(result.out, "headlight ", 10), 0);
}

SUITE("bench command")
