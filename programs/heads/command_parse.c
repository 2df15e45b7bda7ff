#include "programs/heads/command.h"

#include "programs/beside.h"
#include "programs/heads/old_options.h"
#include "programs/heads/verb.h"
#include "study/output.h"

#include <stddef.h>
#include <string.h>

/* ---- words ---- */

static hl_status refuse_word(const hl_heads_command *command, const char *word)
{
    const hl_heads_verb *verb = command->verb;
    const char *heads = hl_program_name("heads");
    if (hl_heads_verb_of(word) != NULL && strcmp(verb->name, "table") == 0) {
        return hl_error(HL_INVALID, "command line: %s: the verb comes first: %s %s %s", word, heads, word,
                        command->model);
    }
    if (verb->without_model) {
        return hl_error(HL_INVALID, "command line: %s: %s %s takes no more words", word, heads, verb->name);
    }
    return hl_error(HL_INVALID, "command line: %s: one word too many; see %s %s --help", word, heads, verb->name);
}

/* The model, what the verb needs besides, and the keys of an open model's task. */
static hl_status take_word(const char *word, void *given)
{
    hl_heads_command *command = given;
    const hl_heads_verb *verb = command->verb;
    if (command->model == NULL && !verb->without_model) {
        command->model = word;
        return hl_ok();
    }
    bool is_key = strchr(word, '=') != NULL && command->model != NULL;
    if (verb->object != NULL && command->object == NULL && (verb->object_needed || !is_key)) {
        command->object = word;
        return hl_ok();
    }
    return is_key ? hl_named_config_override(&command->asked, word) : refuse_word(command, word);
}

static hl_status check_words(const hl_heads_command *command)
{
    const hl_heads_verb *verb = command->verb;
    const char *heads = hl_program_name("heads");
    if (command->model == NULL && !verb->without_model) {
        return hl_error(HL_INVALID, "command line: no model given, as in: %s %s; see %s --help", heads, verb->example,
                        heads);
    }
    if (command->object == NULL && verb->object_needed) {
        return hl_error(HL_INVALID, "command line: %s %s needs a second word, %s, as in: %s %s", heads, verb->name,
                        verb->object, heads, verb->example);
    }
    return hl_ok();
}

/* ---- all of it ---- */

hl_status hl_heads_command_parse(int argc, char **argv, hl_heads_command *command)
{
    const hl_heads_verb *named = argc > 1 ? hl_heads_verb_of(argv[1]) : NULL;
    const hl_heads_verb *verb = named != NULL ? named : &hl_heads_verb_table;
    int before = named != NULL ? 1 : 0;
    *command = (hl_heads_command){ .verb = verb, .step = -1, .example = -1, .position = -1, .at = -1 };
    HL_TRY(hl_heads_old_options_check(argc - before, argv + before, verb));
    HL_TRY(hl_options_read(argc - before, argv + before, verb->options, (int)verb->n_options, take_word, command));
    if (command->help || command->version) {
        command->verb = command->help && named == NULL ? NULL : verb;
        return hl_ok();
    }
    HL_TRY(check_words(command));
    HL_TRY(verb->check != NULL ? verb->check(command) : hl_ok());
    const hl_heads_files *f = &command->files;
    if (hl_output_is_standard(f->npz) || hl_output_is_standard(f->weights)) {
        return hl_error(HL_INVALID, "command line: --%s: cannot go to standard output; name a file",
                        hl_output_is_standard(f->npz) ? "npz" : "out");
    }
    hl_target targets[HL_HEADS_TARGETS];
    hl_heads_command_targets(command, targets);
    return hl_targets_check_distinct(targets, HL_HEADS_TARGETS);
}
