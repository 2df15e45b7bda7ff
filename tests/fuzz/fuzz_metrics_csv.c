/* The bytes as a metrics.csv, of whose rows a checkpoint knows as many as can be read. A file that a resumed run takes
 * is then whole: it is taken again as it is, each line of it is a row, and what a sweep makes of it is one of its rows.
 * One of other rows is not taken. */
#include "core/files/files.h"
#include "programs/ablate/result.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/input_file.h"
#include "train/metrics_csv.h"

#include <math.h>
#include <string.h>

enum { LAST_STEP = 20 };

static const char path[] = "metrics.csv";

/* `kind`: of the rows that are known. */
static hl_status open_and_close(hl_metrics_kind kind, hl_metrics_sum until)
{
    hl_metrics_csv csv;
    hl_status status = hl_metrics_csv_open(&csv, path, kind, until);
    hl_metrics_csv_close(&csv);
    return status;
}

/* Of the rows before the first line that is none. */
static hl_metrics_rows rows_of(const char *text, size_t size)
{
    hl_metrics_rows rows;
    hl_metrics_row row;
    bool there = hl_metrics_rows_begin(&rows, path, text, size).code == HL_OK;
    while (there && hl_metrics_rows_next(&rows, &row, &there).code == HL_OK) {
    }
    return rows;
}

static void check_resumed(const uint8_t *data, size_t size)
{
    hl_metrics_rows rows = rows_of((const char *)data, size);
    hl_metrics_sum known = rows.sum, other = { known.rows, known.crc ^ 1 };
    hl_metrics_kind another = rows.kind == HL_METRICS_PLAIN ? HL_METRICS_TOKENS : HL_METRICS_PLAIN;
    bool good = hl_metrics_csv_check_until(path, known).code == HL_OK;
    fuzz_require(open_and_close(rows.kind, other).code == HL_BAD_FILE);
    fuzz_require(size == 0 || open_and_close(another, known).code == HL_BAD_FILE);
    fuzz_require(open_and_close(rows.kind, known).code == (good ? HL_OK : HL_BAD_FILE));
    if (!good) {
        return;
    }
    size_t left, again;
    const uint8_t *bytes = input_file_bytes(&left);
    fuzz_require(hl_metrics_csv_check(path, (const char *)bytes, left, known).code == HL_OK && bytes[left - 1] == '\n');
    fuzz_require(open_and_close(rows.kind, known).code == HL_OK);
    fuzz_require(input_file_bytes(&again) == bytes && again == left); /* nothing was left to drop */
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    input_file_set(data, size);
    static const hl_config_train train = { .steps = LAST_STEP, .patience = 1 };
    static const hl_metrics_sum none;
    hl_ablate_result result;
    if (hl_ablate_result_read("folder", &train, 0.5, &result).code == HL_OK) {
        hl_ablate_glimpse glimpse = hl_ablate_glimpse_of("folder");
        fuzz_require(hl_metrics_csv_check(path, (const char *)data, size, none).code == HL_OK);
        fuzz_require(result.steps >= 0 && result.steps <= LAST_STEP && isfinite(result.loss) && result.accuracy >= 0 &&
                     result.accuracy <= 1);
        fuzz_require(glimpse.step >= 0 && isfinite(glimpse.loss));
    }
    check_resumed(data, size);
    return 0;
}
