#include "train/setup_check.h"

#include "data/dataset.h"
#include "heads/recorder.h"
#include "train/setup.h"

#include <inttypes.h>

static hl_status check_budget(const hl_config *config, const char *path)
{
    hl_task_spec spec = hl_config_task_spec(config);
    hl_model_config model = hl_setup_model(config);
    int64_t examples = hl_setup_recorded_examples(config), budget = config->patterns.budget_mb;
    int64_t snapshots = hl_cadence_count(hl_setup_cadence(config), config->train.steps);
    double megabytes =
        (double)snapshots *
        (double)hl_recorder_bytes(&model, examples, hl_task_max_tokens(&spec), hl_task_n_relations(&spec)) / 1e6;
    if (examples == 0 || budget == 0 || megabytes <= (double)budget) {
        return hl_ok();
    }
    return hl_error(HL_INVALID,
                    "%s: %" PRId64 " snapshots would take %.0f MB, and patterns.budget_mb is %" PRId64
                    "; raise it, or lower patterns.examples, or record less often (patterns.every)",
                    path, snapshots, megabytes, budget);
}

static hl_status check_task(const hl_config *config, const char *path)
{
    hl_task_spec spec = hl_config_task_spec(config);
    hl_dataset *dataset;
    hl_status status = hl_dataset_open(&spec, (uint64_t)config->train.seed, &dataset);
    if (status.code == HL_INVALID) {
        return hl_error(HL_INVALID, "%s: %s", path, status.text);
    }
    HL_TRY(status);
    hl_dataset_free(dataset);
    return hl_ok();
}

hl_status hl_setup_check(const hl_config *config, const char *path)
{
    HL_TRY(check_task(config, path));
    return check_budget(config, path);
}
