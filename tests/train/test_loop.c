/* What the loop refuses to write, and what it writes of classes. The rest of it shows in whole runs (tests/runs). */
#include "core/base/memory.h"
#include "tests/check_suite.h"
#include "tests/runs/runs.h"
#include "tests/scratch.h"
#include "tests/train/trainer_example.h"
#include "train/loop.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The embedding of <pad>, which no full-length example reads: neither loss nor gradients show it. */
static void spoil_what_nobody_reads(hl_trainer *trainer)
{
    *hl_parameters_find(&trainer->model.parameters, "embedding.weight")->tensor->data = INFINITY;
}

/* A run of the trainer that is about to begin, in a folder of its own. */
typedef struct example {
    hl_run_folder folder;
    hl_loop loop;
} example;

static void example_begin(example *e, hl_trainer *trainer)
{
    CHECK_OK(hl_run_folder_open(&e->folder, scratch_path("run"), HL_RUN_NEW));
    CHECK_OK(hl_run_folder_make(&e->folder));
    e->loop = (hl_loop){
        .config = trainer->config, .folder = &e->folder, .trainer = trainer, .config_text = "", .checkpoint_step = -1
    };
    CHECK_OK(hl_metrics_csv_open(&e->loop.metrics, e->folder.metrics, trainer->scored, (hl_metrics_sum){ 0 }));
}

static void example_end(example *e)
{
    hl_metrics_csv_close(&e->loop.metrics);
    hl_run_folder_close(&e->folder);
}

LOOP_TEST(no_file_gets_a_weight_that_is_not_finite, 0, 2)
{
    hl_config config = trainer_config("eval_every = 0\n");
    config.task.min_length = config.task.length;
    config.train.steps = 2;
    hl_trainer *trainer = trainer_of(config);
    spoil_what_nobody_reads(trainer);
    example e;
    example_begin(&e, trainer);
    if (_i == 1) { /* no validation is the best one, and only the checkpoint after the last step is left */
        e.loop.state = (hl_train_state){ .has_best = true, .best_loss = 0 };
    }
    hl_status status = hl_loop_run(&e.loop);
    ck_assert_int_eq(status.code, HL_NOT_FINITE);
    const char *words = scratch_format("step %d: a weight of embedding.weight", _i == 0 ? 0 : 2);
    ck_assert_msg(strstr(status.text, words) != NULL, "%s", status.text);
    ck_assert(!scratch_exists(e.folder.model) && !scratch_exists(e.folder.checkpoint));
    example_end(&e);
}

/* The numbers of a table without its header and first column, row by row, an empty field being -1; returns how many. */
static int numbers_of(const char *path, double *numbers, int most)
{
    size_t size;
    char *text = scratch_read(path, &size), *line = strchr(text, '\n') + 1;
    int n = 0;
    for (char *end; (end = strchr(line, '\n')) != NULL; line = end + 1) {
        *end = '\0';
        for (char *field = strchr(line, ','); field != NULL; field = strchr(field + 1, ',')) {
            ck_assert_int_lt(n, most);
            numbers[n++] = field[1] == ',' || field[1] == '\0' ? -1 : strtod(field + 1, NULL);
        }
    }
    free(text);
    return n;
}

/* A toy task, scored as one of classes. */
TEST(a_run_of_classes_ends_with_their_scores)
{
    hl_config config = trainer_config("eval_every = 1\n");
    config.train.steps = 2;
    hl_trainer *trainer = trainer_of(config);
    enum { C = 7, FIGURES = 6 }; /* three special tokens and four symbols */
    trainer->scored = HL_METRICS_CLASSES;
    CHECK_OK(hl_class_counts_init(&trainer->classes, C));
    example e;
    example_begin(&e, trainer);
    CHECK_OK(hl_loop_run(&e.loop));

    double scores[C * FIGURES], confusion[C * C], cases = 0, right = 0, f1 = 0, with_cases = 0;
    ck_assert_int_eq(numbers_of(e.folder.scores, scores, C * FIGURES), C * FIGURES);
    ck_assert_int_eq(numbers_of(e.folder.confusion, confusion, C * C), C * C);
    for (int c = 0; c < C; c++) {
        const double *of = scores + (ptrdiff_t)c * FIGURES;
        double row = 0, column = 0;
        for (int other = 0; other < C; other++) {
            row += confusion[c * C + other];
            column += confusion[other * C + c];
        }
        ck_assert(of[0] == row && of[1] == column && of[2] == confusion[c * C + c]);
        cases += of[0];
        right += of[2];
        f1 += of[0] > 0 ? of[5] : 0;
        with_cases += of[0] > 0;
    }
    ck_assert_int_eq((int64_t)cases, trainer->validation.batch.n_targets); /* of one validation, the last */
    const char *metrics = run_read(e.folder.metrics);
    hl_metrics_row row;
    const char *last = strstr(metrics, "\n2,validation,") + 1;
    ck_assert(hl_metrics_row_read(last, strcspn(last, "\n"), &row) && row.kind == HL_METRICS_CLASSES);
    ck_assert_double_eq_tol(row.scores.accuracy, right / cases, 1e-8);
    ck_assert_double_eq_tol(row.scores.micro_f1, right / cases, 1e-8);
    ck_assert_double_eq_tol(row.scores.macro_f1, f1 / with_cases, 1e-8);
    ck_assert_ptr_nonnull(strstr(metrics, ",macro_f1,micro_f1\n0,validation,"));
    example_end(&e);
}

SUITE("loop")
