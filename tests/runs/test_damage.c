#define _GNU_SOURCE /* memmem */
/* Checkpoints and weights that are damaged, foreign or do not fit, and numbers that are not finite. */
#include "core/base/memory.h"
#include "core/files/safetensors.h"
#include "programs/heads/program.h"
#include "tests/check_suite.h"
#include "tests/runs/runs.h"
#include "tests/safetensors_file.h"
#include "tests/scratch.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* ---- checkpoints ---- */

typedef struct interrupted_run {
    const char *config, *folder, *checkpoint, *metrics, *list, *patterns;
    char *bytes;
    size_t size;
} interrupted_run;

/* A run that stands at step 12 of 24. */
static interrupted_run half_a_run(void)
{
    interrupted_run run = { .config = run_tiny_config(), .folder = run_path("run") };
    EXPECT_RUN(0, run.config, "train.steps=12", "--out", run.folder);
    run.checkpoint = run_file(run.folder, "checkpoint.safetensors");
    run.bytes = scratch_read(run.checkpoint, &run.size);
    ck_assert_ptr_nonnull(run.bytes);
    run.metrics = run_read(run_file(run.folder, "metrics.csv"));
    run.list = run_list(run.folder);
    run.patterns = run_list(run_file(run.folder, "patterns"));
    return run;
}

/* Resuming fails with one line that names the checkpoint, and nothing in the folder changes. */
static void assert_refused(const interrupted_run *run, const void *bytes, size_t size)
{
    scratch_write(run->checkpoint, bytes, size);
    REFUSED_SAYING(RUN(run->config, "--resume", "--out", run->folder), 3, "checkpoint.safetensors: ");
    ck_assert(scratch_holds(run->checkpoint, bytes, size));
    ck_assert_str_eq(run_read(run_file(run->folder, "metrics.csv")), run->metrics);
    ck_assert_str_eq(run_list(run->folder), run->list);
    ck_assert_str_eq(run_list(run_file(run->folder, "patterns")), run->patterns);
}

TEST(a_truncated_checkpoint_is_refused)
{
    interrupted_run run = half_a_run();
    const size_t sizes[] = { 0, 1, 7, 8, 9, 100, run.size / 3, run.size / 2, run.size - 1 };
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        assert_refused(&run, run.bytes, sizes[i]);
    }
    char *longer = calloc(run.size + 1, 1);
    memcpy(longer, run.bytes, run.size);
    assert_refused(&run, longer, run.size + 1);
    free(longer);
    free(run.bytes);
}

TEST(a_checkpoint_with_a_flipped_bit_is_refused)
{
    interrupted_run run = half_a_run();
    for (size_t i = 0; i < 60; i++) {
        size_t at = i < 20 ? i * 3 : i < 40 ? 60 + i * 97 : run.size * (i - 39) / 21 - 1;
        ck_assert_uint_lt(at, run.size);
        run.bytes[at] ^= (char)(1 << i % 8);
        assert_refused(&run, run.bytes, run.size);
        run.bytes[at] ^= (char)(1 << i % 8);
    }
    scratch_write(run.checkpoint, run.bytes, run.size);
    EXPECT_RUN(0, run.config, "--resume", "--out", run.folder);
    free(run.bytes);
}

TEST(a_checkpoint_that_is_none_is_refused)
{
    interrupted_run run = half_a_run();
    size_t size;
    char *model = scratch_read(run_file(run.folder, "model.safetensors"), &size);
    assert_refused(&run, model, size);
    free(model);
    assert_refused(&run, "PK\003\004 a zip, or so it says", 26);
    unlink(run.checkpoint);
    ck_assert_int_eq(symlink("/dev/zero", run.checkpoint), 0);
    REFUSED(RUN(run.config, "--resume", "--out", run.folder), 3, "runs.is_a_link_and_is_not");
    free(run.bytes);
}

/* What is changed in a checkpoint: its tensors by a function, or one item of its metadata; NULL: none. An item whose
 * value becomes NULL goes, and so does a tensor whose name does. */
