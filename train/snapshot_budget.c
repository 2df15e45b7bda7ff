#include "train/snapshot_budget.h"

#include "core/base/memory.h"
#include "core/base/units.h"
#include "heads/recorder.h"
#include "train/setup.h"

#include <stdio.h>

/* How many more, of `bytes` each, may be added to the existing `n`. */
static int64_t room_for_extra(size_t allowed, int64_t n, size_t bytes)
{
    if (allowed == 0) {
        return HL_SNAPSHOT_BUDGET_EXTRA;
    }
    size_t together = hl_size_product((size_t)n, bytes), room = together < allowed ? (allowed - together) / bytes : 0;
    return room < HL_SNAPSHOT_BUDGET_EXTRA ? (int64_t)room : HL_SNAPSHOT_BUDGET_EXTRA;
}

static hl_cadence cadence_of(const hl_config *config)
{
    int64_t every = config->patterns.every;
    return (hl_cadence){ .every = every == HL_CONFIG_LOG ? HL_CADENCE_LOG : every > 0 ? every : INT64_MAX };
}

static size_t allowed_by(const hl_config *config)
{
    return hl_size_product((size_t)config->patterns.budget_mb, (size_t)1 << 20);
}

/* The most bytes of a snapshot with that many examples. */
static size_t bytes_of(const hl_config *config, int64_t examples)
{
    hl_model_config model = hl_setup_model(config);
    return hl_recorder_file_bytes(&model, examples, config->sizes.longest, hl_setup_example_arrays(config));
}

static int64_t examples_asked(const hl_config *config)
{
    int64_t asked = config->patterns.examples, there = config->train.eval_examples;
    return asked < there ? asked : there;
}

int64_t hl_snapshot_budget_examples(const hl_config *config)
{
    int64_t examples = examples_asked(config);
    size_t allowed = allowed_by(config);
    if (config->sizes.examples[HL_TRAIN] == 0 || allowed == 0) {
        return examples;
    }
    size_t n = (size_t)hl_cadence_most(cadence_of(config), config->train.steps);
    while (examples > 0 && hl_size_product(n, bytes_of(config, examples)) > allowed) {
        examples--;
    }
    return examples;
}

hl_snapshot_budget hl_snapshot_budget_of(const hl_config *config)
{
    hl_snapshot_budget budget = { .cadence = cadence_of(config), .allowed = allowed_by(config) };
    int64_t examples = hl_snapshot_budget_examples(config);
    if (examples > 0) {
        budget.each = bytes_of(config, examples);
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
    if (budget.n == 0 && examples_asked(config) > 0) {
        return hl_snapshot_budget_notice(config, text);
    }
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

const char *hl_snapshot_budget_notice(const hl_config *config, char text[HL_SNAPSHOT_BUDGET_TEXT])
{
    int64_t asked = examples_asked(config), recorded = hl_snapshot_budget_examples(config);
    if (recorded == asked) {
        return NULL;
    }
    char each[HL_UNITS_TEXT];
    hl_units_bytes(bytes_of(config, recorded > 0 ? recorded : 1), each);
    if (recorded > 0) {
        snprintf(text, HL_SNAPSHOT_BUDGET_TEXT,
                 "patterns.budget_mb = %lld: %lld of %lld examples are recorded, %s a snapshot",
                 (long long)config->patterns.budget_mb, (long long)recorded, (long long)asked, each);
    } else {
        snprintf(text, HL_SNAPSHOT_BUDGET_TEXT, "patterns.budget_mb = %lld: no snapshots, of one example each takes %s",
                 (long long)config->patterns.budget_mb, each);
    }
    return text;
}
