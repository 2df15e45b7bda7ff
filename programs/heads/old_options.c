#include "programs/heads/old_options.h"

#include "core/base/text.h"
#include "programs/beside.h"
#include "programs/heads/verb.h"
#include "programs/shell_word.h"

#include <string.h>

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

/* The option of the verb that the word is; NULL: it has none such. */
static const hl_option *option_of(const hl_heads_verb *verb, const char *word, const char **value)
{
    for (size_t i = 0; i < verb->n_options; i++) {
        if (is_option(word, verb->options[i].name, value)) {
            return &verb->options[i];
        }
    }
    return NULL;
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

/* Adds to `text` what the old option is now, with its value. With a treebank importance was a flag, as it is now; a
 * pruned model was exported by the option that now stands with `prune`. */
static void print_option(hl_text *text, const old_option *old, const char *value, const hl_heads_verb *verb)
{
    bool flag = old->now == NULL && strcmp(old->verb, verb->name) != 0;
    bool own = old->now != NULL && *old->now == '\0' && strcmp(old->verb, verb->name) != 0;
    const char *name = flag || own ? old->name : old->now;
    if (name != NULL && *name != '\0') {
        hl_text_print(text, " --%s", name);
    }
    if (value != NULL) {
        hl_text_print(text, " ");
        hl_shell_word(text, value, "");
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
            bool is_object = old->now != NULL && *old->now == '\0' && strcmp(old->verb, verb->name) == 0;
            value = value == NULL && old->value && i + 1 < argc ? argv[++i] : value;
            print_option(is_object ? &object : &options, old, value, verb);
            continue;
        }
        const hl_option *option = option_of(verb, argv[i], &value);
        bool value_follows = option != NULL && option->kind != HL_OPTION_FLAG && value == NULL;
        hl_text *to = strncmp(argv[i], "--", 2) == 0 ? &options : text;
        hl_text_print(to, " ");
        hl_shell_word(to, argv[i], "");
        if (value_follows && i + 1 < argc && strncmp(argv[i + 1], "--", 2) != 0) {
            hl_text_print(to, " ");
            hl_shell_word(to, argv[++i], "");
        }
    }
    hl_text_print(text, "%s%s", hl_text_part(text, &object), hl_text_part(text, &options));
    hl_text_free(&object);
    hl_text_free(&options);
}

hl_status hl_heads_old_options_check(int argc, char **argv, const hl_heads_verb *verb)
{
    const old_option *first = NULL;
    const char *refused = NULL, *value;
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
        const old_option *old = option_of(verb, argv[i], &value) != NULL ? NULL : find(argv[i], &value);
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
