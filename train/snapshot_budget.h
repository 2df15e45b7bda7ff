/* Which snapshots a run takes, how much disk space they need, reported before the run begins, and whether
 * patterns.budget_mb allows that. A toy task's run that would need more is refused. A run on a user's files records
 * fewer examples instead, because nobody chose their vocabulary and lengths. With `patterns.every = log`, extra
 * snapshots are taken when the loss falls: as many as the others leave room for, at most HL_SNAPSHOT_BUDGET_EXTRA. A
 * resumed run with another train.steps, patterns.examples or patterns.budget_mb may take them at other steps than a run
 * that had these values from the beginning. */
#pragma once

#include "core/base/declarations.h"
#include "core/base/status.h"
#include "heads/cadence.h"
#include "train/config.h"

#include <stddef.h>
#include <stdint.h>

HL_BEGIN_DECLS

enum { HL_SNAPSHOT_BUDGET_EXTRA = 16 };

/* In bytes; SIZE_MAX stands for a value that does not fit. */
typedef struct hl_snapshot_budget {
    hl_cadence cadence;
    int64_t n;       /* snapshots in the whole run, an upper bound if there are extra ones; 0 if none is taken */
    int64_t extra;   /* how many of them are taken only when the loss falls */
    size_t each;     /* per snapshot, at most */
    size_t together; /* all together, at most */
    size_t allowed;  /* by patterns.budget_mb; 0: no limit */
} hl_snapshot_budget;

/* How many examples are recorded: patterns.examples, but at most as many as are validated. For a user's files, at most
 * as many as the budget has room for, perhaps 0. */
int64_t hl_snapshot_budget_examples(const hl_config *config);

hl_snapshot_budget hl_snapshot_budget_of(const hl_config *config);

/* HL_INVALID if the snapshots would need more than is allowed; the text names the config's file, the key and a
 * remedy. */
hl_status hl_snapshot_budget_check(const hl_config *config, const char *path);

enum { HL_SNAPSHOT_BUDGET_TEXT = 160 };

/* Such as "up to 26 snapshots of 510.1 KiB, 13.0 MiB of the 256.0 MiB that patterns.budget_mb allows". Returns
 * `text`. */
const char *hl_snapshot_budget_text(const hl_config *config, char text[HL_SNAPSHOT_BUDGET_TEXT]);

/* If the budget has no room for all examples: "patterns.budget_mb = 256: 3 of 32 examples are recorded, a snapshot of
 * which takes 12.1 MiB", in `text`, which is returned. Otherwise NULL. */
const char *hl_snapshot_budget_notice(const hl_config *config, char text[HL_SNAPSHOT_BUDGET_TEXT]);

HL_END_DECLS
