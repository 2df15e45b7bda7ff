/* Sweeps and resumed runs that begin with an open model. */
#include "tests/check_suite.h"
#include "tests/data/text_files.h"
#include "tests/pretrained/tiny.h"
#include "tests/runs/sweeps.h"
#include "tests/scratch.h"

#include <string.h>

static const char *tiny(const char *name)
{
    return run_kept(tiny_folder(name));
}

static const char *config(void)
{
    char text[2048];
    snprintf(text, sizeof text,
             "[task]\nname = masked\nfile = %s\nvalidation_share = 0.3\n[optimizer]\nlearning_rate = 0.01\n"
             "[train]\nsteps = 3\nbatch_size = 4\nthreads = 1\n[patterns]\nexamples = 1\n",
             text_file("lines.txt",
                       "the cat sat\na dog barked\nit sat on a mat\nwho saw it\nthe dog sat\na cat saw it\n"
                       "the mat sat\na dog saw a cat\nit barked\n"));
    return run_config("masked.ini", text);
}

/* "validation,<loss>" of step 0. */
static const char *first_loss(const char *folder)
{
    const char *row = strstr(run_read(run_file(folder, "metrics.csv")), "\n0,validation,");
    ck_assert_msg(row != NULL, "%s has no metrics.csv", folder);
    char text[64];
    snprintf(text, sizeof text, "%.*s", (int)strcspn(row + 1, ".") + 8, row + 1);
    return run_kept(text);
}

START_TEST(every_training_of_a_sweep_begins_with_the_folder)
{
    const char *ini = config(), *folder = tiny("bert_masked"), *sweep = run_path("sweep"), *alone = run_path("alone");
    const char *axis = "optimizer.learning_rate=0.01,0.001";
    run_result run = ABLATE(ini, "--from", folder, "--vary", axis, "--seeds", "1", "--out", sweep);
    ck_assert_msg(run.code == 0, "%s%s", run.out, run.err);
    EXPECT_RUN(0, ini, "--from", folder, "--out", alone, "--quiet");
    const char *base = run_file(sweep, "learning_rate=0.01,seed=1"),
               *other = run_file(sweep, "learning_rate=0.001,seed=1");
    run_assert_same_file(alone, base, "model.safetensors");
    ck_assert_str_eq(first_loss(base), first_loss(other));
    ck_assert_ptr_nonnull(strstr(run_read(run_file(sweep, "plan.txt")), "\nfrom = "));
    run = ABLATE(ini, "--from", folder, "--vary", axis, "--seeds", "1", "--out", sweep);
    ck_assert_msg(run.code == 0 && strstr(run.out, "2 of 2 trainings are done already") != NULL, "%s", run.err);
    run = ABLATE(ini, "--from", tiny("bert_untied"), "--vary", axis, "--seeds", "1", "--out", sweep);
    ck_assert_msg(run.code == 2 && strstr(run.err, "this folder holds another sweep") != NULL, "%s", run.err);
}
END_TEST

START_TEST(what_the_weights_are_shaped_by_cannot_vary)
{
    const char *ini = config(), *folder = tiny("bert_masked"), *out = run_path("sweep");
    const struct {
        const char *option, *values, *told;
    } wrong[] = {
        { "--heads", "1,2", "model.heads: 1, and the model of " },
        { "--vary", "model.layers=1", "model.layers: 1, and the model of " },
        { "--positions", "none", "has learned: leave it out (with --from nothing varies that" },
        { "--vary", "tokens.size=10", "tokens.size: the tokens are those of " },
        { "--vary", "optimizer.learning_rate=fast", "optimizer.learning_rate: " },
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        run_result run = ABLATE(ini, "--from", folder, wrong[i].option, wrong[i].values, "--out", out);
        ck_assert_msg(run.code == 2 && strstr(run.err, wrong[i].told) != NULL, "%d: %s", run.code, run.err);
        ck_assert_int_eq(strstr(run.err, "with --from nothing varies") != NULL, i < 3);
    }
    run_result run = ABLATE(ini, "--from", ini, "--heads", "3", "--out", out);
    ck_assert_msg(run.code == 2 && strstr(run.err, "is no folder of an open model") != NULL, "%s", run.err);
    run = ABLATE(ini, "--from", tiny("bert_bare"), "--vary", "train.batch_size=2", "--out", out);
    ck_assert_msg(run.code == 2 && strstr(run.err, "56 rows of embeddings") != NULL, "%s", run.err);
    ck_assert(!scratch_exists(run_file(out, "plan.txt")));
}
END_TEST

/* A run that was ended before its first checkpoint begins with the folder again. */
START_TEST(resuming_without_a_checkpoint_begins_with_the_folder)
{
    const char *ini = config(), *folder = tiny("bert_masked"), *whole = run_path("whole"), *begun = run_path("begun");
    EXPECT_RUN(0, ini, "--from", folder, "--out", whole, "--quiet");
    run_result run = RUN(ini, "--from", folder, "--out", begun, "--resume");
    ck_assert_msg(run.code == 0 && strstr(run.out, "no checkpoint yet: begins at step 0") != NULL, "%s", run.err);
    run_assert_same_file(whole, begun, "checkpoint.safetensors");
    EXPECT_RUN(0, run_file(whole, "config.ini"), "--from", folder, "--out", run_path("again"), "--quiet");
    run_assert_same_file(whole, run_path("again"), "model.safetensors");
}
END_TEST

static void add_tests(TCase *tc)
{
    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, every_training_of_a_sweep_begins_with_the_folder);
    tcase_add_test(tc, what_the_weights_are_shaped_by_cannot_vary);
    tcase_add_test(tc, resuming_without_a_checkpoint_begins_with_the_folder);
}
SUITE("open sweeps", add_tests)
