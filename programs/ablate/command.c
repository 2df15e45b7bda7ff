#include "programs/ablate/command.h"

#include "pretrained/pretrained.h"
#include "programs/beside.h"
#include "programs/options.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* --heads, --d-k, --d-v and --positions: each varies the key of [model] that has its name. */
static hl_status read_axis(const char *name, const char *value, void *command)
{
    char key[HL_ABLATE_KEY_TEXT];
    int length = snprintf(key, sizeof key, "model.%s", name);
    for (char *dash = key; (dash = strchr(dash, '-')) != NULL;) {
        *dash = '_';
    }
    ((hl_ablate_command *)command)->row_a |= strcmp(name, "heads") == 0;
    return add_axis(command, key, (size_t)length, value);
}

static hl_status read_vary(const char *name, const char *value, void *command)
{
    size_t length = strcspn(value, "=");
    if (length == 0 || value[length] == '\0') {
        return hl_error(HL_INVALID, "command line: --%s %s: not of the form section.key=a,b,c", name, value);
    }
    return add_axis(command, value, length, value + length + 1);
}

static hl_status read_target(const char *name, const char *value, void *command)
{
    double *target = &((hl_ablate_command *)command)->target;
    char *end;
    errno = 0;
    *target = strtod(value, &end);
    if (end == value || *end != '\0' || errno != 0 || !(*target > 0 && *target <= 1)) {
        return hl_error(HL_INVALID, "command line: --%s: \"%s\" is not an accuracy above 0 and up to 1, as in 0.99",
                        name, value);
    }
    return hl_ok();
}

static const hl_option options[] = {
    { .name = "heads", .kind = HL_OPTION_READ, .read = read_axis },
    { .name = "d-k", .kind = HL_OPTION_READ, .read = read_axis },
    { .name = "d-v", .kind = HL_OPTION_READ, .read = read_axis },
    { .name = "positions", .kind = HL_OPTION_READ, .read = read_axis },
    { .name = "vary", .kind = HL_OPTION_READ, .read = read_vary },
    { HL_OPTION("table3", FLAG, hl_ablate_command, table3) },
    { HL_OPTION("seeds", INTEGER, hl_ablate_command, seeds), .least = 1, .most = HL_ABLATE_MAX_SEEDS },
    { HL_OPTION("jobs", INT, hl_ablate_command, jobs), .least = 1, .most = 1024 },
    { .name = "target", .kind = HL_OPTION_READ, .read = read_target },
    { HL_OPTION("from", TEXT, hl_ablate_command, from) },
    { HL_OPTION("out", TEXT, hl_ablate_command, out) },
    { HL_OPTION("json", FILE, hl_ablate_command, json) },
    { HL_OPTION("csv", FILE, hl_ablate_command, csv) },
    { HL_OPTION("overwrite", FLAG, hl_ablate_command, overwrite) },
    { HL_OPTION("yes", FLAG, hl_ablate_command, yes) },
    { HL_OPTION("help", FLAG, hl_ablate_command, help) },
    { HL_OPTION("version", FLAG, hl_ablate_command, version) },
};

static hl_status take_argument(const char *word, void *command)
{
    return hl_named_config_argument(&((hl_ablate_command *)command)->config, word);
}

void hl_ablate_command_targets(const hl_ablate_command *command, hl_target targets[HL_ABLATE_TARGETS])
{
    targets[0] = (hl_target){ "json", command->json };
    targets[1] = (hl_target){ "csv", command->csv };
}

static hl_status check(const hl_ablate_command *command)
{
    if (command->help || command->version) {
        return hl_ok();
    }
    if (command->config.path == NULL) {
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
    if (command->from != NULL && !hl_pretrained_is_folder(command->from)) {
        return hl_error(HL_INVALID,
                        "command line: --from: %s is not the folder of an open model (it has no config.json)",
                        command->from);
    }
    hl_target targets[HL_ABLATE_TARGETS];
    hl_ablate_command_targets(command, targets);
    return hl_targets_check_distinct(targets, HL_ABLATE_TARGETS);
}

hl_status hl_ablate_command_parse(int argc, char **argv, hl_ablate_command *command)
{
    *command = (hl_ablate_command){ .seeds = 3, .target = 0.99 };
    HL_TRY(hl_options_read(argc, argv, options, sizeof options / sizeof *options, take_argument, command));
    return check(command);
}
