#include "core/files/npz.h"
#include "tests/check_suite.h"
#include "tests/fault_checks.h"
#include "tests/faults.h"
#include "tests/heads/example.h"
#include "tests/scratch.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static example f;

static void forget(void)
{
    example_tear_down(&f);
}

TEST(an_arena_that_is_too_small_is_reported_and_left_as_it_was)
{
    example_set_up(&f, example_config(8), 5, 9, 5);
    hl_arena small;
    expect_ok(hl_arena_init(&small, f.arena.capacity - f.arena.capacity / 4));
    ck_assert_ptr_nonnull(hl_arena_allocate(&small, 64));
    ck_assert_int_eq(hl_recorder_record(&f.recorder, 3, NULL, &small).code, HL_NO_MEMORY);
    ck_assert_uint_eq(small.used, 64);
    ck_assert(!scratch_exists(scratch_path("run/patterns/step_000003.npz")));
    hl_arena_free(&small);
}

TEST(what_cannot_be_is_refused)
{
    example_set_up(&f, example_config(8), 5, 9, 5);
    hl_recorder recorder;
    ck_assert_int_eq(hl_recorder_init(&recorder, &f.model, &f.batch, 0, 1, scratch_path("other")).code, HL_INVALID);
    f.batch.n_examples = 0;
    ck_assert_int_eq(hl_recorder_init(&recorder, &f.model, &f.batch, 1, 1, scratch_path("other")).code, HL_INVALID);
    f.batch.n_examples = 5;
    ck_assert(!scratch_exists(scratch_path("other")));
    size_t bytes;
    ck_assert_int_eq(hl_recorder_pass_bytes(&f.model, 1, 65, 1, &bytes).code, HL_INVALID);
    CHECK_OK(hl_recorder_init(&recorder, &f.model, &f.batch, 100, 1, NULL));
    ck_assert_int_eq(hl_recorder_record(&recorder, 3, NULL, &f.arena).code, HL_INVALID); /* no folder */
    hl_recorder_free(&recorder);
    ck_assert_int_eq(hl_recorder_record(&f.recorder, -1, NULL, &f.arena).code, HL_INVALID);
}

TEST(a_folder_that_cannot_be_written_is_reported)
{
    example_set_up(&f, example_config(8), 5, 9, 5);
    scratch_write(scratch_path("file"), "x", 1);
    hl_recorder recorder;
    hl_status status = hl_recorder_init(&recorder, &f.model, &f.batch, 1, 1, scratch_path("file"));
    ck_assert_int_eq(status.code, HL_BAD_FILE);
    ck_assert_ptr_nonnull(strstr(status.text, "file"));
    ck_assert_ptr_null(recorder.memory);
    ck_assert_int_eq(rmdir(scratch_path("run/patterns")), 0);
    status = hl_recorder_record(&f.recorder, 3, NULL, &f.arena);
    ck_assert_int_eq(status.code, HL_BAD_FILE);
    ck_assert_ptr_nonnull(strstr(status.text, "run/patterns/step_000003.npz"));
}

TEST(a_set_up_that_lacks_memory_leaves_nothing)
{
    faults_begin();
    hl_model_config config = example_config(8);
    hl_model model;
    example_model(&model, &config);
    hl_examples batch = example_batch(3, 6);
    int n = 0;
    while (fault_checks_next(&n, FAULTS_ONCE)) {
        hl_recorder recorder;
        hl_status status = hl_recorder_init(&recorder, &model, &batch, 2, 1, scratch_path("patterns"));
        fault_checks_turn(status);
        if (status.code == HL_OK) {
            hl_recorder_free(&recorder);
        }
    }
    ck_assert_int_gt(n, 3);
    hl_examples_free(&batch);
    hl_model_free(&model);
    faults_end();
}

/* Makes call after call fail while step 5 is recorded anew, with other weights than before. */
static void expect_old_or_new(bool in_memory)
{
    const char *path = scratch_path("run/patterns/step_000005.npz");
    int blocks = faults_live_blocks(), n = 0;
    for (bool reached = true; reached;) {
        size_t size;
        char *old = scratch_read(path, &size);
        f.model.parameters.values[n % 8] += 1;
        faults_in_files(in_memory ? 0 : ++n, FAULTS_ONCE, ENOSPC);
        faults_in_memory(in_memory ? ++n : 0, FAULTS_ONCE);
        hl_status status = hl_recorder_record(&f.recorder, 5, NULL, &f.arena);
        reached = (in_memory ? faults_allocations() : faults_file_calls()) >= n;
        ck_assert(reached || status.code == HL_OK);
        if (status.code != HL_OK) {
            ck_assert_int_eq(status.code, in_memory ? HL_NO_MEMORY : HL_BAD_FILE);
            ck_assert(scratch_holds(path, old, size));
        }
        free(old);
        ck_assert_int_eq(f.arena.used, 0);
        ck_assert_int_eq(faults_live_blocks(), blocks);
        ck_assert_int_eq(faults_open_files(), 0);
    }
    ck_assert_int_gt(n, 5);
}

LOOP_TEST(a_recording_that_fails_leaves_the_old_file, 0, 2)
{
    faults_begin();
    example_set_up(&f, example_config(8), 3, 6, 2);
    expect_ok(hl_recorder_record(&f.recorder, 5, NULL, &f.arena));
    expect_old_or_new(_i);
    forget();
    ck_assert_int_eq(faults_live_blocks(), 0);
    faults_end();
}

TEST(recording_allocates_only_to_write_the_file)
{
    faults_begin();
    example_set_up(&f, example_config(8), 6, 9, 2);
    faults_in_memory(0, FAULTS_ONCE);
    expect_ok(hl_recorder_record(&f.recorder, 5, NULL, &f.arena));
    int recording = faults_allocations();
    faults_in_memory(0, FAULTS_ONCE);
    hl_npz_writer *npz = hl_npz_create(scratch_path("another.npz"));
    static const char *const names[] = { "layer_0", "layer_1", "tokens", "targets", "source", "lengths", "logits" };
    for (int i = 0; i < 7; i++) {
        hl_npz_add(npz, names[i], HL_NPY_INT32, HL_SHAPE(1), &(int32_t){ 1 });
    }
    hl_npz_add(npz, "step", HL_NPY_INT32, (hl_shape){ .n_dims = 0 }, &(int32_t){ 1 });
    hl_npz_add(npz, "format", HL_NPY_INT32, (hl_shape){ .n_dims = 0 }, &(int32_t){ 1 });
    expect_ok(hl_npz_close(npz, HL_VOLATILE));
    ck_assert_int_eq(recording, faults_allocations());
    forget();
    faults_end();
}

SUITE("recorder's failures", .after = forget)
