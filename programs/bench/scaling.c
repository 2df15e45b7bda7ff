#include "programs/bench/runs.h"

#include "programs/bench/flops.h"
#include "programs/bench/machine.h"
#include "programs/beside.h"
#include "programs/print_line.h"
#include "train/setup.h"

#include <inttypes.h>

enum { WIDTH = 80, OVERRIDE_TEXT = 64 };

/* The figures that neighbouring rows compare: measured, and by theory. */
typedef struct row {
    double ms, mib, flops, activations;
} row;

static void print_row(FILE *out, const char *label, const row *r, const row *before)
{
    fprintf(out, "%-26s%10.3f", label, r->ms);
    if (before != NULL) {
        fprintf(out, "%8.2f%8.2f%12.2f%8.2f%8.2f\n", r->ms / before->ms, r->flops / before->flops, r->mib,
                r->mib / before->mib, r->activations / before->activations);
    } else {
        fprintf(out, "%16s%12.2f\n", "", r->mib);
    }
    fflush(out);
}

/* The rows of one key, whose value in the config is `value`. */
static hl_status scale(const char *program, const hl_bench_job *job, const char *key, int64_t value, FILE *out)
{
    const int64_t values[] = { value / 2, value, 2 * value };
    row rows[2], *now = rows, *before = NULL;
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        hl_bench_job one = *job;
        hl_config config;
        hl_dataset *dataset;
        char override[OVERRIDE_TEXT];
        snprintf(override, sizeof override, "%s=%" PRId64, key, values[i]);
        hl_named_config_set(&one.config, override);
        hl_status status = hl_bench_job_open(&one, NULL, &config, &dataset);
        if (status.code == HL_INVALID) {
            fprintf(out, "%-26sleft out: %s\n", override, status.text);
            continue;
        }
        HL_TRY(status);
        hl_dataset_free(dataset);
        hl_bench_figures figures;
        HL_TRY(hl_bench_process_run(program, &one, &figures));
        *now = (row){ .ms = figures.ms,
                      .mib = figures.arena_mib,
                      .flops = hl_bench_config_flops(&config),
                      .activations = hl_bench_config_activations(&config) };
        print_row(out, override, now, before);
        before = now;
        now = before == rows ? rows + 1 : rows;
    }
    return hl_ok();
}

hl_status hl_bench_scaling(const char *program, const hl_bench_job *job, FILE *out, FILE *err)
{
    hl_config config;
    HL_TRY(hl_bench_job_config(job, err, &config));
    HL_TRY(hl_bench_machine_announce(hl_setup_threads(&config), out, err));
    hl_print_line(out, "A step of %s%s, one size doubled at a time", job->config.path,
                  config.train.precision == HL_PRECISION_BF16 ? " in bf16" : "");
    fprintf(out, "\n%-26s%10s%8s%8s%12s%8s%8s\n", "", "ms/step", "times", "theory", "arena MiB", "times", "theory");
    HL_TRY(config.task.length > 0 ? scale(program, job, "task.length", config.task.length, out) : hl_ok());
    HL_TRY(scale(program, job, "model.d_model", config.model.d_model, out));
    HL_TRY(scale(program, job, "model.heads", config.model.heads[0], out));
    HL_TRY(scale(program, job, "train.batch_size", config.train.batch_size, out));
    hl_text text = { 0 };
    hl_text_print(&text, "\n");
    hl_text_paragraph(
        &text, WIDTH,
        "\"times\" is against the row before. Theory of time: the products' multiply-adds, for n tokens of width d a "
        "sum of n d^2 terms (projections, feed-forward; there d times d_ff, which stays as it is) and one of n^2 d "
        "(attention). Theory of memory: activations of n d numbers and attention weights of n^2 h, 8 D + F + H T "
        "numbers a token and layer, without H T where backward makes the weights again (model.attention), and 2 V a "
        "token.");
    hl_text_paragraph(
        &text, WIDTH,
        "To predict a run: its multiply-adds stand in `%s CONFIG --summary`; divided by the GFLOP/s that bench "
        "finds for the config nearest to it, and times train.steps, they are its time. Where a step takes longer than "
        "theory says, its products are too small or narrow to reach the rate of large ones; where it takes less, "
        "larger sizes use the machine better. Memory: --summary has it, exactly.",
        hl_program_name("train"));
    return hl_print_text(out, &text);
}
