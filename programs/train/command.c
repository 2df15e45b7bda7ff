#define _GNU_SOURCE /* getopt_long */
#include "programs/train/command.h"

#include "core/nearest.h"
#include "layers/model.h"
#include "programs/options.h"

#include <getopt.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

const char hl_command_usage[] = "usage: train CONFIG [section.key=value ...] [options]\n"
                                "\n"
                                "Trains a transformer encoder as CONFIG says and leaves weights, metrics and\n"
                                "every head's attention patterns in the run's folder, runs/<name of CONFIG>\n"
                                "unless told otherwise.\n"
                                "\n"
                                "  section.key=value   overrides a key of CONFIG, as in model.heads=8\n"
                                "  --resume            go on with the run in the folder, from its last checkpoint\n"
                                "  --overwrite         replace the run in the folder\n"
                                "  --from FILE         begin with the weights of a .safetensors file\n"
                                "  --out DIR           the run's folder\n"
                                "  --watch N           draw what the heads of layer N do while they learn: on a\n"
                                "                      terminal all the time, elsewhere at every snapshot\n"
                                "  --pace SECONDS      with --watch: draw every snapshot and none between, each\n"
                                "                      for at least so long; the training waits meanwhile\n"
                                "  --yes               begin also what would take more than a year\n"
                                "  --summary           show the model, its shapes, memory and arithmetic, and end\n"
                                "  --check             check CONFIG and end\n"
                                "  --quiet             print nothing but errors and notices\n"
                                "  --help              this text and every key of a config\n"
                                "  --reference         the keys as a page of Markdown\n"
                                "  --version           the version\n"
                                "\n"
                                "Exit: 0 done; 1 failed while running; 2 wrong usage or config; 3 a file or\n"
                                "checkpoint; 4 numbers that are not finite; 5 out of memory; 128 + signal when\n"
                                "interrupted, after saving.\n";

/* None of them can be taken for a letter. */
enum {
    RESUME = 256,
    OVERWRITE,
    FROM,
    OUT,
    WATCH,
    PACE,
    YES,
    SUMMARY,
    CHECK,
    QUIET,
    HELP,
    REFERENCE,
    VERSION,
    N_OPTIONS = VERSION - RESUME + 1
};

static const struct option options[] = {
    { "resume", no_argument, NULL, RESUME },     { "overwrite", no_argument, NULL, OVERWRITE },
    { "from", required_argument, NULL, FROM },   { "out", required_argument, NULL, OUT },
    { "watch", required_argument, NULL, WATCH }, { "pace", required_argument, NULL, PACE },
    { "yes", no_argument, NULL, YES },           { "summary", no_argument, NULL, SUMMARY },
    { "check", no_argument, NULL, CHECK },       { "quiet", no_argument, NULL, QUIET },
    { "help", no_argument, NULL, HELP },         { "reference", no_argument, NULL, REFERENCE },
    { "version", no_argument, NULL, VERSION },   { NULL, 0, NULL, 0 },
};

static hl_status take_argument(hl_command *command, const char *argument)
{
    if (strchr(argument, '=') == NULL || command->config == NULL) {
        if (command->config != NULL) {
            return hl_error(HL_INVALID, "command line: %s: one config is enough, and an override is section.key=value",
                            argument);
        }
        command->config = argument;
        return hl_ok();
    }
    if (command->n_overrides == HL_MAX_OVERRIDES) {
        return hl_error(HL_INVALID, "command line: more than %d overrides", HL_MAX_OVERRIDES);
    }
    command->overrides[command->n_overrides++] = argument;
    return hl_ok();
}

static hl_status take_watch(hl_command *command)
{
    long long layer;
    HL_TRY(hl_option_integer("watch", optarg, 0, HL_MAX_LAYERS - 1, &layer));
    command->watch = (int)layer;
    return hl_ok();
}

static hl_status take_option(hl_command *command, int option)
{
    switch (option) {
    case WATCH:
        return take_watch(command);
    case PACE:
        return hl_option_seconds("pace", optarg, &command->pace);
    case FROM:
        command->from = optarg;
        break;
    case OUT:
        command->out = optarg;
        break;
    case YES:
        command->yes = true;
        break;
    case SUMMARY:
        command->summary = true;
        break;
    case CHECK:
        command->check = true;
        break;
    case QUIET:
        command->quiet = true;
        break;
    case HELP:
        command->help = true;
        break;
    case REFERENCE:
        command->reference = true;
        break;
    case VERSION:
        command->version = true;
        break;
    default:
        break;
    }
    return hl_ok();
}

/* `argument` is what begins with two dashes and is none of the options. */
static hl_status unknown_option(const char *argument)
{
    const char *names[N_OPTIONS];
    for (int i = 0; i < N_OPTIONS; i++) {
        names[i] = options[i].name;
    }
    char wrong[64];
    snprintf(wrong, sizeof wrong, "%.*s", (int)strcspn(argument + 2, "="), argument + 2);
    int nearest = hl_nearest_name(wrong, names, N_OPTIONS);
    if (nearest < 0) {
        return hl_error(HL_INVALID, "command line: %s: unknown option; see --help", argument);
    }
    return hl_error(HL_INVALID, "command line: %s: unknown option (did you mean \"--%s\"?); see --help", argument,
                    names[nearest]);
}

/* What getopt_long meant by '?' or ':'. */
static hl_status wrong_option(int option, const char *argument)
{
    if (option == ':') {
        return hl_error(HL_INVALID, "command line: %s: needs a value; see --help", argument);
    }
    if (optopt == 0) {
        return unknown_option(argument);
    }
    if (optopt >= RESUME) {
        return hl_error(HL_INVALID, "command line: %s: takes no value; see --help", argument);
    }
    /* a single letter, perhaps one of several in its argument, or the first byte of one beyond ASCII */
    return hl_error(HL_INVALID, "command line: -%c: unknown option; see --help", optopt > 0 ? optopt : '?');
}

hl_status hl_command_parse(int argc, char **argv, hl_command *command)
{
    *command = (hl_command){ .mode = HL_RUN_NEW, .watch = -1 };
    bool resume = false, overwrite = false;
    opterr = 0;
    optind = 0; /* glibc: begin anew */
    for (int option; (option = getopt_long(argc, argv, ":", options, NULL)) != -1;) {
        if (option == '?' || option == ':') {
            return wrong_option(option, argv[optind - 1]);
        }
        resume = resume || option == RESUME;
        overwrite = overwrite || option == OVERWRITE;
        HL_TRY(take_option(command, option));
    }
    for (int i = optind; i < argc; i++) {
        HL_TRY(take_argument(command, argv[i]));
    }
    if (command->config == NULL && !command->help && !command->reference && !command->version) {
        return hl_error(HL_INVALID, "command line: no config given, as in: train configs/copy_task.ini; see --help");
    }
    if (resume + overwrite + (command->from != NULL) > 1) {
        return hl_error(HL_INVALID, "command line: --resume, --overwrite and --from exclude each other");
    }
    if (command->quiet && command->watch >= 0) {
        return hl_error(HL_INVALID, "command line: --quiet and --watch exclude each other");
    }
    if (command->pace > 0 && command->watch < 0) {
        return hl_error(HL_INVALID, "command line: --pace is that of --watch, as in: --watch 1 --pace 0.5");
    }
    command->mode = resume ? HL_RUN_RESUME : overwrite ? HL_RUN_OVERWRITE : HL_RUN_NEW;
    return hl_ok();
}
