#include "train/footprint.h"

#include "data/examples_storage.h"
#include "heads/head_set.h"
#include "heads/heads_csv.h"
#include "heads/recorder.h"
#include "tests/check_suite.h"
#include "tests/scratch.h"
#include "tests/train/counting_allocator.h"
#include "tests/train/summary_example.h"
#include "tests/train/trainer_example.h"
#include "train/checkpoint.h"

#include <stdlib.h>

/* Lists of names, the dataset, paths: what a footprint leaves out. */
enum { UNCOUNTED = 100 * 1024 };

static const char *const runs[] = {
    "[train]\nthreads = 1\n",
    "[train]\nthreads = 2\n[optimizer]\naccumulate = 4\n",
    "[train]\nthreads = 1\neval_examples = 8\n[patterns]\nexamples = 40\n",
    "[train]\nthreads = 1\nleaves = 4\n[optimizer]\naccumulate = 2\n",
    "[train]\nthreads = 1\n[optimizer]\nname = sgd\n[patterns]\nexamples = 0\n",
    "[train]\nthreads = 1\n[model]\nlayers = 3\nheads = 4, 2, 8\nkv_heads = 2\nd_k = 5\nd_v = 7\nnorm = post\n",
    "[task]\nsymbols = 500\n[train]\nthreads = 1\n[model]\npositions = learned\nmax_length = 500\ntie_embedding = 1\n",
    "[task]\nname = agreement\nlength = 24\nmin_length = 8\n[train]\nthreads = 1\n",
    ("[train]\nthreads = 2\n[model]\n"
     "embedding_size = 24\nembedding_norm = true\nhead = transform\ndropout_output = 0.1\n"),
    "[train]\nthreads = 1\n[model]\npositions = learned\nposition_offset = 5\nembedding_size = 200\ntoken_types = 2\n",
    "[train]\nthreads = 1\n[model]\npositions = none\nbias = false\nactivation = gelu\nd_ff = 7\ndropout = 0.1\n",
};
enum { RUNS = sizeof runs / sizeof *runs };

static int64_t recorded(const hl_config *config)
{
    int64_t asked = config->patterns.examples, there = config->train.eval_examples;
    return asked < there ? asked : there;
}

static void init_recorder(hl_recorder *recorder, const hl_trainer *trainer)
{
    const hl_dataset *dataset = trainer->dataset;
    hl_examples examples;
    CHECK_OK(hl_dataset_make_examples(dataset, HL_VALIDATION, 0, recorded(trainer->config), &examples));
    CHECK_OK(hl_recorder_init(recorder, &trainer->model, &examples, hl_trainer_evaluation_rows(trainer->config),
                              trainer->threads, scratch_path("patterns")));
    hl_examples_free(&examples);
}

/* The same config as a run takes it: memory is what the footprint said, and a step fills its arena. */
static void compare_run(const summary_example *example)
{
    const hl_config *config = &example->config;
    const hl_footprint *said = &example->footprint;
    size_t before = counting_live;
    hl_trainer trainer;
    CHECK_OK(hl_trainer_init(&trainer, config));
    hl_recorder recorder = { 0 };
    static hl_validation_sums_pass sums;
    if (config->patterns.examples > 0) {
        init_recorder(&recorder, &trainer);
        trainer_sums(&trainer, &sums);
    }
    size_t taken = counting_live - before;
    size_t told = said->training - said->libraries - said->generated;
    ck_assert_msg(taken >= told - 4096 && taken <= told + UNCOUNTED, "%zu bytes taken, %zu told", taken, told);
    ck_assert_uint_eq(trainer.arena.capacity, said->step);
    hl_update update;
    CHECK_OK(hl_trainer_update(&trainer, &update));
    hl_evaluation evaluation;
    CHECK_OK(hl_trainer_evaluate(&trainer, NULL, &evaluation));
    ck_assert_uint_eq(trainer.arena.peak, said->step);
    hl_validation_sums_pass_free(&sums);
    hl_recorder_free(&recorder);
    hl_trainer_free(&trainer);
}

TEST(a_run_takes_what_was_told)
{
    counting_begin();
    static summary_example example;
    for (int i = 0; i < RUNS; i++) {
        summary_example_parse(runs[i], &example);
        compare_run(&example);
        summary_example_free(&example);
    }
    ck_assert_uint_eq(counting_live, 0);
}

TEST(the_sum_is_of_all)
{
    static summary_example example;
    summary_example_parse("[model]\nd_model = 32\n", &example);
    const hl_footprint *f = &example.footprint;
    ck_assert_uint_eq(f->training, f->weights + f->gradients + f->moments + f->step + f->batches + f->recorder +
                                       f->validation_sums + f->positions + f->vocabulary + f->libraries);
    ck_assert_uint_eq(f->total, f->training > f->end ? f->training : f->end);
    ck_assert_uint_eq(f->moments, 2 * f->weights);
    ck_assert_uint_eq(f->positions, 21 * 32 * sizeof(float));
    size_t row = sizeof(int64_t) + 4 * sizeof(int32_t), offsets = (65 + 513) * sizeof(int32_t),
           made = 2 * (3 * 21 + 1) * sizeof(int32_t); /* an example on its way into a batch */
    ck_assert_uint_eq(f->batches, (64 + 512) * 21 * row + offsets + made);
    summary_example_free(&example);
}