typedef struct change {
    void (*tensors)(hl_named_tensor *tensors);
    const char *item, *value;
} change;

/* The checkpoint written anew, with a right checksum, after the change. */
static void rewrite(const interrupted_run *run, change what)
{
    static const char *const keys[] = { "format",           "step",
                                        "config",           "state.has_best",
                                        "state.best_loss",  "state.best_step",
                                        "state.since_best", "state.loss_sum",
                                        "state.n_updates",  "state.scored",
                                        "state.correct",    "state.rows",
                                        "state.rows_crc32", "checkpoint_format",
                                        "state.loss_first", "state.loss_smoothed",
                                        "state.loss_lowest" };
    enum { KEYS = sizeof keys / sizeof *keys, MOST = 256 };
    scratch_write(run->checkpoint, run->bytes, run->size);
    hl_safetensors *file = safetensors_file_whole(run->checkpoint);
    int n = hl_safetensors_count(file);
    ck_assert_int_lt(n, MOST);
    hl_named_tensor tensors[MOST];
    hl_real *numbers[MOST];
    for (int i = 0; i < n; i++) {
        hl_shape shape = hl_safetensors_shape(file, i);
        numbers[i] = hl_calloc((size_t)hl_shape_count(shape) + 64, sizeof **numbers); /* it may be said to be larger */
        safetensors_file_copy(file, i, numbers[i]);
        tensors[i] = (hl_named_tensor){ hl_safetensors_name(file, i), shape, numbers[i] };
    }
    hl_metadata_item items[KEYS];
    for (int i = 0; i < KEYS; i++) {
        items[i] = (hl_metadata_item){ keys[i], hl_safetensors_metadata(file, keys[i]) };
        ck_assert_ptr_nonnull(items[i].value);
        if (what.item != NULL && strcmp(what.item, keys[i]) == 0) {
            items[i].value = what.value;
        }
    }
    if (what.tensors != NULL) {
        what.tensors(tensors);
    }
    int n_tensors = 0, n_items = 0;
    for (int i = 0; i < n; i++) {
        if (tensors[i].name != NULL) {
            tensors[n_tensors++] = tensors[i];
        }
    }
    for (int i = 0; i < KEYS; i++) {
        if (items[i].value != NULL) {
            items[n_items++] = items[i];
        }
    }
    CHECK_OK(safetensors_file_write(run->checkpoint, tensors, n_tensors, items, n_items));
    for (int i = 0; i < n; i++) {
        hl_free(numbers[i]);
    }
}

static void drop_one(hl_named_tensor *tensors)
{
    tensors[3].name = NULL;
}

static void rename_one(hl_named_tensor *tensors)
{
    tensors[3].name = "encoder.layers.9.linear1.weight";
}

static void reshape_one(hl_named_tensor *tensors)
{
    tensors[0].shape.size[0]++;
}

static void spoil_a_weight(hl_named_tensor *tensors)
{
    ((hl_real *)(size_t)tensors[0].data)[5] = NAN;
}

TEST(a_checkpoint_of_right_checksum_and_wrong_content_is_refused)
{
    static const change changes[] = {
        { .tensors = drop_one },
        { .tensors = rename_one },
        { .tensors = reshape_one },
        { .tensors = spoil_a_weight },
        { .item = "step" },
        { .item = "step", .value = "-1" },
        { .item = "step", .value = "12x" },
        { .item = "config" },
        { .item = "config", .value = "[model]\nheds = 4\n" },
        { .item = "state.best_loss" },
        { .item = "state.best_loss", .value = "nan" }, /* no later loss would be better */
        { .item = "state.loss_sum", .value = "inf" },
        { .item = "state.scored", .value = "9223372036854775807" },
    };
    interrupted_run run = half_a_run();
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        rewrite(&run, changes[i]);
        size_t size;
        char *bytes = scratch_read(run.checkpoint, &size);
        assert_refused(&run, bytes, size);
        free(bytes);
    }
    rewrite(&run, (change){ 0 });
    EXPECT_RUN(0, run.config, "--resume", "--out", run.folder);
    free(run.bytes);
}

