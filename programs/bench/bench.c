#include "programs/bench/bench.h"

#include "core/memory.h"
#include "core/text.h"
#include "programs/bench/allocations.h"
#include "programs/bench/command.h"
#include "programs/bench/json.h"
#include "programs/bench/runs.h"
#include "programs/beside.h"
#include "programs/standard_output.h"

/* --measure: prints the line that the process which started this one reads (programs/bench/process.h). */
static hl_status measure(const hl_bench_job *job, FILE *out)
{
    hl_bench_figures figures;
    hl_bench_allocations_count();
    hl_status status = hl_bench_job_run(job, &figures);
    hl_text line = { 0 };
    if (status.code == HL_OK) {
        hl_bench_json_line(&line, &figures);
        status = hl_text_status(&line);
    }
    fputs(status.code == HL_OK ? line.bytes : status.text, out);
    hl_text_free(&line);
    return status;
}

/* --scaling and --heads: one config, the user's or a shipped one. */
static hl_status study(const char *program, const hl_bench_command *command, FILE *out, FILE *err)
{
    hl_bench_job job = command->job;
    char *path;
    HL_TRY(command->n_configs > 0
               ? hl_find_config(command->configs[0], &path)
               : hl_shipped_config(program, command->scaling ? "bench/copy.ini" : "bench/small.ini", &path));
    job.config.path = path;
    hl_status status =
        command->scaling ? hl_bench_scaling(program, &job, out, err) : hl_bench_heads(program, &job, out, err);
    hl_free(path);
    return status;
}

static hl_status execute(const char *program, const hl_bench_command *command, FILE *out, FILE *err)
{
    if (command->help) {
        return hl_print_help(out, hl_bench_command_usage);
    }
    if (command->version) {
        fprintf(out, "headlight %s\n", HL_VERSION);
        return hl_ok();
    }
    return command->scaling || command->heads ? study(program, command, out, err)
                                              : hl_bench_runs(program, command, out, err);
}

int hl_bench_program(const char *program, int argc, char **argv, FILE *out, FILE *err)
{
    hl_bench_command command;
    hl_status status = hl_bench_command_parse(argc, argv, &command);
    if (status.code == HL_OK && command.measure) {
        hl_bench_job job = command.job;
        job.config.path = command.configs[0];
        return (int)measure(&job, out).code;
    }
    HL_THEN(status, execute(program, &command, out, err));
    return hl_standard_output_end(status, false, out, err);
}
