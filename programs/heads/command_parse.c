#include "programs/heads/command.h"

#include "core/base/text.h"
#include "programs/beside.h"
#include "programs/heads/verb.h"
#include "programs/shell_word.h"
#include "study/output.h"

#include <stddef.h>
#include <string.h>

/* ---- the options that `heads` had before it had verbs ---- */

/* An option as it was, the verb that does this now, and how it is said: as an option of that verb, as its second word
 * (OBJECT), or by the verb alone (NULL). */
typedef struct old_option {
    const char *name, *verb, *now;
    bool value; /* it had one */
} old_option;

#define OBJECT ""

/* Where several are given, the first row decides on the verb. */
static const old_option old_options[] = {
    { "treebank", "grammar", OBJECT, true },
    { "relation", "grammar", "relation", true },
    { "trees", "grammar", "trees", false },
    { "subtypes", "grammar", "subtypes", false },
    { "punct-and-root", "grammar", "punct-and-root", false },
    { "max-pieces", "grammar", "max-pieces", true },
    { "without-null", "grammar", "without-null", false },
    { "against", "compare", OBJECT, true },
    { "prune", "prune", NULL, false },
    { "prune-once", "prune", "once", false },
    { "prune-by", "prune", "by", true },
    { "prune-to", "prune", "to", true },
    { "keep-only", "importance", "keep", true },
    { "drop", "importance", "drop", true },
    { "shapley", "importance", "shapley", false },
    { "importance", "importance", NULL, false },
    { "profile", "profile", NULL, false },
    { "export", "export", OBJECT, true },
    { "head", "map", OBJECT, true },
    { "input", "map", "input", true },
    { "example", "map", "example", true },
    { "npz", "map", "npz", true },
    { "bertviz", "map", "bertviz", true },
    { "png", "map", "png", true },
    { "svg", "map", "svg", true },
    { "pdf", "map", "pdf", true },
    { "task", "map", "task", true },
    { "file", "map", "file", true },
    { "md", "profile", "md", true },
};
enum { OLD_OPTIONS = sizeof old_options / sizeof *old_options };

/* Whether the word is the option of that name, and where its value begins; NULL: not in this word. */
static bool is_option(const char *word, const char *name, const char **value)
{
    size_t size = strlen(name);
    bool is = strncmp(word, "--", 2) == 0 && strncmp(word + 2, name, size) == 0 &&
              (word[2 + size] == '\0' || word[2 + size] == '=');
    *value = is && word[2 + size] == '=' ? word + 3 + size : NULL;
    return is;
}

/* Whether the word is an option of the verb, which is then copied. */
static bool find_option(const hl_heads_verb *verb, const char *word, const char **value, hl_option *option)
{
    hl_option options[HL_HEADS_MOST_OPTIONS];
    int n = hl_heads_options(verb->options, options);
    for (int i = 0; i < n; i++) {
        if (is_option(word, options[i].name, value)) {
            *option = options[i];
            return true;
        }
    }
    return false;
}

static const old_option *find(const char *word, const char **value)
{
    for (int i = 0; i < OLD_OPTIONS; i++) {
        if (is_option(word, old_options[i].name, value)) {
            return &old_options[i];
        }
    }
    *value = NULL;
    return NULL;
}

static void print_word(hl_text *text, const char *word)
{
    hl_text_print(text, " ");
    hl_shell_word(text, word, "");
}

/* Adds what the old option is now, with its value: to the object, or to the options. With a treebank importance was a
 * flag, as it is now; a pruned model was exported by the option that now stands with `prune`. */
static void print_option(hl_text *object, hl_text *options, const old_option *old, const char *value,
                         const hl_heads_verb *verb)
{
    bool has_word = old->now != NULL && *old->now != '\0', same = strcmp(old->verb, verb->name) == 0;
    hl_text *to = old->now != NULL && !has_word && same ? object : options;
    if (has_word || !same) {
        hl_text_print(to, " --%s", has_word ? old->now : old->name);
    }
    if (value != NULL) {
        print_word(to, value);
    }
}

/* The command with verbs: the verb, the words that are none of the old options' values, the object, the options. */
static void print_command(hl_text *text, int argc, char **argv, const hl_heads_verb *verb)
{
    hl_text object = { 0 }, options = { 0 };
    const char *value;
    hl_text_print(text, "%s %s", hl_program_name("heads"), verb->name);
    for (int i = 1; i < argc; i++) {
        const old_option *old = find(argv[i], &value);
        if (old != NULL) {
            value = value == NULL && old->value && i + 1 < argc ? argv[++i] : value;
            print_option(&object, &options, old, value, verb);
            continue;
        }
        hl_option option;
        bool takes_value = find_option(verb, argv[i], &value, &option) && option.kind != HL_OPTION_FLAG;
        hl_text *to = strncmp(argv[i], "--", 2) == 0 ? &options : text;
        print_word(to, argv[i]);
        if (takes_value && value == NULL && i + 1 < argc && strncmp(argv[i + 1], "--", 2) != 0) {
            print_word(to, argv[++i]);
        }
    }
    hl_text_print(text, "%s%s", hl_text_part(text, &object), hl_text_part(text, &options));
    hl_text_free(&object);
    hl_text_free(&options);
}

/* HL_INVALID, with the whole command that replaces this one, if a word after argv[0] is an old option that `verb` does
 * not have; HL_NO_MEMORY. */
static hl_status check_old_options(int argc, char **argv, const hl_heads_verb *verb)
{
    const old_option *first = NULL;
    const char *refused = NULL, *value;
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
        hl_option option;
        const old_option *old = find_option(verb, argv[i], &value, &option) ? NULL : find(argv[i], &value);
        if (old != NULL && (first == NULL || old < first)) {
            first = old;
            refused = argv[i];
        }
    }
    if (first == NULL) {
        return hl_ok();
    }
    hl_text text = { 0 };
    bool implied = strcmp(verb->name, "table") == 0;
    print_command(&text, argc, argv, implied ? hl_heads_verb_of(first->verb) : verb);
    hl_status status = hl_text_status(&text);
    if (status.code == HL_OK) {
        status = implied || strcmp(first->verb, verb->name) == 0
                     ? hl_error(HL_INVALID, "command line: --%s: %s has verbs now: %s", first->name,
                                hl_program_name("heads"), text.bytes)
                     : hl_error(HL_INVALID, "command line: %s: is for the verb %s; see %s %s --help", refused,
                                first->verb, hl_program_name("heads"), verb->name);
    }
    hl_text_free(&text);
    return status;
}

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
    hl_option options[HL_HEADS_MOST_OPTIONS];
    int n_options = hl_heads_options(verb->options, options);
    *command = (hl_heads_command){ .verb = verb, .step = -1, .example = -1, .position = -1, .at = -1 };
    HL_TRY(check_old_options(argc - before, argv + before, verb));
    HL_TRY(hl_options_read(argc - before, argv + before, options, n_options, take_word, command));
    if (command->help || command->version) {
        command->verb = command->help && named == NULL ? NULL : verb;
        return hl_ok();
    }
    HL_TRY(check_words(command));
    HL_TRY(verb->check != NULL ? verb->check(command) : hl_ok());
    bool npz = hl_output_is_standard(command->files.npz);
    if (npz || (command->to > 0 && hl_output_is_standard(command->out))) {
        return hl_error(HL_INVALID, "command line: --%s: cannot go to standard output; name a file",
                        npz ? "npz" : "out");
    }
    hl_target targets[HL_HEADS_TARGETS];
    hl_heads_command_targets(command, targets);
    return hl_targets_check_distinct(targets, HL_HEADS_TARGETS);
}
