#include "programs/bench/command.h"

#include "core/base/threads.h"
#include "programs/options.h"

#include <stddef.h>
#include <string.h>

const char hl_bench_command_usage[] =
    "usage: {bench} [CONFIG ...] [section.key=value ...] [options]\n"
    "\n"
    "Measures training steps: time, arithmetic, memory, and the share they reach of\n"
    "the machine's rate of matrix products. A CONFIG is a file or the name of a\n"
    "workload of configs/bench: tiny, copy, small, base and long, which are measured\n"
    "where none is given, t1024, t2048, t4096, gpt2. Each in a process of its own.\n"
    "\n"
    "  section.key=value   overrides a key of every CONFIG, as in model.heads=8\n"
    "  --threads N         how many threads (default: what the machine allows)\n"
    "  --seconds S         how long each measurement takes (default: 4;\n"
    "                      1 with --scaling, --heads and --cluster)\n"
    "  --profile           show where the time of a step goes, op by op\n"
    "  --json FILE         write the figures as JSON too (-: to standard output,\n"
    "                      and the tables to standard error)\n"
    "  --scaling           time and memory against sequence length, width, heads\n"
    "                      and batch, of one CONFIG (default: configs/bench/copy.ini)\n"
    "                      or, with an override as task.length=64, from there on\n"
    "  --heads             all heads at once against a loop over them, and one head\n"
    "                      against eight, or with model.heads=N against N\n"
    "                      (default: configs/bench/small.ini)\n"
    "  --cluster           with mpirun -n N: messages between processes, the time of\n"
    "                      a step that they let expect for 1, 2, 4 ... processes,\n"
    "                      and for N what it is (default: configs/bench/small.ini\n"
    "                      with train.leaves=8)\n"
    "  --measure WHAT      measure in this very process and write a line of JSON, or\n"
    "                      what is wrong, to standard output: what the other ways\n"
    "                      start for each figure. WHAT is step, heads or loop (one\n"
    "                      CONFIG), or sgemm (none)\n"
    "  --help              this text\n"
    "  --version           the version\n"
    "\n"
    "Exit: 0 done; 1 failed while running; 2 wrong usage or config; 3 a file; 4\n"
    "numbers that are not finite; 5 out of memory.\n";

static hl_status read_measure(const char *name, const char *value, void *given)
{
    hl_bench_command *command = given;
    for (int what = 0; what < HL_BENCH_WHATS; what++) {
        if (strcmp(value, hl_bench_what_names[what]) == 0) {
            command->job.what = (hl_bench_what)what;
            command->measure = true;
            return hl_ok();
        }
    }
    return hl_error(HL_INVALID, "command line: --%s: \"%s\" is none of step, heads, loop, sgemm", name, value);
}

static const hl_option options[] = {
    { HL_OPTION("threads", INT, hl_bench_command, job.threads), .least = 1, .most = HL_MAX_THREADS },
    { HL_OPTION("seconds", SECONDS, hl_bench_command, job.seconds) },
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
