#include "train/snapshot_budget.h"

#include "core/memory.h"
#include "core/units.h"
#include "heads/recorder.h"
#include "train/setup.h"

#include <stdio.h>

/* How many of `bytes` each may come to the `n` that there are. */
static int64_t room_for_extra(size_t allowed, int64_t n, size_t bytes)
{
    if (allowed == 0) {
        return HL_SNAPSHOT_BUDGET_EXTRA;
    }
    size_t together = hl_size_product((size_t)n, bytes), room = together < allowed ? (allowed - together) / bytes : 0;
    return room < HL_SNAPSHOT_BUDGET_EXTRA ? (int64_t)room : HL_SNAPSHOT_BUDGET_EXTRA;
}

hl_snapshot_budget hl_snapshot_budget_of(const hl_config *config)
{
    int64_t every = config->patterns.every;
    hl_snapshot_budget budget = { .cadence = { .every = every == HL_CONFIG_LOG ? HL_CADENCE_LOG
                                                        : every > 0            ? every
                                                                               : INT64_MAX },
                                  .allowed = hl_size_product((size_t)config->patterns.budget_mb, (size_t)1 << 20) };
    int64_t examples = hl_setup_recorded_examples(config);
    if (examples > 0) {
        hl_model_config model = hl_setup_model(config);
        budget.each = hl_recorder_file_bytes(&model, examples, config->sizes.longest, config->sizes.relations);
        budget.n = hl_cadence_most(budget.cadence, config->train.steps);
        if (budget.cadence.every == HL_CADENCE_LOG) {
            budget.cadence.extra = room_for_extra(budget.allowed, budget.n, budget.each);
            budget.extra = hl_cadence_most(budget.cadence, config->train.steps) - budget.n;
            budget.n += budget.extra;
        }
        budget.together = hl_size_product((size_t)budget.n, budget.each);
    }
    return budget;
}

hl_status hl_snapshot_budget_check(const hl_config *config, const char *path)
{
    hl_snapshot_budget budget = hl_snapshot_budget_of(config);
    char n[HL_UNITS_TEXT], together[HL_UNITS_TEXT], allowed[HL_UNITS_TEXT];
    if (budget.allowed == 0 || budget.together <= budget.allowed) {
        return hl_ok();
    }
    return hl_error(
        HL_INVALID,
        "%s: patterns.budget_mb = %lld: %s snapshots would take %s of the %s allowed; raise it (0: no limit), "
        "lower patterns.examples or record less often (patterns.every)",
        path, (long long)config->patterns.budget_mb, hl_units_count(budget.n, n),
        hl_units_bytes(budget.together, together), hl_units_bytes(budget.allowed, allowed));
}

const char *hl_snapshot_budget_text(const hl_config *config, char text[HL_SNAPSHOT_BUDGET_TEXT])
{
    hl_snapshot_budget budget = hl_snapshot_budget_of(config);
    char n[HL_UNITS_TEXT], each[HL_UNITS_TEXT], together[HL_UNITS_TEXT], allowed[HL_UNITS_TEXT];
    if (budget.n == 0) {
        snprintf(text, HL_SNAPSHOT_BUDGET_TEXT, "no snapshots (patterns.examples = 0)");
        return text;
    }
    int length =
        snprintf(text, HL_SNAPSHOT_BUDGET_TEXT, "%s%s snapshot%s of %s, ", budget.cadence.extra > 0 ? "up to " : "",
                 hl_units_count(budget.n, n), budget.n == 1 ? "" : "s", hl_units_bytes(budget.each, each));
    size_t room = (size_t)(HL_SNAPSHOT_BUDGET_TEXT - length);
    hl_units_bytes(budget.together, together);
    if (budget.allowed == 0) {
        snprintf(text + length, room, "%s (patterns.budget_mb = 0: no limit)", together);
    } else {
        snprintf(text + length, room, "%s of the %s that patterns.budget_mb allows", together,
                 hl_units_bytes(budget.allowed, allowed));
    }
    return text;
}