/* One letter of what the header says: it is the damage that is named, and not what it says now. */
TEST(what_a_damaged_header_says_is_not_believed)
{
    static const char *const said[] = { "encoder.layers.0.norm1.bias", "seed = 1", "optimizer.v.output.bias",
                                        "state.best_loss", "checkpoint_format" };
    interrupted_run run = half_a_run();
    for (int i = 0; i < 5; i++) {
        char *at = memmem(run.bytes, run.size, said[i], strlen(said[i]));
        ck_assert_ptr_nonnull(at);
        at[strlen(said[i]) - 1] ^= 2;
        scratch_write(run.checkpoint, run.bytes, run.size);
        REFUSED_SAYING(RUN(run.config, "--resume", "--out", run.folder), 3, "is damaged or was changed");
        if (i == 0) {
            REFUSED_SAYING(RUN(run.config, "--from", run.checkpoint, "--out", run_path("b")), 3,
                           "checkpoint.safetensors", "is damaged or was changed");
        }
        if (i < 2) {
            REFUSED_SAYING(HEADS("importance", run.folder), 3, "is damaged or was changed");
        }
        at[strlen(said[i]) - 1] ^= 2;
    }
    free(run.bytes);
}

/* ---- --from ---- */

TEST(a_run_may_begin_with_the_weights_of_another)
{
    const char *config = run_tiny_config(), *first = TINY_RUN("first"), *second = run_path("second");
    for (int i = 0; i < 2; i++) {
        const char *name = i == 0 ? "checkpoint.safetensors" : "model.safetensors";
        run_result run = OK(RUN(config, "--from", run_file(first, name), "--out", run_path(name)));
        ck_assert_str_eq(run.err, "");
    }
    OK(RUN(config, "--from", run_file(first, "checkpoint.safetensors"), "--out", second));
    double loss, accuracy;
    run_last_row(first, "validation", &loss, &accuracy);
    const char *row = strchr(run_metrics(second), '\n') + 1;
    double its_loss;
    ck_assert_int_eq(sscanf(row, "0,validation,%lf", &its_loss), 1);
    ck_assert_double_eq(its_loss, loss); /* the last weights of the one are the first of the other */
}

/* The weights of `path` as PyTorch's save_file would write them. */
static const char *foreign_copy(const char *path)
{
    hl_safetensors *file = safetensors_file_whole(path);
    static char header[1 << 16];
    static float numbers[1 << 16];
    size_t length = (size_t)snprintf(header, sizeof header, "{\"__metadata__\":{\"format\":\"pt\"}"), count = 0;
    for (int i = 0; i < hl_safetensors_count(file); i++) {
        hl_shape shape = hl_safetensors_shape(file, i);
        size_t begin = count;
        count += (size_t)hl_shape_count(shape);
        ck_assert_uint_lt(count, sizeof numbers / sizeof *numbers);
        safetensors_file_copy(file, i, numbers + begin);
        char sizes[64];
        snprintf(sizes, sizeof sizes, shape.n_dims == 2 ? "%d,%d" : "%d", (int)shape.size[0], (int)shape.size[1]);
        length += (size_t)snprintf(header + length, sizeof header - length,
                                   ",\"%s\":{\"dtype\":\"F32\",\"shape\":[%s],\"data_offsets\":[%zu,%zu]}",
                                   hl_safetensors_name(file, i), sizes, 4 * begin, 4 * count);
    }
    header[length] = '}';
    const char *copy = run_path("foreign.safetensors");
    safetensors_file_foreign(copy, header, numbers, count * sizeof *numbers);
    return copy;
}

TEST(weights_of_another_program_are_taken_with_a_notice)
{
    const char *config = run_tiny_config(), *first = TINY_RUN("first"), *ours = run_path("ours"),
               *theirs = run_path("theirs");
    const char *model = run_file(first, "model.safetensors");
    EXPECT_RUN(0, config, "--from", model, "--out", ours);
    run_result run = OK(RUN(config, "--from", foreign_copy(model), "--out", theirs));
    ck_assert_ptr_nonnull(strstr(run.err, "foreign.safetensors: no checksum"));
    ck_assert_ptr_eq(strchr(run.err, '\n'), run.err + strlen(run.err) - 1);
    run_assert_same(ours, theirs);
}

