#include "programs/train/command.h"

#include "pretrained/pretrained.h"
#include "programs/beside.h"
#include "programs/options.h"

#include <stddef.h>

static const hl_option options[] = {
    { HL_OPTION("resume", FLAG, hl_train_command, resume) },
    { HL_OPTION("overwrite", FLAG, hl_train_command, overwrite) },
    { HL_OPTION("from", TEXT, hl_train_command, from) },
    { HL_OPTION("out", TEXT, hl_train_command, out) },
    { HL_OPTION("watch", INT, hl_train_command, watch), .most = HL_MAX_LAYERS - 1 },
    { HL_OPTION("pace", NUMBER, hl_train_command, pace), .from = 0.001, .to = 3600 },
    { HL_OPTION("yes", FLAG, hl_train_command, yes) },
    { HL_OPTION("mixed", FLAG, hl_train_command, mixed) },
    { HL_OPTION("summary", FLAG, hl_train_command, summary) },
    { HL_OPTION("json", FILE, hl_train_command, json) },
    { HL_OPTION("check", FLAG, hl_train_command, check) },
    { HL_OPTION("quiet", FLAG, hl_train_command, quiet) },
    { HL_OPTION("help", FLAG, hl_train_command, help) },
    { HL_OPTION("reference", FLAG, hl_train_command, reference) },
    { HL_OPTION("version", FLAG, hl_train_command, version) },
};

static hl_status take_argument(const char *word, void *command)
{
    return hl_named_config_argument(&((hl_train_command *)command)->config, word);
}

hl_status hl_train_command_parse(int argc, char **argv, hl_train_command *command)
{
    *command = (hl_train_command){ .watch = -1 };
    HL_TRY(hl_options_read(argc, argv, options, sizeof options / sizeof *options, take_argument, command));
    if (command->config.path == NULL && !command->help && !command->reference && !command->version) {
        return hl_error(HL_INVALID, "command line: no config given, as in: %s configs/copy_task.ini; see --help",
                        hl_program_name("train"));
    }
    command->from_file = command->from != NULL && !hl_pretrained_is_folder(command->from);
    if (command->resume && (command->overwrite || command->from_file)) {
        return hl_error(HL_INVALID, "command line: --resume and %s exclude each other",
                        command->overwrite ? "--overwrite" : "--from FILE");
    }
    if (command->quiet && command->watch >= 0) {
        return hl_error(HL_INVALID, "command line: --quiet and --watch exclude each other");
    }
    if (command->pace > 0 && command->watch < 0) {
        return hl_error(HL_INVALID, "command line: --pace belongs to --watch, as in: --watch 1 --pace 0.5");
    }
    if (command->json != NULL && (!command->summary || command->check)) {
        return hl_error(HL_INVALID, "command line: --json belongs to --summary, as in: --summary --json");
    }
    command->mode = command->resume ? HL_RUN_RESUME : command->overwrite ? HL_RUN_OVERWRITE : HL_RUN_NEW;
    return hl_ok();
}
