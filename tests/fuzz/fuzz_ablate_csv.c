/* The bytes as the ablation.csv of a resumed sweep. What is taken, written out and read again says the same. */
#include "programs/ablate/result.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/input_file.h"

#include <math.h>
#include <string.h>

enum { CELLS = 4 };

static const char config[] =
    "[task]\nname = copy\nlength = 3\nsymbols = 4\n[model]\nlayers = 1\nd_model = 8\nheads = 2\n"
    "[train]\nsteps = 4\nseed = 1\n";

static void make_plan(hl_ablate_plan *plan)
{
    input_file_set((const uint8_t *)config, sizeof config - 1);
    hl_ablate_command command = { .config.path = "fuzz.ini", .seeds = 2, .row_a = true, .n_axes = 1 };
    command.axes[0] = (hl_ablate_axis){ "model.heads", "2,4" };
    fuzz_require(hl_ablate_plan_make(&command, plan, NULL, NULL).code == HL_OK);
    fuzz_require(hl_ablate_plan_cells(plan) == CELLS);
}

/* Whether the file is there is asked of the system: a path that is. */
static hl_status read_into(const hl_ablate_plan *plan, hl_ablate_result results[CELLS])
{
    memset(results, 0, CELLS * sizeof *results);
    return hl_ablate_csv_read("/dev/null", plan, results);
}

static void write_and_read(const hl_ablate_plan *plan, const hl_ablate_result results[CELLS])
{
    hl_text text = { 0 };
    hl_ablate_result again[CELLS];
    fuzz_require(hl_ablate_csv_print(plan, results, &text).code == HL_OK);
    input_file_set((const uint8_t *)text.bytes, text.size);
    fuzz_require(read_into(plan, again).code == HL_OK);
    for (int i = 0; i < CELLS; i++) {
        double seconds = results[i].seconds;
        fuzz_require(again[i].state == results[i].state);
        fuzz_require(isnan(seconds) ? isnan(again[i].seconds)
                                    : fabs(seconds - again[i].seconds) <= 0.0006 + 1e-12 * seconds);
    }
    hl_text_free(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static hl_ablate_plan plan;
    if (plan.n_variants == 0) {
        make_plan(&plan);
    }
    input_file_set(data, size);
    hl_ablate_result results[CELLS];
    if (read_into(&plan, results).code == HL_OK) {
        write_and_read(&plan, results);
    }
    return 0;
}
