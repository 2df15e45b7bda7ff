/* Standard output and standard error that are closed, broken or full. */
#include "tests/check_suite.h"
#include "tests/runs/sweeps.h"
#include "tests/sanitized.h"
#include "tests/scratch.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

TEST(without_standard_streams_it_runs_to_the_end)
{
    const char *config = run_tiny_config(), *straight = TINY_RUN("straight"), *folder = run_path("run");
    const char *arguments[] = { config, "--out", folder, NULL };
    pid_t process = run_start((run_options){ .arguments = arguments, .built = true, .no_streams = true });
    OK(run_wait(process));
    run_assert_same(straight, folder);
    ck_assert_str_eq(run_read(run_file(folder, ".lock")), "");
}

enum { SIGPIPE_CODE = 128 + 13 };

/* Where standard output and standard error go. A pipe's reader is gone before the first byte. Exit codes of what is
 * asked for its output alone, and of what leaves files: these are complete in any case. */
static const struct {
    const char *where, *pipe;
    int of_output, of_files;
} streams[] = {
    { "2> /dev/null", "| true", SIGPIPE_CODE, 0 },
    { "> /dev/full 2> /dev/null", "", 3, 3 },
    { ">&- 2> /dev/null", "", 3, 0 },
    { "2>&1 > /dev/null", "| true", 0, 0 },
    { "> /dev/null 2> /dev/full", "", 0, 0 },
    { "> /dev/full 2>&1", "", 3, 3 },
    { ">&- 2>&-", "", 3, 0 },
    { "2>&1", "| true", SIGPIPE_CODE, 0 },
};
enum { N_STREAMS = sizeof streams / sizeof *streams, FEW_STREAMS = 4 };

/* The exit code of the program with these arguments, as the shell reads them: its streams go `where`, and what is left
 * `into` a pipe or a file, unless that is "". */
static int code_of(const char *program, const char *arguments, const char *where, const char *into)
{
    const char *code = run_path("code");
    unlink(code); /* that of the call before */
    const char *command = scratch_format("{ %s'%s' %s %s; echo $? > '%s'; } %s", *into == '|' ? "sleep 0.05; " : "",
                                         program, arguments, where, code, into);
    ck_assert_int_ne(system(command), -1);
    return atoi(run_read(code));
}

static int code_with(int s, const char *program, const char *arguments)
{
    return code_of(program, arguments, streams[s].where, streams[s].pipe);
}

TEST(a_run_and_a_sweep_outlive_their_output)
{
    const char *config = run_tiny_config(), *straight = TINY_RUN("straight"), *sweep = run_path("straight sweep");
    char arguments[2048];
    OK(ABLATE(config, "--heads", "1", "--seeds", "1", "--out", sweep));
    for (int s = 0; s < N_STREAMS; s++) {
        const char *folder = run_path("run"), *cells = run_path("sweep");
        snprintf(arguments, sizeof arguments, "'%s' --overwrite --out '%s'", config, folder);
        ck_assert_int_eq(code_with(s, HL_TRAIN_PROGRAM, arguments), streams[s].of_files);
        run_assert_same(straight, folder);
        run_assert_same_file(straight, folder, "heads.csv");
        snprintf(arguments, sizeof arguments, "'%s' --heads 1 --seeds 1 --overwrite --out '%s'", config, cells);
        ck_assert_int_eq(code_with(s, HL_ABLATE_PROGRAM, arguments), streams[s].of_files);
        ck_assert_str_eq(sweep_untimed(sweep), sweep_untimed(cells));
        ck_assert_str_eq(run_list(sweep), run_list(cells));
        run_assert_same(run_file(sweep, "heads=1,seed=1"), run_file(cells, "heads=1,seed=1"));
        scratch_remove(folder);
        scratch_remove(cells);
    }
}

/* Whatever becomes of what it says, it ends as it would. */
TEST(failures_have_their_exit_codes_all_the_same)
{
    static const char *const programs[] = { HL_TRAIN_PROGRAM, HL_ABLATE_PROGRAM, HL_HEADS_PROGRAM };
    const char *arguments = scratch_format("'%s'", run_path("missing"));
    for (int s = 0; s < N_STREAMS; s++) {
        for (int p = 0; p < 3; p++) {
            ck_assert_int_eq(code_with(s, programs[p], "--hlep"), 2);
            ck_assert_int_eq(code_with(s, programs[p], arguments), p < 2 ? 2 : 3);
        }
    }
}

