#include "programs/bench/command.h"

#include "core/base/threads.h"
#include "programs/options.h"

#include <stddef.h>
#include <string.h>

static hl_status read_measure(const char *name, const char *value, void *given)
{
    hl_bench_command *command = given;
    for (int what = 0; what < HL_BENCH_WHATS; what++) {
        if (strcmp(value, hl_bench_what_names[what]) == 0) {
            command->job.what = (hl_bench_what)what;
            command->measure = true;
            command->job.config.by_program = true;
            return hl_ok();
        }
    }
    return hl_error(HL_INVALID, "command line: --%s: \"%s\" is none of step, heads, loop, sgemm", name, value);
}

static const hl_option options[] = {
    { HL_OPTION("threads", INT, hl_bench_command, job.threads), .least = 1, .most = HL_MAX_THREADS },
    { HL_OPTION("seconds", NUMBER, hl_bench_command, job.seconds), .from = 0.001, .to = 3600 },
    { HL_OPTION("profile", FLAG, hl_bench_command, job.profile) },
    { HL_OPTION("json", TEXT, hl_bench_command, json) },
    { HL_OPTION("scaling", FLAG, hl_bench_command, scaling) },
    { HL_OPTION("heads", FLAG, hl_bench_command, heads) },
    { HL_OPTION("cluster", FLAG, hl_bench_command, cluster) },
    { .name = "measure", .kind = HL_OPTION_READ, .read = read_measure },
    { HL_OPTION("help", FLAG, hl_bench_command, help) },
    { HL_OPTION("version", FLAG, hl_bench_command, version) },
};

static hl_status take_argument(const char *word, void *given)
{
    hl_bench_command *command = given;
    size_t length = strlen(word);
    bool names_config = length >= 4 && strcmp(word + length - 4, ".ini") == 0;
    if (strchr(word, '=') != NULL && !names_config) {
        return hl_named_config_override(&command->job.config, word);
    }
    if (command->n_configs == HL_BENCH_MAX_CONFIGS) {
        return hl_error(HL_INVALID, "command line: more than %d configs", HL_BENCH_MAX_CONFIGS);
    }
    command->configs[command->n_configs++] = word;
    return hl_ok();
}

/* Refuses what --measure would ignore. */
static hl_status check_measure(const hl_bench_command *command)
{
    const hl_bench_job *job = &command->job;
    bool sgemm = job->what == HL_BENCH_SGEMM;
    if (sgemm && (command->n_configs > 0 || job->config.n_overrides > 0)) {
        return hl_error(HL_INVALID, "command line: %s: --measure sgemm takes no config and no override",
                        command->n_configs > 0 ? command->configs[0] : job->config.overrides[0]);
    }
    if (!sgemm && command->n_configs == 0) {
        return hl_error(HL_INVALID, "command line: no config given to --measure");
    }
    if (job->profile && job->what != HL_BENCH_STEP) {
        return hl_error(HL_INVALID, "command line: --profile is for training steps; leave it out with --measure %s",
                        hl_bench_what_names[job->what]);
    }
    return hl_ok();
}

static hl_status check(const hl_bench_command *command)
{
    if (command->help || command->version) {
        return hl_ok();
    }
    const char *mode = command->scaling   ? "--scaling"
                       : command->heads   ? "--heads"
                       : command->cluster ? "--cluster"
                                          : "--measure";
    int modes = command->scaling + command->heads + command->cluster + command->measure;
    if (modes > 1) {
        return hl_error(HL_INVALID, "command line: --scaling, --heads, --cluster and --measure exclude each other");
    }
    bool workloads = modes == 0;
    if (!workloads && command->json != NULL) {
        return hl_error(HL_INVALID, "command line: --json is for workloads; leave it out with %s", mode);
    }
    if (!workloads && !command->measure && command->job.profile) {
        return hl_error(HL_INVALID, "command line: --profile is for workloads; leave it out with %s", mode);
    }
    if (!workloads && command->n_configs > 1) {
        return hl_error(HL_INVALID, "command line: %s: one config is enough with %s", command->configs[1], mode);
    }
    return command->measure ? check_measure(command) : hl_ok();
}

hl_status hl_bench_command_parse(int argc, char **argv, hl_bench_command *command)
{
    *command = (hl_bench_command){ 0 };
    HL_TRY(hl_options_read(argc, argv, options, sizeof options / sizeof *options, take_argument, command));
    if (command->job.seconds == 0) {
        command->job.seconds = command->scaling || command->heads || command->cluster ? 1 : 4;
    }
    return check(command);
}
