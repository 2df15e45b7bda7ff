/* An example whose maps are recorded, and the snapshot that is read back. Both are the file's, and go after each test:
 * SUITE("snapshots", .after = forget). */
#pragma once

#include "heads/snapshot.h"
#include "tests/heads/example.h"

#include <stdio.h>
#include <sys/stat.h>

static example f;
static hl_snapshot snapshot;

static const char *path(void)
{
    return scratch_path("run/patterns/step_000500.npz");
}

static void forget(void)
{
    hl_snapshot_free(&snapshot);
    example_tear_down(&f);
}

/* Records a new example, in the place of the one before. */
static void record_batch(hl_model_config config, hl_examples batch, int64_t rows)
{
    forget();
    example_set_up_with(&f, config, batch, rows);
    expect_ok(hl_recorder_record(&f.recorder, 500, NULL, &f.arena));
}

/* Reads the snapshot of the example's `n_examples`, in the place of the one before. */
static void read_back(int64_t n_examples)
{
    hl_snapshot_free(&snapshot);
    expect_ok(hl_snapshot_read(path(), &f.model.config, n_examples, &snapshot));
}

static void expect_refused(int64_t n_examples, const char *what)
{
    hl_snapshot refused;
    hl_status status = hl_snapshot_read(path(), &f.model.config, n_examples, &refused);
    char expected[HL_STATUS_TEXT];
    snprintf(expected, sizeof expected, "%s: %s", path(), what);
    ck_assert_int_eq(status.code, HL_BAD_FILE);
    ck_assert_str_eq(status.text, expected);
    ck_assert(refused.npz.arrays == NULL);
}
