#define _DEFAULT_SOURCE /* strsep */
/* The bytes as a command line: the first line names the program, each other is an argument. Of one that is taken, the
 * overrides are applied to a config, as the program does. */
#include "programs/ablate/plan.h"
#include "programs/bench/command.h"
#include "programs/heads/verb.h"
#include "programs/train/command.h"
#include "tests/fuzz/input_file.h"
#include "tests/fuzz/input_text.h"
#include "train/config.h"

#include <string.h>

enum { MOST_ARGUMENTS = 128 };

static const char config[] =
    "[task]\nname = copy\nlength = 3\nsymbols = 4\n[model]\nlayers = 2\nd_model = 8\nheads = 2\n";

static void apply(const char *const *overrides, int n)
{
    hl_config found;
    hl_problems problems = { 0 };
    hl_config_options options = { .path = "fuzz.ini", .overrides = overrides, .n_overrides = n };
    hl_status status = hl_config_parse(options, config, sizeof config - 1, &found, &problems);
    fuzz_require((status.code == HL_OK) == (problems.n == 0));
    hl_problems_free(&problems);
}

static void train(int argc, char **argv)
{
    hl_train_command command;
    if (hl_train_command_parse(argc, argv, &command).code == HL_OK) {
        apply(command.config.overrides, command.config.n_overrides);
    }
}

static void heads(int argc, char **argv)
{
    hl_heads_command command;
    if (hl_heads_command_parse(argc, argv, &command).code == HL_OK && !command.help && !command.version) {
        fuzz_require((command.model != NULL) != command.verb->without_model);
        fuzz_require(command.object != NULL || !command.verb->object_needed);
    }
}

static void bench(int argc, char **argv)
{
    hl_bench_command command;
    if (hl_bench_command_parse(argc, argv, &command).code == HL_OK) {
        apply(command.job.config.overrides, command.job.config.n_overrides);
    }
}

static void ablate(int argc, char **argv)
{
    hl_ablate_command command;
    if (hl_ablate_command_parse(argc, argv, &command).code != HL_OK || command.help || command.version) {
        return;
    }
    input_file_set((const uint8_t *)config, sizeof config - 1);
    hl_ablate_plan plan;
    if (hl_ablate_plan_make(&command, &plan, NULL, NULL).code == HL_OK) {
        fuzz_require(hl_ablate_plan_cells(&plan) >= 1 && hl_ablate_plan_cells(&plan) <= HL_ABLATE_MAX_CELLS);
        fuzz_require(strcmp(plan.variants[plan.base].name, "base") == 0);
    }
    hl_ablate_plan_free(&plan);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct {
        const char *name;
        void (*run)(int argc, char **argv);
    } programs[] = { { "train", train }, { "heads", heads }, { "bench", bench }, { "ablate", ablate } };
    char *text = input_text(data, size), *argv[MOST_ARGUMENTS + 1] = { text }, *rest = text;
    int argc = 0;
    for (char *line; argc < MOST_ARGUMENTS && (line = strsep(&rest, "\n")) != NULL;) {
        argv[argc++] = line;
    }
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        if (argc > 0 && strcmp(argv[0], programs[i].name) == 0) {
            programs[i].run(argc, argv);
        }
    }
    free(text);
    return 0;
}
