/* Which snapshots a run takes, what they take on disk, told before it begins, and whether patterns.budget_mb allows it:
 * a toy task's run that would take more is refused; one on a user's files, whose vocabulary and lengths nobody chose,
 * records fewer examples.
 * Those that `patterns.every = log` takes where the loss falls are as many as the others leave room for, at most
 * HL_SNAPSHOT_BUDGET_EXTRA: a run that goes on with another train.steps, patterns.examples or patterns.budget_mb may
 * take them at other steps than one that had them from its beginning. */
#ifndef HL_TRAIN_SNAPSHOT_BUDGET_H
#define HL_TRAIN_SNAPSHOT_BUDGET_H

#include "core/base/declarations.h"
#include "core/base/status.h"
#include "heads/cadence.h"
#include "train/config.h"

#include <stddef.h>
#include <stdint.h>

HL_BEGIN_DECLS

enum { HL_SNAPSHOT_BUDGET_EXTRA = 16 };

/* Bytes; SIZE_MAX stands for what does not fit. */
typedef struct hl_snapshot_budget {
    hl_cadence cadence;
    int64_t n;       /* snapshots of the whole run, at most where the cadence has extra ones; 0 where none is taken */
    int64_t extra;   /* how many of them are taken only where the loss falls */
    size_t each;     /* at most */
    size_t together; /* at most */
    size_t allowed;  /* by patterns.budget_mb; 0: no limit */
} hl_snapshot_budget;

/* How many examples are recorded: patterns.examples or as many as are validated, of a user's files no more than the
 * budget has room for, 0 perhaps. */
int64_t hl_snapshot_budget_examples(const hl_config *config);

hl_snapshot_budget hl_snapshot_budget_of(const hl_config *config);

/* HL_INVALID, naming the config's file, the key and what to do, where the snapshots would take more than is allowed. */
hl_status hl_snapshot_budget_check(const hl_config *config, const char *path);

enum { HL_SNAPSHOT_BUDGET_TEXT = 160 };

/* "up to 26 snapshots of 510.1 KiB, 13.0 MiB of the 256.0 MiB that patterns.budget_mb allows"; returns `text`. */
const char *hl_snapshot_budget_text(const hl_config *config, char text[HL_SNAPSHOT_BUDGET_TEXT]);

/* Where the budget has no room for all examples: "patterns.budget_mb = 256: 3 of 32 examples are recorded, a snapshot
 * of which takes 12.1 MiB"; where it has, NULL. Returns `text`. */
const char *hl_snapshot_budget_notice(const hl_config *config, char text[HL_SNAPSHOT_BUDGET_TEXT]);

HL_END_DECLS

#endif