TEST(weights_that_do_not_fit_are_refused)
{
    const char *config = run_tiny_config(), *first = TINY_RUN("first", "train.steps=1"), *folder = run_path("second");
    const char *model = run_file(first, "model.safetensors");
    REFUSED(RUN(config, "task.symbols=5", "--from", model, "--out", folder), 3, "runs.embedding_weight_is_7_16_and");
    REFUSED(RUN(config, "model.layers=1", "--from", model, "--out", folder), 3, "runs.the_config_s_model_has_no");
    REFUSED(RUN(config, "model.layers=3", "--from", model, "--out", folder), 3, "runs.has_no_tensor_encoder_layers_2");
    REFUSED(RUN(config, "model.d_k=4", "--from", model, "--out", folder), 3, "runs.has_no_tensor_encoder_layers_0");
    REFUSED(RUN(config, "model.tie_embedding=true", "--from", model, "--out", folder), 3,
            "runs.the_config_s_model_has_no_2");
    REFUSED(RUN(config, "--from", run_path("nothing"), "--out", folder), 3, "runs.no_such_file_or_folder_a");
    REFUSED(RUN(config, "--from", first, "--out", folder), 3, "runs.is_a_folder_without_config_json");
    REFUSED(RUN(config, "--from", config, "--out", folder), 3, "runs.is_no_safetensors_file_or_its");
    EXPECT_RUN(0, config, "--from", model, "--out", folder); /* none of them left a run */
}

/* A hole of 2 GiB that says it is a matrix of the model: neither time nor memory goes into its numbers. */
TEST(weights_of_another_shape_are_refused_before_they_are_read)
{
    static const char header[] =
        "{\"embedding.weight\":{\"dtype\":\"F32\",\"shape\":[536870912],\"data_offsets\":[0,2147483648]}}";
    const char *config = run_tiny_config(), *hole = run_path("hole.safetensors");
    safetensors_file_foreign(hole, header, NULL, 0);
    ck_assert_int_eq(truncate(hole, (off_t)(8 + sizeof header - 1 + 2147483648)), 0);
    REFUSED(RUN(config, "--from", hole, "--out", run_path("run")), 3, "runs.embedding_weight_is_536870912_and_the");
    struct rusage usage;
    ck_assert_int_eq(getrusage(RUSAGE_CHILDREN, &usage), 0);
    ck_assert_int_lt(usage.ru_maxrss, 1 << 20); /* KiB */
}

TEST(tied_weights_must_be_one_matrix_under_both_names)
{
    const char *config = run_tiny_config(), *tied = TINY_RUN("tied", "model.tie_embedding=true"),
               *untied = TINY_RUN("untied", "model.bias=false");
    EXPECT_RUN(0, config, "model.tie_embedding=true", "--from", run_file(tied, "model.safetensors"), "--out",
               run_path("again"));
    REFUSED(RUN(config, "model.tie_embedding=true", "model.bias=false", "--from", run_file(untied, "model.safetensors"),
                "--out", run_path("other")),
            3, "runs.output_weight_differs_from_embedding_weight");
}

/* config.ini with a line in the place of another. */
static void change_config(const char *folder, const char *line, const char *by)
{
    const char *path = run_file(folder, "config.ini"), *text = run_read(path), *at = strstr(text, line);
    ck_assert_ptr_nonnull(at);
    char *changed = calloc(strlen(text) + strlen(by) + 1, 1);
    memcpy(changed, text, (size_t)(at - text));
    strcat(strcat(changed, by), at + strlen(line));
    scratch_write(path, changed, strlen(changed));
    free(changed);
}

