#include "programs/bench/bench.h"

#include "core/base/memory.h"
#include "core/base/text.h"
#include "programs/bench/command.h"
#include "programs/bench/json.h"
#include "programs/bench/runs.h"
#include "programs/beside.h"
#include "programs/processes.h"
#include "programs/standard_output.h"

/* --measure: prints the line that the process which started this one reads (programs/bench/job.h). */
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

/* --scaling, --heads and --cluster: one config, the user's or a shipped one. */
static hl_status study(const char *program, hl_ranks *ranks, const hl_bench_command *command, FILE *out, FILE *err)
{
    hl_bench_job job = command->job;
    char *path;
    if (command->cluster && command->n_configs == 0 && !hl_named_config_sets(&job.config, "train.leaves")) {
        hl_named_config_set(&job.config, "train.leaves=8");
    }
    HL_TRY(command->n_configs > 0
               ? hl_bench_find_config(program, command->configs[0], &path)
               : hl_shipped_config(program, command->scaling ? "bench/copy.ini" : "bench/small.ini", &path));
    job.config.path = path;
    hl_status status = command->cluster   ? hl_bench_cluster(&job, ranks, out)
                       : command->scaling ? hl_bench_scaling(program, &job, out, err)
                                          : hl_bench_heads(program, &job, out, err);
    hl_free(path);
    return status;
}

static hl_status execute(const char *program, hl_ranks *ranks, const hl_bench_command *command, FILE *out, FILE *err)
{
    if (command->help) {
        return hl_print_help(out, hl_bench_help_usage);
    }
    if (command->version) {
        fprintf(out, "headlight %s\n", HL_VERSION);
        return hl_ok();
    }
    if (ranks != NULL && !command->cluster) {
        return hl_error(HL_INVALID, "command line: several processes (mpirun) are for --cluster; start one");
    }
    hl_processes processes = { 0 };
    hl_status met = hl_processes_share(ranks, true, err, &processes);
    hl_processes_free(&processes);
    HL_TRY(met);
    return command->scaling || command->heads || command->cluster ? study(program, ranks, command, out, err)
                                                                  : hl_bench_runs(program, command, out, err);
}

int hl_bench_program(hl_ranks *ranks, const char *program, int argc, char **argv, FILE *out, FILE *err)
{
    hl_bench_command command;
    hl_status status = hl_bench_command_parse(argc, argv, &command);
    if (status.code == HL_OK && command.measure && !command.help && !command.version) {
        hl_bench_job job = command.job;
        job.config.path = command.configs[0];
        return (int)measure(&job, out).code;
    }
    HL_THEN(status, execute(program, ranks, &command, out, err));
    return hl_standard_output_end(status, false, out, err);
}
