#include "tests/runs/told_memory.h"

#include "programs/heads/memory.h"
#include "programs/heads/treebank.h"
#include "programs/heads/verb.h"
#include "tests/check_suite.h"
#include "tests/runs/runs.h"
#include "tests/sanitized.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Within 5% and 8 MiB. */
static void expect_told(size_t bytes, run_result run)
{
    ck_assert_msg(run.code == 0, "exit code %d: %s", run.code, run.err);
    double told = (double)bytes / (1 << 20);
    ck_assert_msg(fabs(run.mib - told) <= 0.05 * told + 8, "%g MiB taken, %g told", run.mib, told);
}

static double train(const char *path, const char *folder, const char *steps, const char *mode)
{
    run_result summary = RUN_BUILT(path, steps, "--summary", "--json");
    const char *key = "\"total\": ", *total = strstr(summary.out, key);
    ck_assert_msg(total != NULL, "%s", summary.err);
    size_t told = strtoull(total + strlen(key), NULL, 10);
    run_result run = RUN_BUILT(path, "--out", folder, "--quiet", steps, mode);
    expect_told(told, run);
    return run.mib;
}

void told_memory_check(const char *name)
{
    if (!SANITIZED) { /* which takes memory of its own */
        train(run_shipped_config(name), run_path("run"), "train.steps=2", NULL);
    }
}

const char *told_memory_check_resumed(const char *text, double most)
{
    if (SANITIZED) {
        return NULL;
    }
    const char *path = run_config("resumed.ini", text), *folder = run_path("run");
    double mib = train(path, folder, "train.steps=1", NULL), resumed = train(path, folder, "train.steps=2", "--resume");
    ck_assert_msg(mib <= most && resumed <= most, "%g MiB taken, resumed %g", mib, resumed);
    return folder;
}

/* heads VERB FOLDER and up to four words. */
static void look_at(const char *verb, const char *folder, const char *option, const char *value, const char *then,
                    const char *path)
{
    const char *arguments[] = { verb, folder, option, value, then, path, NULL };
    char *argv[sizeof arguments / sizeof *arguments + 1] = { (char *)(size_t) "heads" };
    int argc = 1;
    for (; arguments[argc - 1] != NULL; argc++) {
        argv[argc] = (char *)(size_t)arguments[argc - 1];
    }
    hl_heads_command command;
    hl_opened_model run;
    hl_heads_need need;
    CHECK_OK(hl_heads_command_parse(argc, argv, &command));
    CHECK_OK(hl_opened_model_open(&run, folder));
    hl_status status = command.verb == &hl_heads_verb_compare ? hl_heads_memory_of_two(&run, &run, &need)
                                                              : hl_heads_memory(&run, &command, &need);
    CHECK_OK(status);
    hl_opened_model_close(&run);
    run_options options = { .arguments = arguments, .built = true, .built_program = HL_HEADS_PROGRAM };
    expect_told(need.bytes, run_with(options));
}

static void look(const char *verb, const char *folder, const char *option, const char *value)
{
    look_at(verb, folder, option, value, NULL, NULL);
}

void told_memory_check_heads(const char *folder)
{
    if (folder == NULL) {
        return;
    }
    look("table", folder, NULL, NULL);
    look("map", folder, "L0H0", NULL);
    look("map", folder, "--npz", run_path("x.npz"));
    look("map", folder, "--bertviz", run_path("x.json"));
    look("importance", folder, NULL, NULL);
    look("importance", folder, "--keep", "L0H0");
    look("prune", folder, "--once", NULL);
    look("writes", folder, NULL, NULL);
    look("profile", folder, "--norms", NULL);
    look("map", folder, "--norms", NULL);
    look("compare", folder, folder, NULL);
}

void told_memory_check_figures(const char *text)
{
    if (SANITIZED) {
        return;
    }
    const char *folder = run_path("run");
    EXPECT_RUN(0, run_config("figures.ini", text), "--out", folder, "--quiet");
    look("map", folder, "--png", run_path("x.png"));
    look("map", folder, "--svg", run_path("x.svg"));
    look("map", folder, "--pdf", run_path("x.pdf"));
    look_at("map", folder, "--input", "a b c", "--png", run_path("x.png"));
    look_at("table", folder, "--step", "0", "--csv", run_path("x.csv"));
    look_at("compare", folder, folder, "--report", run_path("x.html"), NULL);
}

void told_memory_check_maps(const char *text)
{
    if (SANITIZED) {
        return;
    }
    const char *folder = run_path("run");
    EXPECT_RUN(0, run_config("maps.ini", text), "--out", folder, "--quiet");
    char input[2 * 200 + 1] = "";
    for (size_t i = 0; i + 2 < sizeof input; i += 2) {
        memcpy(input + i, "a ", sizeof "a ");
    }
    look("table", folder, NULL, NULL);
    look_at("map", folder, "--example", "0", "--json", run_path("x.json"));
    look_at("map", folder, "--example", "0", "--csv", run_path("x.csv"));
    look_at("map", folder, "--input", input, "--json", run_path("x.json"));
    look_at("map", folder, "--input", input, "--npz", run_path("x.npz"));
    look_at("rollout", folder, "--input", input, "--json", run_path("x.json"));
}

/* Sentences of 40 words, each below the one before. */
static const char *bank_of(int sentences)
{
    enum { WORDS = 40 };
    FILE *file = fopen(run_path("bank.conllu"), "w");
    ck_assert_ptr_nonnull(file);
    for (int i = 0; i < sentences * WORDS; i++) {
        fprintf(file, "%d\tcat\t_\t_\t_\t_\t%d\tdep\t_\t_\n%s", i % WORDS + 1, i % WORDS,
                i % WORDS == WORDS - 1 ? "\n" : "");
    }
    fclose(file);
    return run_path("bank.conllu");
}

double told_memory_check_treebank(const char *folder, int sentences, const char *option, const char *value)
{
    if (SANITIZED) {
        return 0;
    }
    const char *arguments[] = { "grammar", folder, bank_of(sentences), option, value, NULL };
    char *argv[sizeof arguments / sizeof *arguments] = { (char *)(size_t) "heads" };
    memcpy(argv + 1, arguments, sizeof arguments - sizeof *arguments);
    hl_heads_command command;
    hl_opened_model model;
    hl_syntax_study study;
    hl_heads_need need;
    CHECK_OK(hl_heads_command_parse(value != NULL ? 6 : 5, argv, &command));
    CHECK_OK(hl_opened_model_open(&model, folder));
    hl_syntax_question question = hl_heads_treebank_question(&command, NULL);
    question.progress = NULL;
    question.null = question.null && !command.importance;
    CHECK_OK(hl_syntax_study_read(&study, &model, &question));
    CHECK_OK(hl_heads_memory_of_treebank(&study, &question, &command, &need));
    hl_syntax_study_free(&study);
    hl_opened_model_close(&model);
    run_options options = { .arguments = arguments, .built = true, .built_program = HL_HEADS_PROGRAM };
    run_result run = run_with(options);
    expect_told(need.bytes, run);
    return run.mib;
}
