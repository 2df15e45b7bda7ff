/* Examples of one's own, which a run on texts records instead of the first of its validation set. */
#include "core/examples.h"
#include "tests/check_suite.h"
#include "tests/runs/answers.h"
#include "tests/runs/runs.h"
#include "tests/scratch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char *written_config(const char *mine)
{
    static char config[1024];
    char text[2048] = "";
    for (int i = 0; i < 40; i++) {
        static const char *const nouns[] = { "dog", "cat", "king", "queen" };
        snprintf(text + strlen(text), sizeof text - strlen(text), "the %s sees the %s\n", nouns[i % 4],
                 nouns[i / 4 % 4]);
    }
    scratch_write(run_path("text.txt"), text, strlen(text));
    scratch_write(run_path("mine.txt"), mine, strlen(mine));
    snprintf(config, sizeof config,
             "[task]\nname = masked\nfile = %s\n[tokens]\nkind = words\n[model]\nlayers = 1\nheads = 2\nd_model = 8\n"
             "max_length = 16\n[train]\nsteps = 2\nbatch_size = 4\n[patterns]\nfile = %s\n",
             run_path("text.txt"), run_path("mine.txt"));
    return run_config("masked.ini", config);
}

static const int32_t *array_of(const hl_npz *npz, const char *name, hl_shape shape)
{
    const hl_npz_array *array = hl_npz_find(npz, name);
    ck_assert_msg(array != NULL && hl_shape_equal(array->shape, shape), "%s", name);
    return array->data;
}

TEST(written_lines_are_recorded_and_masks_answered)
{
    const char *config =
        written_config("the dog sees the <mask>\nthe cat sees the king sees the queen\n\n<mask> <mask>\n");
    run_result run = OK(RUN(config, "--out", run_path("run")));
    ck_assert_ptr_nonnull(strstr(run.err, "mine.txt: examples are cut to 7 pieces\n"));
    const hl_npz *npz = answer_arrays(run_file(run_path("run"), "patterns/step_000002.npz"));
    const int32_t *targets = array_of(npz, "targets", HL_SHAPE(3, 7));
    for (int i = 0; i < 21; i++) {
        ck_assert_int_eq(targets[i], i == 5 || i == 15 || i == 16 ? HL_UNSEEN : HL_IGNORE);
    }
    const int32_t *words = array_of(npz, "words", HL_SHAPE(3, 7));
    ck_assert_mem_eq(words, ((const int32_t[]){ -1, 0, 1, 2, 3, 4, -1 }), 7 * sizeof *words);
    OK(HEADS(run_path("run")));
}

TEST(a_line_that_cannot_be_read_is_named_and_changes_no_run)
{
    const char *config = written_config("the dog\n"), *folder = run_path("run");
    EXPECT_RUN(0, config, "--out", folder);
    char *files = strdup(run_list(folder));
    written_config("the dog\nthe \xff\n");
    static const char *const options[] = { "--check", "--overwrite" };
    for (int i = 0; i < 2; i++) {
        FAILS(RUN(config, options[i], "--out", folder), 3, "runs.is_not_utf_8_byte_0xff_3");
        ck_assert_str_eq(run_list(folder), files);
        ck_assert_str_eq(run_checkpoint_step(folder), "2");
    }
    free(files);
}

TEST(a_check_reads_the_lines_and_leaves_nothing)
{
    const char *config = written_config("the dog sees the <mask>\n");
    EXPECT_RUN(0, config, "--check", "--out", run_path("run"));
    struct stat found;
    ck_assert_int_ne(stat(run_path("run"), &found), 0);
    EXPECT_RUN(3, config, "--check", "patterns.file=none.txt", "--out", run_path("run"));
}

SUITE("written examples in runs")
