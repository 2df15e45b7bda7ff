/* Configs and folders of any name: what is written about them can be read again. */
#include "programs/heads/program.h"
#include "tests/check_suite.h"
#include "tests/runs/sweeps.h"
#include "tests/scratch.h"
#include "train/ini.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static const char *const names[] = {
    "a b", "it's \"a\", b=c", "a#b;c", "two\nlines", "\xc3\xbc\xe2\x82\xac", "\xff\xfe", " a\t", "\"", "<b>&amp;`\\",
};

/* Calls a program's function in the folder `here`; its exit code must be 0. */
static run_result run_in(const char *here, int (*program)(int, char **, FILE *, FILE *), const char *const *arguments)
{
    run_result run = OK(run_with((run_options){ .arguments = arguments, .program = program, .folder = here }));
    ck_assert_str_eq(run.err, "");
    return run;
}
#define IN(here, program, ...) run_in(here, program, (const char *const[]){ __VA_ARGS__, NULL })

/* Every line of the file is text. */
static void expect_text(const char *folder, const char *name)
{
    const char *line = run_read(run_file(folder, name));
    ck_assert_msg(*line != '\0', "%s/%s", folder, name);
    for (; *line != '\0'; line += strcspn(line, "\n") + 1) {
        char wrong[HL_INI_WRONG_TEXT];
        ck_assert_msg(hl_ini_bytes_allowed(line, strcspn(line, "\n"), wrong), "%s/%s: %s", folder, name, wrong);
    }
}

/* Begun under a name, from a config of that name, a run is gone on with by its own config.ini. */
static void expect_a_run(const char *straight, const char *here, const char *folder, const char *const *arguments)
{
    run_in(here, NULL, arguments);
    run_assert_same(straight, run_file(here, folder));
    expect_text(run_file(here, folder), "config.ini");
    run_result again = IN(here, NULL, "--resume", "--", run_file(folder, "config.ini"));
    ck_assert_ptr_nonnull(strstr(again.out, "finished at step 24 already"));
}

static void expect_its_heads(const char *here, const char *folder)
{
    const char *run = run_file(here, folder);
    IN(here, hl_heads_program, "--", folder);
    expect_text(run, "report.html");
    run_assert_same_file(run, run_path("straight"), "heads.csv");
    IN(here, hl_heads_program, "map", "--svg", "heads.svg", "--", folder);
    expect_text(here, "heads.svg");
    IN(here, hl_heads_program, "compare", "--", folder, run_path("straight"));
    expect_text(run, "against-straight.html");
    IN(here, hl_heads_program, "compare", "--report", "page.html", "--", run_path("straight"), folder);
    expect_text(here, "page.html");
}

static void expect_a_sweep(const char *here, const char *config, const char *folder)
{
    const char *plain = run_path("sweep"), *found = run_file(here, folder);
    const char *arguments[] = { "--heads", "1", "--seeds", "1", "--out", folder, "--", config, NULL };
    run_in(here, sweep_program, arguments);
    ck_assert_str_eq(sweep_untimed(plain), sweep_untimed(found));
    run_assert_same(run_path("straight"), run_file(found, "heads=2,seed=1"));
    static const char *const texts[] = { "ablation.csv", "ablation.md", "ablation.html", "ablation.svg", "plan.txt" };
    for (int i = 0; i < 5; i++) {
        expect_text(found, texts[i]);
    }
    ck_assert_ptr_nonnull(strstr(run_in(here, sweep_program, arguments).out, "2 of 2 trainings are done already\n"));
}

LOOP_TEST(runs_and_configs_may_have_any_name, 0, sizeof names / sizeof *names)
{
    const char *straight = run_path("straight"), *here = run_path("here"), *content = run_read(run_tiny_config());
    EXPECT_RUN(0, run_path("tiny.ini"), "--out", straight);
    OK(ABLATE(run_path("tiny.ini"), "--heads", "1", "--seeds", "1", "--out", run_path("sweep")));
    ck_assert_int_eq(mkdir(here, 0777), 0);
    char sweep[64];
    const char *config = scratch_format("%s.ini", names[_i]);
    const char *named = scratch_format("runs/%s", names[_i]);
    snprintf(sweep, sizeof sweep, "%s sweep", names[_i]);
    scratch_write(run_file(here, config), content, strlen(content));
    expect_a_run(straight, here, named, (const char *[]){ "--", config, NULL });
    expect_a_run(straight, here, names[_i], (const char *[]){ "--out", names[_i], "--", config, NULL });
    expect_its_heads(here, names[_i]);
    expect_a_sweep(here, config, sweep);
}

SUITE("paths")
