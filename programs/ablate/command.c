#include "programs/ablate/command.h"

#include "programs/beside.h"
#include "programs/options.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char hl_ablate_command_usage[] =
    "usage: {ablate} CONFIG [section.key=value ...] [options]\n"
    "\n"
    "Trains CONFIG again and again, with other numbers or widths of heads or other\n"
    "values of any key, several times each, and tells in a table what that changes:\n"
    "means with 95% confidence intervals, and a t test against CONFIG as it stands,\n"
    "the base, which is always among the rows.\n"
    "\n"
    "What varies (several options: every combination)\n"
    "  --heads 1,2,4,8     the number of heads; d_k = d_v = d_model / heads, unless\n"
    "                      they vary, too, so that the arithmetic stays the same\n"
    "  --d-k 4,8,16        the width of queries and keys; --d-v: of values\n"
    "  --positions sinusoidal,learned,none\n"
    "  --vary section.key=a,b,c\n"
    "                      any key that changes results\n"
    "  --table3            instead: rows A, B and E of table 3 of \"Attention Is All\n"
    "                      You Need\", scaled to CONFIG: one head and 1/2, 2 and 4\n"
    "                      times as many; 1/4 and 1/2 of d_k; other positions\n"
    "  --seeds N           train with train.seed and the N - 1 seeds that follow\n"
    "                      (default: 3). The same seed sees the same data in the same\n"
    "                      order in every row\n"
    "  section.key=value   overrides a key of CONFIG in every row\n"
    "\n"
    "How\n"
    "  --jobs N            trainings at the same time (default: one a CPU core);\n"
    "                      fewer where there is no memory for so many\n"
    "  --target A          \"steps to A\": the first validated step with an accuracy of\n"
    "                      at least A, 0 .. 1 (default: 0.99)\n"
    "  --out DIR           the folder (default: that of CONFIG's run with -ablation)\n"
    "  --json [FILE]       the table as JSON, every training in it, besides (no FILE,\n"
    "                      or -: to standard output, all else to standard error)\n"
    "  --csv [FILE]        what ablation.csv holds (likewise)\n"
    "  --overwrite         train all anew, whatever is in the folder\n"
    "  --yes               begin also what would take more than a year\n"
    "  --help              this text\n"
    "  --version           the version\n"
    "\n"
    "DIR holds a run's folder for every training, as in heads=8,seed=1 (look at it\n"
    "with {heads}), and ablation.csv, .md, .svg, .png and .html. Ended\n"
    "early, even by force, the same command goes on: what is finished stays, what was\n"
    "half done is resumed (its seconds are then told from the part after that).\n"
    "\n"
    "Exit: 0 done; 1 a training failed; 2 wrong usage or config; 3 a file; 5 out of\n"
    "memory; 128 + signal when interrupted, after saving.\n";

enum {
    HEADS,
    D_K,
    D_V,
    POSITIONS,
    VARY,
    TABLE3,
    SEEDS,
    JOBS,
    TARGET,
    OUT,
    JSON,
    CSV,
    OVERWRITE,
    YES,
    HELP,
    VERSION,
    N_OPTIONS
};

static const hl_option options[N_OPTIONS] = {
    [HEADS] = { "heads", HL_OPTION_VALUE },
    [D_K] = { "d-k", HL_OPTION_VALUE },
    [D_V] = { "d-v", HL_OPTION_VALUE },
    [POSITIONS] = { "positions", HL_OPTION_VALUE },
    [VARY] = { "vary", HL_OPTION_VALUE },
    [TABLE3] = { "table3", HL_OPTION_NO_VALUE },
    [SEEDS] = { "seeds", HL_OPTION_VALUE },
    [JOBS] = { "jobs", HL_OPTION_VALUE },
    [TARGET] = { "target", HL_OPTION_VALUE },
    [OUT] = { "out", HL_OPTION_VALUE },
    [JSON] = { "json", HL_OPTION_OPTIONAL_VALUE },
    [CSV] = { "csv", HL_OPTION_OPTIONAL_VALUE },
    [OVERWRITE] = { "overwrite", HL_OPTION_NO_VALUE },
    [YES] = { "yes", HL_OPTION_NO_VALUE },
    [HELP] = { "help", HL_OPTION_NO_VALUE },
    [VERSION] = { "version", HL_OPTION_NO_VALUE },
};

/* The keys that options of their own stand for. */
static const char *const keys[N_OPTIONS] = {
    [HEADS] = "model.heads",
    [D_K] = "model.d_k",
    [D_V] = "model.d_v",
    [POSITIONS] = "model.positions",
};

static hl_status add_axis(hl_ablate_command *command, const char *key, size_t length, const char *values)
{
    if (length >= HL_ABLATE_KEY_TEXT) {
        return hl_error(HL_INVALID, "command line: %.*s: unknown key", HL_ABLATE_KEY_TEXT, key);
    }
    if (command->n_axes == HL_ABLATE_MAX_AXES) {
        return hl_error(HL_INVALID, "command line: more than %d keys that vary", HL_ABLATE_MAX_AXES);
    }
    hl_ablate_axis *axis = &command->axes[command->n_axes];
    snprintf(axis->key, sizeof axis->key, "%.*s", (int)length, key);
    axis->values = values;
    for (int i = 0; i < command->n_axes; i++) {
        if (strcmp(command->axes[i].key, axis->key) == 0) {
            return hl_error(HL_INVALID, "command line: %s: varies twice; give all its values at once", axis->key);
        }
    }
    command->n_axes++;
    return hl_ok();
}