/* Every pair of heads has two numbers for as long as snapshots are added. */
TEST(comparing_heads_takes_what_was_told)
{
    enum { HEADS = 40, T = 3 };
    static hl_real weights[HEADS * T * T];
    int32_t length = T;
    hl_patterns layer = { .weights = weights, .lengths = &length, .n_heads = HEADS, .n_tokens = T, .n_examples = 1 };
    counting_begin();
    for (int threads = 0; threads < 4; threads++) {
        hl_heads_csv csv = { .n_tokens = 20, .threads = threads };
        CHECK_OK(hl_heads_csv_add(&csv, 0, &layer, 1, NULL, NULL));
        size_t told = hl_heads_csv_bytes(HEADS, 20, threads), rows = csv.capacity * sizeof *csv.rows;
        ck_assert_uint_ge(told, HEADS * (HEADS - 1) * sizeof(double));
        ck_assert_msg(counting_live >= told + rows && counting_live <= told + rows + 64, "%zu bytes taken, %zu told",
                      counting_live - rows, told);
        hl_heads_csv_free(&csv);
    }
    static summary_example example;
    summary_example_parse("[model]\nd_model = 256\nheads = 256\n[patterns]\nevery = 0\n", &example);
    const hl_footprint *f = &example.footprint; /* with less for maps than for pairs */
    int64_t heads = hl_heads_count(&example.model.config), longest = example.model.config.max_length;
    ck_assert_uint_ge(f->readings, 2 * f->rows + hl_heads_csv_bytes(heads, longest, 1));
    summary_example_free(&example);
}

static void assert_file_size(const char *path, size_t told)
{
    size_t size;
    char *bytes = scratch_read(path, &size);
    ck_assert_ptr_nonnull(bytes);
    free(bytes);
    ck_assert_msg((double)told > 0.97 * (double)size && (double)told < 1.03 * (double)size, "%s: %zu bytes, %zu told",
                  path, size, told);
}

/* Writes the files of a run, and looks how large they are. */
static void compare_files(const summary_example *example)
{
    const hl_footprint *told = &example->footprint;
    hl_trainer trainer;
    CHECK_OK(hl_trainer_init(&trainer, &example->config));
    const char *model = scratch_path("model.safetensors"), *checkpoint = scratch_path("checkpoint.safetensors");
    hl_train_state state = { 0 };
    CHECK_OK(hl_checkpoint_write_model(model, &trainer.model.parameters, 0, ""));
    CHECK_OK(hl_checkpoint_write(checkpoint, NULL, &trainer.optimizer, &state, ""));
    assert_file_size(model, told->model);
    assert_file_size(checkpoint, told->checkpoint);
    if (told->snapshots.n > 0) {
        static hl_validation_sums_pass sums;
        trainer_sums(&trainer, &sums);
        hl_recorder recorder;
        init_recorder(&recorder, &trainer);
        CHECK_OK(hl_recorder_record(&recorder, 0, hl_validation_sums_pass_end(&sums), &trainer.arena));
        hl_recorder_free(&recorder);
        hl_validation_sums_pass_free(&sums);
        assert_file_size(scratch_path("patterns/step_000000.npz"), told->snapshots.each);
    }
    hl_trainer_free(&trainer);
}

TEST(files_are_as_large_as_told)
{
    static summary_example example;
    for (int i = 0; i < RUNS; i++) {
        summary_example_parse(runs[i], &example);
        compare_files(&example);
        summary_example_free(&example);
    }
}

TEST(files_are_as_many_as_written)
{
    static const struct {
        const char *text;
        int64_t checkpoints, snapshots;
    } cases[] = {
        { "[train]\nsteps = 1000\ncheckpoint_every = 100\n", 1, 27 },
        { "[train]\nsteps = 1000\ncheckpoint_every = 100\nkeep_checkpoints = 3\n", 4, 27 },
        { "[train]\nsteps = 250\ncheckpoint_every = 100\nkeep_checkpoints = 9\n", 3, 26 },
        { "[train]\nsteps = 250\ncheckpoint_every = 0\nkeep_checkpoints = 9\n", 1, 26 },
        { "[train]\nsteps = 250\n[patterns]\nevery = 100\n", 1, 4 },
        { "[train]\nsteps = 250\n[patterns]\nevery = 0\n", 1, 2 },
        { "[train]\nsteps = 250\n[patterns]\nexamples = 0\n", 1, 0 },
    };
    static summary_example example;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        summary_example_parse(cases[i].text, &example);
        ck_assert_int_eq(example.footprint.n_checkpoints, cases[i].checkpoints);
        ck_assert_int_eq(example.footprint.snapshots.n, cases[i].snapshots);
        summary_example_free(&example);
    }
}

SUITE("footprint")
