#include "programs/train/command.h"

#include "pretrained/pretrained.h"
#include "programs/beside.h"
#include "programs/options.h"

#include <stddef.h>

const char hl_train_command_usage[] =
    "usage: {train} CONFIG [section.key=value ...] [options]\n"
    "\n"
    "Trains a transformer encoder as CONFIG says and leaves weights, metrics and\n"
    "every head's attention patterns in the run's folder, runs/<name of CONFIG>\n"
    "unless told otherwise. CONFIG may be -, standard input, with --out.\n"
    "\n"
    "  section.key=value   overrides a key of CONFIG, as in model.heads=8\n"
    "  --resume            go on with the run in the folder, from its last checkpoint\n"
    "  --overwrite         replace the run in the folder\n"
    "  --from FILE         begin with the weights of a .safetensors file; of a model\n"
    "                      that began with a folder (train.from) that stays\n"
    "  --from FOLDER       begin with an open model, as Hugging Face lays it out: its\n"
    "                      tokens, its shape, its weights; CONFIG leaves [tokens] out\n"
    "                      and of [model] all but dropout and what answers (pooling)\n"
    "  --out DIR           the run's folder\n"
    "  --watch N           draw what the heads of layer N do while they learn: on a\n"
    "                      terminal all the time, elsewhere at every snapshot\n"
    "  --pace SECONDS      with --watch: draw every snapshot and none between, each\n"
    "                      for at least so long; the training waits meanwhile\n"
    "  --yes               begin also what would take more than a year\n"
    "  --mixed             begin also where the builds or CPUs of several processes\n"
    "                      (mpirun) differ; the same bits are then not promised\n"
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

static const hl_option options[] = {
    { HL_OPTION("resume", FLAG, hl_train_command, resume) },
    { HL_OPTION("overwrite", FLAG, hl_train_command, overwrite) },
    { HL_OPTION("from", TEXT, hl_train_command, from) },
    { HL_OPTION("out", TEXT, hl_train_command, out) },
    { HL_OPTION("watch", INT, hl_train_command, watch), .most = HL_MAX_LAYERS - 1 },
    { HL_OPTION("pace", SECONDS, hl_train_command, pace) },
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
        return hl_error(HL_INVALID, "command line: --pace is that of --watch, as in: --watch 1 --pace 0.5");
    }
    if (command->json != NULL && (!command->summary || command->check)) {
        return hl_error(HL_INVALID, "command line: --json is that of --summary, as in: --summary --json");
    }
    command->mode = command->resume ? HL_RUN_RESUME : command->overwrite ? HL_RUN_OVERWRITE : HL_RUN_NEW;
    return hl_ok();
}