static hl_status take_vary(hl_ablate_command *command, const char *value)
{
    size_t length = strcspn(value, "=");
    if (length == 0 || value[length] == '\0') {
        return hl_error(HL_INVALID, "command line: --vary %s: not of the form section.key=a,b,c", value);
    }
    return add_axis(command, value, length, value + length + 1);
}

static hl_status take_target(const char *value, double *target)
{
    char *end;
    errno = 0;
    *target = strtod(value, &end);
    if (end == value || *end != '\0' || errno != 0 || !(*target > 0 && *target <= 1)) {
        return hl_error(HL_INVALID, "command line: --target: \"%s\" is no accuracy above 0 and up to 1, as in 0.99",
                        value);
    }
    return hl_ok();
}

static hl_status take_number(int option, const char *value, long long most, int64_t *number)
{
    long long read;
    HL_TRY(hl_option_integer(options[option].name, value, 1, most, &read));
    *number = read;
    return hl_ok();
}

static hl_status take_jobs(const char *value, int *jobs)
{
    int64_t number;
    HL_TRY(take_number(JOBS, value, 1024, &number));
    *jobs = (int)number;
    return hl_ok();
}

static hl_status take_option(hl_ablate_command *command, int option, const char *value)
{
    if (keys[option] != NULL) {
        command->row_a = command->row_a || option == HEADS;
        return add_axis(command, keys[option], strlen(keys[option]), value);
    }
    switch (option) {
    case VARY:
        return take_vary(command, value);
    case SEEDS:
        return take_number(SEEDS, value, HL_ABLATE_MAX_SEEDS, &command->seeds);
    case JOBS:
        return take_jobs(value, &command->jobs);
    case TARGET:
        return take_target(value, &command->target);
    case OUT:
        command->out = value;
        break;
    case JSON:
        command->json = value;
        break;
    case CSV:
        command->csv = value;
        break;
    case TABLE3:
        command->table3 = true;
        break;
    case OVERWRITE:
        command->overwrite = true;
        break;
    case YES:
        command->yes = true;
        break;
    case HELP:
        command->help = true;
        break;
    default:
        command->version = true;
    }
    return hl_ok();
}

static hl_status take_argument(hl_ablate_command *command, const char *argument)
{
    if (command->config == NULL) {
        command->config = argument;
        return hl_ok();
    }
    if (strchr(argument, '=') == NULL) {
        return hl_error(HL_INVALID, "command line: %s: one config is enough, and an override is section.key=value",
                        argument);
    }
    if (command->n_overrides == HL_ABLATE_MAX_OVERRIDES) {
        return hl_error(HL_INVALID, "command line: more than %d overrides", HL_ABLATE_MAX_OVERRIDES);
    }
    command->overrides[command->n_overrides++] = argument;
    return hl_ok();
}

void hl_ablate_command_targets(const hl_ablate_command *command, hl_target targets[HL_ABLATE_TARGETS])
{
    targets[0] = (hl_target){ "json", command->json };
    targets[1] = (hl_target){ "csv", command->csv };
}

static hl_status check_targets(const hl_ablate_command *command)
{
    hl_target targets[HL_ABLATE_TARGETS];
    hl_ablate_command_targets(command, targets);
    for (int i = 0; i < HL_ABLATE_TARGETS; i++) {
        if (targets[i].path != NULL && *targets[i].path == '\0') {
            return hl_error(HL_INVALID, "command line: --%s: its value is empty; see --help", targets[i].option);
        }
    }
    return hl_targets_check_distinct(targets, HL_ABLATE_TARGETS);
}

static hl_status check(const hl_ablate_command *command)
{
    if (command->help || command->version) {
        return hl_ok();
    }
    if (command->config == NULL) {
        return hl_error(HL_INVALID,
                        "command line: no config given, as in: %s configs/copy_task.ini --heads 1,2,4,8; see "
                        "--help",
                        hl_program_name("ablate"));
    }
    if (command->table3 && command->n_axes > 0) {
        return hl_error(HL_INVALID, "command line: --table3 says itself what varies; leave %s out",
                        command->axes[0].key);
    }
    if (!command->table3 && command->n_axes == 0) {
        return hl_error(HL_INVALID, "command line: nothing varies; give --heads 1,2,4,8, --vary section.key=a,b,c or "
                                    "--table3; see --help");
    }
    if (command->out != NULL && *command->out == '\0') {
        return hl_error(HL_INVALID, "command line: --out: its value is empty; see --help");
    }
    return check_targets(command);
}

hl_status hl_ablate_command_parse(int argc, char **argv, hl_ablate_command *command)
{
    *command = (hl_ablate_command){ .seeds = 3, .target = 0.99 };
    hl_option_words words = { argc, argv, .at = 1 };
    while (hl_option_words_left(&words)) {
        int option;
        const char *value;
        HL_TRY(hl_option_next(&words, options, N_OPTIONS, &option, &value));
        HL_TRY(option < 0 ? take_argument(command, value) : take_option(command, option, value));
    }
    return check(command);
}
