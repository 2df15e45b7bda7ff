#include "core/base/memory.h"
#include "core/files/safetensors.h"
#include "tests/check_suite.h"
#include "tests/fault_checks.h"
#include "tests/faults.h"
#include "tests/messages.h"
#include "tests/safetensors_file.h"
#include "tests/scratch.h"
#include "tests/train/trainer_example.h"
#include "train/checkpoint.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char some_config[] = "[model]\nheads = 2 # \"quoted\"\n";

static const hl_train_state some_state = { .has_best = true,
                                           .best_loss = 0.1, /* no short decimal holds its bits */
                                           .best_step = 7,
                                           .since_best = 3,
                                           .loss_sum = 1.0 / 3,
                                           .n_updates = 4,
                                           .scored = 123456789012,
                                           .correct = 5,
                                           .cadence = { 0.7, 0.3, 2.0 / 3, 0 },
                                           .metrics = { 6, 4294967295 } };

static hl_status write_checkpoint(const char *path, const char *kept, const hl_trainer *trainer)
{
    return hl_checkpoint_write(path, kept, &trainer->optimizer, &some_state, some_config);
}

static void assert_same_state(hl_train_state a, hl_train_state b)
{
    ck_assert_int_eq(a.has_best, b.has_best);
    ck_assert_mem_eq(&a.best_loss, &b.best_loss, sizeof a.best_loss);
    ck_assert_int_eq(a.best_step, b.best_step);
    ck_assert_int_eq(a.since_best, b.since_best);
    ck_assert_mem_eq(&a.loss_sum, &b.loss_sum, sizeof a.loss_sum);
    ck_assert_int_eq(a.n_updates, b.n_updates);
    ck_assert_int_eq(a.scored, b.scored);
    ck_assert_int_eq(a.correct, b.correct);
    ck_assert_mem_eq(&a.cadence.first, &b.cadence.first, sizeof a.cadence.first);
    ck_assert_mem_eq(&a.cadence.smoothed, &b.cadence.smoothed, sizeof a.cadence.smoothed);
    ck_assert_mem_eq(&a.cadence.lowest, &b.cadence.lowest, sizeof a.cadence.lowest);
    ck_assert_int_eq(a.metrics.rows, b.metrics.rows);
    ck_assert_int_eq(a.metrics.crc, b.metrics.crc);
}

LOOP_TEST(what_is_restored_has_the_same_bits, 0, 3)
{
    hl_config config = trainer_config("");
    config.model.tie_embedding = _i == 1;
    config.optimizer.update.name = _i == 2 ? HL_SGD : HL_ADAM;
    hl_trainer *trained = trainer_of(config), *fresh = trainer_of(config);
    trainer_updated(trained, 4);
    const char *path = scratch_path("checkpoint.safetensors");
    CHECK_OK(write_checkpoint(path, NULL, trained));
    hl_checkpoint *checkpoint;
    CHECK_OK(hl_checkpoint_open(path, &checkpoint));
    ck_assert_str_eq(checkpoint->config, some_config);
    hl_train_state state = { 0 };
    CHECK_OK(hl_checkpoint_restore(checkpoint, &fresh->optimizer, &state));
    hl_checkpoint_free(checkpoint);
    assert_same_state(state, some_state);
    ck_assert_int_eq(fresh->optimizer.step, 4);
    size_t bytes = (size_t)fresh->model.parameters.count * sizeof(hl_real);
    ck_assert_mem_eq(fresh->model.parameters.values, trained->model.parameters.values, bytes);
    ck_assert_int_eq(fresh->optimizer.m == NULL, _i == 2);
    if (fresh->optimizer.m != NULL) {
        ck_assert_mem_eq(fresh->optimizer.m, trained->optimizer.m, bytes);
        ck_assert_mem_eq(fresh->optimizer.v, trained->optimizer.v, bytes);
    }
    trainer_updated(fresh, 3);
    trainer_updated(trained, 3);
    ck_assert_mem_eq(fresh->model.parameters.values, trained->model.parameters.values, bytes);
}

TEST(a_state_without_a_best_loss_comes_back)
{
    hl_trainer *trainer = trainer_of(trainer_config(""));
    const char *path = scratch_path("checkpoint.safetensors");
    hl_train_state none = { 0 }, state = some_state;
    CHECK_OK(hl_checkpoint_write(path, NULL, &trainer->optimizer, &none, some_config));
    hl_checkpoint *checkpoint;
    CHECK_OK(hl_checkpoint_open(path, &checkpoint));
    CHECK_OK(hl_checkpoint_restore(checkpoint, &trainer->optimizer, &state));
    assert_same_state(state, none);
    hl_checkpoint_free(checkpoint);
}

