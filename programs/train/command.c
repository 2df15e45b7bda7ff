#include "programs/train/command.h"

#include "layers/model.h"
#include "programs/beside.h"
#include "programs/options.h"

#include <string.h>

const char hl_command_usage[] = "usage: {train} CONFIG [section.key=value ...] [options]\n"
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
                                "  --json [FILE]       with --summary: as JSON, into FILE or on standard output\n"
                                "  --check             check CONFIG and end\n"
                                "  --quiet             print nothing but errors and notices\n"
                                "  --help              this text and every key of a config\n"
                                "  --reference         the keys as a page of Markdown\n"
                                "  --version           the version\n"
                                "\n"
                                "Exit: 0 done; 1 failed while running; 2 wrong usage or config; 3 a file or\n"
                                "checkpoint; 4 numbers that are not finite; 5 out of memory; 128 + signal when\n"
                                "interrupted, after saving.\n";

enum {
    RESUME,
    OVERWRITE,
    FROM,
    OUT,
    WATCH,
    PACE,
    YES,
    SUMMARY,
    JSON,
    CHECK,
    QUIET,
    HELP,
    REFERENCE,
    VERSION,
    N_OPTIONS
};

static const hl_option options[N_OPTIONS] = {
    [RESUME] = { "resume", HL_OPTION_NO_VALUE },
    [OVERWRITE] = { "overwrite", HL_OPTION_NO_VALUE },
    [FROM] = { "from", HL_OPTION_VALUE },
    [OUT] = { "out", HL_OPTION_VALUE },
    [WATCH] = { "watch", HL_OPTION_VALUE },
    [PACE] = { "pace", HL_OPTION_VALUE },
    [YES] = { "yes", HL_OPTION_NO_VALUE },
    [SUMMARY] = { "summary", HL_OPTION_NO_VALUE },
    [JSON] = { "json", HL_OPTION_OPTIONAL_VALUE },
    [CHECK] = { "check", HL_OPTION_NO_VALUE },
    [QUIET] = { "quiet", HL_OPTION_NO_VALUE },
    [HELP] = { "help", HL_OPTION_NO_VALUE },
    [REFERENCE] = { "reference", HL_OPTION_NO_VALUE },
    [VERSION] = { "version", HL_OPTION_NO_VALUE },
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

static hl_status take_watch(hl_command *command, const char *value)
{
    long long layer;
    HL_TRY(hl_option_integer("watch", value, 0, HL_MAX_LAYERS - 1, &layer));
    command->watch = (int)layer;
    return hl_ok();
}

static hl_status take_option(hl_command *command, int option, const char *value)
{
    switch (option) {
    case RESUME:
    case OVERWRITE: /* together they make the mode */
        break;
    case WATCH:
        return take_watch(command, value);
    case PACE:
        return hl_option_seconds("pace", value, &command->pace);
    case FROM:
        command->from = value;
        break;
    case OUT:
        command->out = value;
        break;
    case YES:
        command->yes = true;
        break;
    case SUMMARY:
        command->summary = true;
        break;
    case JSON:
        command->json = value;
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
    default:
        command->version = true;
    }
    return hl_ok();
}

hl_status hl_command_parse(int argc, char **argv, hl_command *command)
{
    *command = (hl_command){ .mode = HL_RUN_NEW, .watch = -1 };
    bool resume = false, overwrite = false;
    hl_option_words words = { argc, argv, .at = 1 };
    while (hl_option_words_left(&words)) {
        int option;
        const char *value;
        HL_TRY(hl_option_next(&words, options, N_OPTIONS, &option, &value));
        resume = resume || option == RESUME;
        overwrite = overwrite || option == OVERWRITE;
        HL_TRY(option < 0 ? take_argument(command, value) : take_option(command, option, value));
    }
    if (command->config == NULL && !command->help && !command->reference && !command->version) {
        return hl_error(HL_INVALID, "command line: no config given, as in: %s configs/copy_task.ini; see --help",
                        hl_program_name("train"));
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
    if (command->json != NULL && (!command->summary || command->check)) {
        return hl_error(HL_INVALID, "command line: --json is that of --summary, as in: --summary --json");
    }
    command->mode = resume ? HL_RUN_RESUME : overwrite ? HL_RUN_OVERWRITE : HL_RUN_NEW;
    return hl_ok();
}
