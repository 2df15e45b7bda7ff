#include "train/setup_check.h"

#include "data/dataset.h"
#include "train/snapshot_budget.h"

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
    return hl_snapshot_budget_check(config, path);
}
