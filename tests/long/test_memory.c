/* The built program takes the memory that its summary told: for the largest workload, and for runs whose end or whose
 * resumption once took more memory than their training. */
#include "tests/check_suite.h"
#include "tests/runs/runs.h"
#include "tests/runs/told_memory.h"

#include <math.h>

TEST(a_large_run_takes_what_the_summary_told)
{
    told_memory_check("bench/base.ini");
}

static const char *const resumed[] = {
    ("[task]\nname = identity_copy\nlength = 4\nsymbols = 16\n"
     "[model]\nlayers = 4\nd_model = 1024\nheads = 16\nd_ff = 256\n"
     "[train]\nsteps = 2\nbatch_size = 4\neval_examples = 16\n[patterns]\nexamples = 16\n"),
    ("[task]\nname = identity_copy\nlength = 4\nsymbols = 200000\n"
     "[model]\nlayers = 1\nd_model = 48\nheads = 4\nd_ff = 256\n"
     "[train]\nsteps = 2\nbatch_size = 8\neval_examples = 8\n[patterns]\nexamples = 4\n"),
    ("[task]\nname = identity_copy\nlength = 60\nsymbols = 16\n"
     "[model]\nlayers = 1\nheads = 16\nd_ff = 256\n"
     "[train]\nsteps = 2\nbatch_size = 16\n[patterns]\nexamples = 64\n"),
    ("[task]\nname = identity_copy\nlength = 10\nsymbols = 16\n"
     "[model]\nlayers = 4\nd_model = 256\nheads = 128\nd_ff = 256\n[train]\nsteps = 2\n"),
};

LOOP_TEST(a_run_takes_what_was_told_at_its_end_and_resumed, 0, sizeof resumed / sizeof *resumed)
{
    told_memory_check_resumed(resumed[_i], INFINITY);
}

/* The weights of attention alone would be 8 GiB in each layer: 16384 x 16384 of 8 heads. */
TEST(an_example_of_16384_tokens_is_trained_on_within_1_gib)
{
    told_memory_check_resumed("[task]\nname = identity_copy\nlength = 16384\nsymbols = 253\n[model]\nlayers = 4\n"
                              "d_model = 256\nheads = 8\nd_ff = 1024\nactivation = relu\nnorm = pre\ndropout = 0.1\n"
                              "[train]\nsteps = 2\nbatch_size = 1\neval_every = 0\neval_examples = 1\n"
                              "[patterns]\nexamples = 0\n",
                              1024);
}

/* Of the width of MiniLM. */
TEST(a_treebank_of_20000_sentences_takes_less_than_500_mb)
{
    const char *config = run_config(
        "wide.ini",
        "[task]\nname = masked\nfile = text.txt\nvalidation_file = text.txt\n[tokens]\nkind = words\n[model]\n"
        "layers = 1\nd_model = 384\nheads = 12\nmax_length = 128\n[train]\nsteps = 1\nbatch_size = 1\n"
        "eval_examples = 1\n[patterns]\nexamples = 0\n");
    run_config("text.txt", "the cat sat on the mat\nthe dog saw the cat\n");
    EXPECT_RUN(0, config, "--out", run_path("run"), "--quiet");
    ck_assert_double_lt(told_memory_check_treebank(run_path("run"), 20000, "--without-null", NULL), 500e6 / (1 << 20));
}

SUITE("memory of a large run", .seconds = 600)
