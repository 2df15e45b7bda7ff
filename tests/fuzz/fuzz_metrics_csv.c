/* The bytes as a metrics.csv. A file that a resumed run takes is then whole: it is taken again as it is, each line of
 * it is a row up to the step asked for, and what a sweep makes of it is one of its rows. */
#include "core/files.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/input_file.h"
#include "train/ablate_result.h"
#include "train/metrics_csv.h"

#include <math.h>
#include <string.h>

enum { LAST_STEP = 20 };

/* Whether the file is there is asked of the system: a path that is. */
static const char path[] = "/dev/null";

static hl_status open_and_close(void)
{
    hl_metrics_csv csv;
    hl_status status = hl_metrics_csv_open(&csv, path, LAST_STEP);
    hl_metrics_csv_close(&csv);
    return status;
}

static void check_resumed(void)
{
    if (open_and_close().code != HL_OK) {
        return;
    }
    size_t size, again;
    const uint8_t *bytes = input_file_bytes(&size);
    fuzz_require(hl_metrics_csv_check(path, (const char *)bytes, size).code == HL_OK && bytes[size - 1] == '\n');
    fuzz_require(open_and_close().code == HL_OK);
    fuzz_require(input_file_bytes(&again) == bytes && again == size); /* nothing was left to drop */
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    input_file_set(data, size);
    static const hl_config_train train = { .steps = LAST_STEP, .patience = 1 };
    hl_ablate_result result;
    if (hl_ablate_result_read("folder", &train, 0.5, &result).code == HL_OK) {
        hl_ablate_glimpse glimpse = hl_ablate_glimpse_of("folder");
        fuzz_require(hl_metrics_csv_check(path, (const char *)data, size).code == HL_OK);
        fuzz_require(result.steps >= 0 && result.steps <= LAST_STEP && isfinite(result.loss) && result.accuracy >= 0 &&
                     result.accuracy <= 1);
        fuzz_require(glimpse.step >= 0 && isfinite(glimpse.loss));
    }
    check_resumed();
    return 0;
}