/* As a slip of an editor leaves it, or of a disk: one digit, and every example is another. */
TEST(a_config_that_its_weights_were_not_trained_with_is_named)
{
    const char *folder = TINY_RUN("run");
    change_config(folder, "\nseed = 1\n", "\nseed = 3\n");
    REFUSED(HEADS("importance", folder), 3, "runs.was_trained_with_another_train_seed");
    REFUSED(HEADS("importance", folder, "--keep", "L0H0"), 3, "runs.was_trained_with_another_train_seed");
}

static void *allocate_little(size_t bytes)
{
    return bytes < (size_t)64 << 20 ? aligned_alloc(64, (bytes + 63) / 64 * 64) : NULL;
}

static void refuse_large_blocks(void)
{
    static const hl_allocator little = { allocate_little, realloc, free };
    hl_allocator_set(&little);
}

/* It would take 400 MiB, which are there: memory for the weights must not even be asked for. */
TEST(a_config_larger_than_its_weights_takes_no_memory)
{
    const char *folder = TINY_RUN("run");
    change_config(folder, "\nlayers = 2\n", "\nlayers = 200\n");
    change_config(folder, "\nd_model = 16\n", "\nd_model = 4096\n");
    REFUSED(HEADS("map", folder, "--input", "a"), 3, "runs.was_trained_with_another_model_layers");
    /* Nor where the weights come without a config to compare with. */
    const char *checkpoint = run_file(folder, "checkpoint.safetensors");
    ck_assert_int_eq(rename(foreign_copy(run_file(folder, "model.safetensors")), checkpoint), 0);
    const char *arguments[] = { "map", folder, "--input", "a", NULL };
    run_result run = run_wait(
        run_start((run_options){ .arguments = arguments, .program = hl_heads_program, .before = refuse_large_blocks }));
    REFUSED(run, 3, "runs.embedding_weight_is_7_16_and_2");
}

/* ---- numbers that are not finite ---- */

static void assert_finite_checkpoint(const char *path)
{
    hl_safetensors *file = safetensors_file_whole(path);
    static hl_real numbers[1 << 16];
    for (int i = 0; i < hl_safetensors_count(file); i++) {
        int64_t count = hl_shape_count(hl_safetensors_shape(file, i));
        safetensors_file_copy(file, i, numbers);
        for (int64_t n = 0; n < count; n++) {
            ck_assert(isfinite(numbers[n]));
        }
    }
}

TEST(numbers_that_are_not_finite_end_the_run_before_they_are_saved)
{
    const char *config = run_tiny_config(), *folder = run_path("run");
    run_result run = RUN(config, "optimizer.name=sgd", "optimizer.learning_rate=1000", "optimizer.schedule=constant",
                         "optimizer.clip_norm=0", "model.norm=post", "train.eval_every=1", "train.steps=1000",
                         "train.checkpoint_every=1", "model.layers=4", "--out", folder);
    FAILS_SAYING(run, 4, "step ");
    ck_assert_ptr_eq(strchr(run.err, '\n'), run.err + strlen(run.err) - 1);
    ck_assert_msg(strstr(run.err, " in ") != NULL || strstr(run.err, ".weight") != NULL ||
                      strstr(run.err, ".bias") != NULL,
                  "%s", run.err);
    assert_finite_checkpoint(run_file(folder, "checkpoint.safetensors"));
    assert_finite_checkpoint(run_file(folder, "model.safetensors"));
}

TEST(weights_of_other_programs_are_told_how_to_become_ours)
{
    static const char *const endings[] = { "bin", "pt", "pth", "ckpt", "h5", "onnx", "gguf" };
    const char *config = run_tiny_config(), *folder = run_path("none");
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        const char *name = scratch_format("model.%s", endings[i]);
        const char *path = run_path(name);
        REFUSED_SAYING(RUN(config, "--from", path, "--out", folder), 3, "No such file");
        run_config(name, "\x80\x02 no safetensors");
        const char *words = scratch_format(": not supported: .%s (", endings[i]);
        run_result run = RUN(config, "--from", path, "--out", folder);
        REFUSED_SAYING(run, 3, words);
        CHECK_HOLDS(run.err, "; convert it so: python3 -c 'import sys,", "/model.safetensors\n");
    }
}

SUITE("damage")
