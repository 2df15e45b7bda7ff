#include "programs/bench/command.h"
#include "tests/check_suite.h"
#include "tests/programs/bench/test_bench.h"

enum { MOST_WORDS = 80 };

static hl_status parse(const char *line, hl_bench_command *command)
{
    static char copy[2048];
    char *argv[MOST_WORDS + 1] = { (char *)(size_t) "bench" };
    int argc = 1;
    snprintf(copy, sizeof copy, "%s", line);
    for (char *word = strtok(copy, " "); word != NULL; word = strtok(NULL, " ")) {
        ck_assert_int_lt(argc, MOST_WORDS);
        argv[argc++] = word;
    }
    return hl_bench_command_parse(argc, argv, command);
}

TEST(configs_overrides_and_options_may_stand_anywhere)
{
    hl_bench_command command;
    ck_assert_int_eq(parse("a.ini --threads 3 model.heads=2 --seconds=0.5 b=c.ini --profile --json -", &command).code,
                     HL_OK);
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
    ck_assert_int_eq(parse("", &command).code, HL_OK);
    ck_assert_int_eq(command.n_configs, 0);
    ck_assert_int_eq(command.job.threads, 0);
    ck_assert_double_eq(command.job.seconds, 4);
    ck_assert_ptr_null(command.json);
    ck_assert_int_eq(parse("--scaling", &command).code, HL_OK);
    ck_assert(command.scaling);
    ck_assert_double_eq(command.job.seconds, 1);
    ck_assert_int_eq(parse("--heads x.ini", &command).code, HL_OK);
    ck_assert(command.heads);
    ck_assert_double_eq(command.job.seconds, 1);
    ck_assert_int_eq(parse("--cluster x.ini", &command).code, HL_OK);
    ck_assert(command.cluster);
    ck_assert_double_eq(command.job.seconds, 1);
    ck_assert_int_eq(parse("--cluster --heads x.ini", &command).code, HL_INVALID);
    ck_assert_int_eq(parse("--cluster x.ini --profile", &command).code, HL_INVALID);
    ck_assert_int_eq(parse("--measure loop x.ini", &command).code, HL_OK);
    ck_assert(command.measure && command.job.what == HL_BENCH_LOOP);
    ck_assert_int_eq(parse("--measure step x.ini --profile", &command).code, HL_OK);
    ck_assert_int_eq(parse("--measure sgemm --threads 2", &command).code, HL_OK);
    ck_assert(command.measure && command.job.what == HL_BENCH_SGEMM);
    ck_assert_int_eq(parse("--seconds 9 -- --odd.ini", &command).code, HL_OK);
    ck_assert_str_eq(command.configs[0], "--odd.ini");
}

TEST(what_is_wrong_is_named_with_the_remedy)
{
    static const struct {
        const char *line, *text;
    } wrong[] = {
        { "--nope", "command line: --nope: unknown option; see --help" },
        { "--scalng", "command line: --scalng: unknown option (did you mean \"--scaling\"?); see --help" },
        { "--thread=2", "command line: --thread=2: unknown option (did you mean \"--threads\"?); see --help" },
        { "-p", "command line: -p: unknown option; see --help" },
        { "--profile=1", "command line: --profile=1: takes no value; see --help" },
        { "--json", "command line: --json: needs a value; see --help" },
        { "--threads 0", "command line: --threads: \"0\" is no whole number in 1 .. 64" },
        { "--threads 65", "command line: --threads: \"65\" is no whole number in 1 .. 64" },
        { "--threads 2x", "command line: --threads: \"2x\" is no whole number in 1 .. 64" },
        { "--seconds nan", "command line: --seconds: \"nan\" is no number in 0.001 .. 3600" },
        { "--seconds 0", "command line: --seconds: \"0\" is no number in 0.001 .. 3600" },
        { "--seconds 1e9", "command line: --seconds: \"1e9\" is no number in 0.001 .. 3600" },
        { "--measure all", "command line: --measure: \"all\" is none of step, heads, loop, sgemm" },
        { "--measure step", "command line: no config given to --measure" },
        { "--measure sgemm a.ini", "command line: a.ini: --measure sgemm takes no config and no override" },
        { "--measure sgemm model.heads=2",
          "command line: model.heads=2: --measure sgemm takes no config and no override" },
        { "--measure sgemm --profile",
          "command line: --profile is for training steps; leave it out with --measure sgemm" },
        { "--measure loop a.ini --profile",
          "command line: --profile is for training steps; leave it out with --measure loop" },
        { "--scaling --heads", "command line: --scaling, --heads, --cluster and --measure exclude each other" },
        { "--scaling a.ini b.ini", "command line: b.ini: one config is enough with --scaling" },
        { "--heads --json x", "command line: --json is for workloads; leave it out with --heads" },
        { "--scaling --profile", "command line: --profile is for workloads; leave it out with --scaling" },
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        hl_bench_command command;
        hl_status status = parse(wrong[i].line, &command);
        ck_assert_int_eq(status.code, HL_INVALID);
        ck_assert_str_eq(status.text, wrong[i].text);
    }
}

/* Whatever else is said. */
TEST(help_and_version_are_given)
{
    static const char *const lines[] = { "--help --scaling --heads", "--measure step --help",
                                         "--version --heads --json x" };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        hl_bench_command command;
        ck_assert_int_eq(parse(lines[i], &command).code, HL_OK);
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
    bench_result result = BENCH_NOTHING("--profil");
    ck_assert_int_eq(result.code, 2);
    ck_assert_str_eq(result.out, "");
    ck_assert_str_eq(result.err, "command line: --profil: unknown option (did you mean \"--profile\"?); see --help\n");
}

TEST(help_and_version_need_nothing)
{
    bench_result result = BENCH_NOTHING("--help");
    ck_assert_int_eq(result.code, 0);
    ck_assert_str_eq(result.err, "");
    ck_assert_int_eq(strncmp(result.out, "usage: bench [CONFIG ...] ", 26), 0);
    for (const char *line = result.out; *line != '\0'; line += strcspn(line, "\n") + 1) {
        ck_assert_uint_le(strcspn(line, "\n"), 80);
    }
    result = BENCH_NOTHING("--version");
    ck_assert_int_eq(result.code, 0);
    ck_assert_int_eq(strncmp(result.out, "headlight ", 10), 0);
}

SUITE("bench command")