/* Which has fewer fields. */
TEST(what_metrics_csv_held_is_read_from_format_1_too)
{
    bool has = false;
    hl_metrics_sum sum;
    CHECK_OK(hl_checkpoint_read_metrics(HL_FORMATS "/1/checkpoint.safetensors", &has, &sum));
    ck_assert(has);
    ck_assert_int_gt(sum.rows, 0);
}

/* A file of ours without tensors that says this format. */
static hl_status open_format(const char *key, const char *format)
{
    const char *path = scratch_path("format.safetensors");
    const hl_metadata_item items[] = { { "step", "3" }, { "config", some_config }, { key, format } };
    CHECK_OK(safetensors_file_write(path, NULL, 0, items, 3));
    hl_checkpoint *checkpoint;
    hl_status status = hl_checkpoint_open(path, &checkpoint);
    hl_checkpoint_free(checkpoint);
    return status;
}

TEST(a_newer_format_is_refused)
{
    CHECK_OK(open_format("weights_format", "1"));
    CHECK_OK(open_format("checkpoint_format", "4"));
    message_check(open_format("weights_format", "7"), HL_BAD_FILE, "train.format_7_this_headlight_reads_up");
    message_check(open_format("checkpoint_format", "9"), HL_BAD_FILE, "train.format_9_this_headlight_reads_up");
}

/* Every parameter and second name once in each file, and the moments in a checkpoint. */
TEST(a_file_holds_the_names_it_promises)
{
    hl_config config = trainer_config("");
    config.model.tie_embedding = true;
    hl_trainer *trainer = trainer_of(config);
    const char *path = scratch_path("checkpoint.safetensors"), *model = scratch_path("model.safetensors");
    CHECK_OK(write_checkpoint(path, NULL, trainer));
    CHECK_OK(hl_checkpoint_write_model(model, &trainer->model.parameters, 9, some_config));
    hl_safetensors *files[] = { safetensors_file_whole(path), safetensors_file_whole(model) };
    int n = trainer->model.parameters.n;
    ck_assert_int_eq(hl_safetensors_count(files[0]), 3 * n + 1);
    ck_assert_int_eq(hl_safetensors_count(files[1]), n + 1);
    for (int i = 0; i < 2; i++) {
        ck_assert_int_ge(hl_safetensors_find(files[i], "output.weight"), 0);
        ck_assert_int_ge(hl_safetensors_find(files[i], "embedding.weight"), 0);
        ck_assert_int_lt(hl_safetensors_find(files[i], "output.bias"), 0);
        ck_assert_str_eq(hl_safetensors_metadata(files[i], "format"), "pt");
        ck_assert_str_eq(hl_safetensors_metadata(files[i], "config"), some_config);
        ck_assert_str_eq(hl_safetensors_metadata(files[i], "step"), i == 0 ? "0" : "9");
    }
    ck_assert_int_ge(hl_safetensors_find(files[0], "optimizer.m.encoder.layers.1.linear2.bias"), 0);
    ck_assert_int_ge(hl_safetensors_find(files[0], "optimizer.v.embedding.weight"), 0);
}

/* The tied weights of `trainer` under their first names, as other programs may write them, and `second` beside them. */
static void write_tied(const char *path, const hl_trainer *trainer, const hl_named_tensor *second)
{
    const hl_parameters *parameters = &trainer->model.parameters;
    hl_named_tensor *tensors = calloc((size_t)parameters->n + 1, sizeof *tensors);
    ck_assert_ptr_nonnull(tensors);
    for (int i = 0; i < parameters->n; i++) {
        const hl_parameter *p = &parameters->list[i];
        tensors[i] = (hl_named_tensor){ p->name, p->tensor->shape, parameters->values + p->offset };
    }
    if (second != NULL) {
        tensors[parameters->n] = *second;
    }
    CHECK_OK(safetensors_file_write(path, tensors, parameters->n + (second != NULL), NULL, 0));
    free(tensors);
}

static hl_status load_into(const char *path, hl_trainer *trainer)
{
    hl_checkpoint *weights;
    HL_TRY(hl_checkpoint_open(path, &weights));
    hl_status status = hl_checkpoint_load(weights, &trainer->model.parameters);
    hl_checkpoint_free(weights);
    return status;
}

