#include "programs/bench/runs.h"

#include "core/base/memory.h"
#include "core/base/shown_text.h"
#include "programs/bench/json.h"
#include "programs/bench/machine.h"
#include "programs/bench/table.h"
#include "programs/beside.h"
#include "programs/print_line.h"
#include "programs/targets.h"
#include "study/output.h"
#include "train/setup.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const char *const hl_bench_shipped[HL_BENCH_SHIPPED] = { "bench/tiny.ini",      "bench/copy.ini",  "bench/small.ini",
                                                         "bench/base.ini",      "bench/long.ini",  "bench/t1024.ini",
                                                         "bench/t2048.ini",     "bench/t4096.ini", "bench/gpt2.ini",
                                                         "bench/modernbert.ini" };

typedef struct runs {
    const char *program;
    const hl_bench_command *command;
    FILE *tables;
    char *paths[HL_BENCH_MAX_CONFIGS]; /* n of them, owned */
    int n;
    hl_bench_figures *found; /* n of them, owned */
} runs;

hl_status hl_bench_find_config(const char *program, const char *name, char **path)
{
    struct stat info;
    bool is_file = stat(name, &info) == 0 && !S_ISDIR(info.st_mode); /* a folder of that name is no config */
    for (int i = 0; i < HL_BENCH_SHIPPED && !is_file; i++) {
        const char *shipped = hl_bench_shipped[i] + strlen("bench/");
        if (strlen(name) + strlen(".ini") == strlen(shipped) && strncmp(name, shipped, strlen(name)) == 0) {
            return hl_shipped_config(program, hl_bench_shipped[i], path);
        }
    }
    HL_TRY(hl_find_config(name, path));
    if (access(*path, F_OK) != 0 && strpbrk(name, "./") == NULL) {
        hl_free(*path);
        *path = NULL;
        return hl_error(HL_INVALID, "command line: %s: no such config, and no workload; see --help", name);
    }
    return hl_ok();
}

static hl_bench_job job_of(const runs *r, int i)
{
    hl_bench_job job = r->command->job;
    job.what = HL_BENCH_STEP;
    job.config.path = r->paths[i];
    return job;
}

/* All configs are checked before the first workload takes its minute. */
static hl_status check_configs(const runs *r, FILE *err, int *threads)
{
    for (int i = 0; i < r->n; i++) {
        hl_bench_job job = job_of(r, i);
        hl_config config;
        HL_TRY(hl_bench_job_config(&job, err, &config));
        *threads = i == 0 ? hl_setup_threads(&config) : *threads;
    }
    return hl_ok();
}

/* "copy" for "configs/bench/copy.ini". */
static void set_name(hl_bench_figures *workload, const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash != NULL ? slash + 1 : path, *dot = strrchr(name, '.');
    size_t length = dot != NULL && dot != name ? (size_t)(dot - name) : strlen(name);
    char whole[sizeof workload->name];
    int needed = snprintf(whole, sizeof whole, "%.*s", (int)length, name);
    hl_shown_cut(workload->name, sizeof workload->name, whole, needed >= (int)sizeof whole);
}

static hl_status run(runs *r, FILE *out, FILE *err)
{
    int threads = 0;
    hl_text head = { 0 }, profiles = { 0 }, report = { 0 };
    hl_target json = { "json", r->command->json };
    const hl_bench_command *command = r->command;
    for (r->n = 0; r->n < (command->n_configs > 0 ? command->n_configs : HL_BENCH_USUAL); r->n++) {
        char **path = &r->paths[r->n];
        HL_TRY(command->n_configs > 0 ? hl_bench_find_config(r->program, command->configs[r->n], path)
                                      : hl_shipped_config(r->program, hl_bench_shipped[r->n], path));
    }
    r->found = hl_calloc((size_t)r->n, sizeof *r->found);
    HL_NEED(r->found != NULL, "the figures");
    HL_TRY(check_configs(r, err, &threads));
    HL_TRY(
        hl_targets_check(&json, 1, (hl_targets_beside){ .configs = (const char *const *)r->paths, .n_configs = r->n }));
    HL_TRY(hl_bench_machine_announce(threads, r->tables, err));
    hl_bench_table_head(&head);
    HL_TRY(hl_print_text(r->tables, &head));
    for (int i = 0; i < r->n; i++) {
        hl_bench_job job = job_of(r, i);
        hl_text text = { 0 };
        HL_TRY(hl_bench_process_workload(r->program, &job, &r->found[i]));
        set_name(&r->found[i], r->paths[i]);
        hl_bench_table_row(&text, &r->found[i]);
        HL_TRY(hl_print_text(r->tables, &text));
    }
    hl_bench_table_legend(&profiles);
    for (int i = 0; i < r->n && r->command->job.profile; i++) {
        hl_bench_table_profile(&profiles, &r->found[i]);
    }
    HL_TRY(hl_print_text(r->tables, &profiles));
    if (json.path == NULL) {
        return hl_ok();
    }
    hl_bench_json_report(&report, r->found, r->n);
    return hl_output_put(json.path, &report, out);
}

hl_status hl_bench_runs(const char *program, const hl_bench_command *command, FILE *out, FILE *err)
{
    bool to_output = hl_output_is_standard(command->json);
    runs r = { .program = program, .command = command, .tables = to_output ? err : out };
    hl_status status = run(&r, out, err);
    for (int i = 0; i < r.n; i++) {
        hl_free(r.paths[i]);
    }
    hl_free(r.found);
    return status;
}