TEST(what_is_asked_for_its_output_fails_without_it)
{
    const char *config = run_tiny_config(), *folder = TINY_RUN("run");
    const struct {
        const char *program, *subject, *mode;
    } asked[] = {
        { HL_TRAIN_PROGRAM, config, "--help" },     { HL_TRAIN_PROGRAM, config, "--reference" },
        { HL_TRAIN_PROGRAM, config, "--version" },  { HL_TRAIN_PROGRAM, config, "--summary" },
        { HL_TRAIN_PROGRAM, config, "--check" },    { HL_ABLATE_PROGRAM, config, "--help" },
        { HL_ABLATE_PROGRAM, config, "--version" }, { HL_HEADS_PROGRAM, folder, "" },
        { HL_HEADS_PROGRAM, folder, "--wide" },     { HL_HEADS_PROGRAM, folder, "--csv -" },
        { HL_HEADS_PROGRAM, folder, "--help" },
    };
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
        const char *arguments = scratch_format("'%s' %s", asked[i].subject, asked[i].mode);
        for (int s = 0; s < FEW_STREAMS; s++) {
            int code = code_with(s, asked[i].program, arguments);
            ck_assert_msg(code == streams[s].of_output, "%s %s %s: exit code %d", arguments, streams[s].where,
                          streams[s].pipe, code);
        }
    }
}

/* What a program with its output at `where` says on standard error. */
static const char *told(const char *program, const char *subject, const char *mode, const char *where)
{
    const char *err = run_path("err");
    code_of(program, scratch_format("'%s' %s", subject, mode), scratch_format("2> '%s'", err), where);
    return run_read(err);
}

/* The reason stands in the line where the last of the output met it, and never another. */
TEST(output_that_fails_is_told_in_a_line_but_a_reader_may_go)
{
    const char *config = run_tiny_config(), *folder = TINY_RUN("run");
    const struct {
        const char *program, *subject, *mode, *after;
    } asked[] = { { HL_TRAIN_PROGRAM, config, "--help", "" },
                  { HL_TRAIN_PROGRAM, config, "--version", "" },
                  { HL_ABLATE_PROGRAM, config, "--help", "" },
                  { HL_HEADS_PROGRAM, folder, "--help", "" },
                  { HL_HEADS_PROGRAM, folder, "--json -", "" },
                  { HL_HEADS_PROGRAM, folder, "--report -", "" },
                  { HL_TRAIN_PROGRAM, config, "--overwrite --out \"$INTO\"", "; all else is done" },
                  { HL_ABLATE_PROGRAM, config, "--heads 1 --seeds 1 --out \"$INTO-sweep\"", "; all else is done" } };
    ck_assert_int_eq(setenv("INTO", run_path("another"), 1), 0);
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
        static const char lost[] = "standard output: cannot write", reason[] = ": No space left on device";
        const char *with = scratch_format("%s%s%s\n", lost, reason, asked[i].after);
        const char *without = scratch_format("%s%s\n", lost, asked[i].after);
        const char *line = told(asked[i].program, asked[i].subject, asked[i].mode, "> /dev/full");
        ck_assert_msg(strcmp(line, with) == 0 || strcmp(line, without) == 0, "%s: %s", asked[i].mode, line);
        ck_assert_str_eq(told(asked[i].program, asked[i].subject, asked[i].mode, "| true"), "");
    }
    ck_assert_ptr_nonnull(strstr(told(HL_TRAIN_PROGRAM, config, "--version", "> /dev/full"), "No space left"));
}

/* OpenBLAS would look for room for ever, before any code of ours runs. */
TEST(little_address_space_is_refused_before_it_is_looked_for)
{
    if (SANITIZED) {
        return;
    }
    static const char *const programs[] = { HL_TRAIN_PROGRAM, HL_ABLATE_PROGRAM, HL_HEADS_PROGRAM };
    for (int i = 0; i < 3; i++) {
        const char *told = run_path("told");
        char command[4096];
        int n = snprintf(command, sizeof command, "ulimit -v 200000; '%s' --version > '%s' 2>&1", programs[i], told);
        ck_assert_int_lt(n, (int)sizeof command);
        int status = system(command);
        ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 5);
        ck_assert_str_eq(run_read(told), "out of memory: less than 257 MiB of address space are free, which OpenBLAS "
                                         "takes; allow more (ulimit -v)\n");
    }
}

SUITE("output")