TEST(the_second_name_of_tied_weights_may_be_missing_but_not_of_another_shape)
{
    hl_config config = trainer_config("");
    config.model.tie_embedding = true;
    hl_trainer *trained = trainer_of(config);
    trainer_updated(trained, 1);
    hl_trainer *fresh = trainer_of(config);
    const char *path = scratch_path("tied.safetensors");
    write_tied(path, trained, NULL);
    CHECK_OK(load_into(path, fresh));
    ck_assert_mem_eq(fresh->model.parameters.values, trained->model.parameters.values,
                     (size_t)trained->model.parameters.count * sizeof(hl_real));

    const hl_real number = 0;
    write_tied(path, trained, &(hl_named_tensor){ "output.weight", { .n_dims = 1, .size = { 1 } }, &number });
    message_check(load_into(path, fresh), HL_BAD_FILE, "train.output_weight_differs_from_embedding_weight");
}

TEST(the_checkpoint_before_stays_under_its_own_name)
{
    hl_trainer *trainer = trainer_of(trainer_config(""));
    const char *path = scratch_path("checkpoint.safetensors"), *kept = scratch_path("checkpoint-0.safetensors");
    CHECK_OK(write_checkpoint(path, kept, trainer));
    ck_assert(!scratch_exists(kept)); /* there was none */
    size_t size;
    char *first = scratch_read(path, &size);
    trainer_updated(trainer, 1);
    scratch_write(kept, "stale", 5); /* of a run that was resumed before it */
    CHECK_OK(write_checkpoint(path, kept, trainer));
    ck_assert(scratch_holds(kept, first, size));
    ck_assert(!scratch_holds(path, first, size));
    free(first);
}

/* ---- when files and memory fail ---- */

static hl_trainer *fault_trainers[2];

static void begin_faults(void)
{
    hl_config config = trainer_config("");
    config.model.tie_embedding = true; /* whose second name is read too */
    for (int version = 0; version < 2; version++) {
        fault_trainers[version] = trainer_of(config);
        trainer_updated(fault_trainers[version], version + 1);
    }
}

static hl_status save_checkpoint(const char *path, int version)
{
    return write_checkpoint(path, NULL, fault_trainers[version]);
}

static hl_status save_model(const char *path, int version)
{
    return hl_checkpoint_write_model(path, &fault_trainers[version]->model.parameters, version, some_config);
}

static hl_status load_checkpoint(const char *path)
{
    hl_checkpoint *checkpoint;
    HL_TRY(hl_checkpoint_open(path, &checkpoint));
    hl_train_state state;
    hl_status status = hl_checkpoint_restore(checkpoint, &fault_trainers[1]->optimizer, &state);
    hl_checkpoint_free(checkpoint);
    HL_TRY(status);
    assert_same_state(state, some_state);
    return hl_ok();
}

static hl_status load_weights(const char *path)
{
    return load_into(path, fault_trainers[1]);
}

TEST(a_failing_disk_or_memory_never_costs_the_checkpoint_that_is_there)
{
    begin_faults();
    fault_checks_saving(save_checkpoint, 2); /* removing a temporary file that is not there; closing the folder */
}

TEST(a_failing_disk_or_memory_never_costs_the_weights_that_are_there)
{
    begin_faults();
    fault_checks_saving(save_model, 2);
}

LOOP_TEST(reading_reports_whatever_fails, 0, 2)
{
    begin_faults();
    if (_i == 0) {
        fault_checks_loading(save_checkpoint, load_checkpoint, 1);
    } else {
        fault_checks_loading(save_model, load_weights, 1);
    }
}

/* Also the linking and what goes before it: old file and old kept file are both whole, or the new ones are. */
TEST(a_checkpoint_that_cannot_be_kept_is_not_replaced)
{
    begin_faults();
    const char *path = scratch_path("checkpoint.safetensors"), *kept = scratch_path("kept.safetensors");
    CHECK_OK(save_checkpoint(path, 0));
    size_t size;
    char *old = scratch_read(path, &size);
    faults_begin();
    int n = 0, refused = 0;
    do {
        scratch_write(path, old, size);
        faults_in_files(++n, FAULTS_ONCE, EIO);
        hl_status status = write_checkpoint(path, kept, fault_trainers[1]);
        ck_assert(status.code == HL_OK || status.code == HL_BAD_FILE);
        refused += status.code != HL_OK;
        bool replaced = !scratch_holds(path, old, size);
        ck_assert_int_eq(replaced, faults_renamed());
        ck_assert(!replaced || scratch_holds(kept, old, size));
        ck_assert_int_eq(faults_open_files(), 0);
    } while (faults_file_calls() >= n);
    ck_assert_int_gt(refused, 20);
    faults_end();
    free(old);
}

SUITE("checkpoint")
