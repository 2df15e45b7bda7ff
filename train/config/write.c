/* Texts made from the table of keys: a resolved config, the help, the reference page. */
#include "core/base/text.h"
#include "core/files/files.h"
#include "train/config_keys.h"

#include <string.h>

enum { COLUMNS = 80, KEY_COLUMN = 2, HELP_COLUMN = 22 };

/* The finished text, owned by the caller; NULL when out of memory. */
static char *finish(hl_text *t)
{
    if (hl_text_status(t).code != HL_OK) {
        hl_text_free(t);
    }
    return t->bytes;
}

bool hl_config_key_changes_results(const hl_config_key *key)
{
    bool path = key->type == HL_CONFIG_STRING && key->may_change;
    return !path && key->offset != offsetof(hl_config, attention) &&
           key->offset != offsetof(hl_config, train.threads) && key->offset != offsetof(hl_config, train.out) &&
           key->offset != offsetof(hl_config, train.tensorboard) && key->offset < offsetof(hl_config, patterns);
}

static void print_keys(hl_text *t, const hl_config *config, bool result_only)
{
    const char *task = hl_config_task_spec(config).name;
    int section = -1;
    for (int k = 0; k < hl_config_n_keys; k++) {
        const hl_config_key *key = &hl_config_keys[k];
        if (!hl_config_key_used(key, task) || (result_only && !hl_config_key_changes_results(key))) {
            continue;
        }
        if (key->section != section) {
            section = key->section;
            hl_text_print(t, "%s[%s]\n", k > 0 ? "\n" : "", hl_config_sections[section].name);
        }
        char value[HL_CONFIG_VALUE_TEXT];
        hl_config_write_value(key, config, value);
        hl_text_print(t, "%s = %s\n", key->name, value);
    }
}

char *hl_config_text(const hl_config *config)
{
    hl_text t = { 0 };
    print_keys(&t, config, false);
    return finish(&t);
}

char *hl_config_result_text(const hl_config *config)
{
    hl_text t = { 0 };
    print_keys(&t, config, true);
    return finish(&t);
}

hl_status hl_config_write(const hl_config *config, const char *path)
{
    hl_text t = { 0 };
    hl_text_print(&t, "# Format: %d\n", (int)HL_CONFIG_FORMAT);
    print_keys(&t, config, false);
    return hl_file_replace_text(path, &t, HL_DURABLE);
}

const char *hl_config_difference(const hl_config *a, const hl_config *b)
{
    for (int k = 0; k < hl_config_n_keys; k++) {
        char texts[2][HL_CONFIG_VALUE_TEXT];
        hl_config_write_value(&hl_config_keys[k], a, texts[0]);
        hl_config_write_value(&hl_config_keys[k], b, texts[1]);
        if (!hl_config_keys[k].may_change && strcmp(texts[0], texts[1]) != 0) {
            return hl_config_keys[k].full;
        }
    }
    return NULL;
}

/* The values that a key allows, in words. */
static void add_values(hl_text *t, const hl_config_key *key)
{
    if (key->type == HL_CONFIG_CHOICE) {
        for (int i = 0; key->choices[i] != NULL; i++) {
            hl_text_print(t, "%s%s", i > 0 ? ", " : "", key->choices[i]);
        }
    } else if (key->type == HL_CONFIG_BOOLEAN) {
        hl_text_print(t, "true or false");
    } else if (key->type == HL_CONFIG_PATH) {
        hl_text_print(t, "path");
    } else if (key->type == HL_CONFIG_STRING) {
        hl_text_print(t, "text");
    } else {
        const char *also = key->type == HL_CONFIG_PER_LAYER ? "; or one per layer, such as 4, 2, 8"
                           : key->type == HL_CONFIG_STEPS   ? ", or log"
                                                            : "";
        hl_text_print(t, "%s, %.16g .. %.16g%s", key->type == HL_CONFIG_REAL ? "number" : "integer", key->least,
                      key->most, also);
    }
}

/* The key's help, and what the tasks' descriptors add to it. */
static void add_meaning(hl_text *t, const hl_config_key *key)
{
    const char *const *tasks = hl_config_key_at(offsetof(hl_config, task.name))->choices;
    bool all = true; /* whether every task uses the key */
    for (int i = 0; tasks[i] != NULL; i++) {
        all = all && hl_config_key_used(key, tasks[i]);
    }
    all = all || key->section == 1; /* the section's help says so */
    const char *between = " For ";
    hl_text_print(t, "%s", key->help);
    for (int i = 0; tasks[i] != NULL; i++) {
        if (key->offset == offsetof(hl_config, task.name)) {
            hl_text_print(t, " %s: %s.", tasks[i], hl_config_task_summary(tasks[i]));
        } else if (!all && hl_config_key_used(key, tasks[i])) {
            hl_text_print(t, "%s%s", between, tasks[i]);
            between = ", ";
        }
    }
    hl_text_print(t, "%s", all ? "" : ".");
}

static const char *described_default(const hl_config_key *key)
{
    return key->derived != NULL ? key->derived : key->initial;
}

/* Adds the words from HELP_COLUMN on, to a line that already has `column` columns, and ends the line. Frees the
 * words. */
static void add_wrapped(hl_text *t, int column, hl_text *words)
{
    hl_text lines = { 0 };
    hl_text_paragraph(&lines, COLUMNS - HELP_COLUMN, "%s", hl_text_part(t, words));
    for (const char *line = hl_text_part(t, &lines); *line != '\0'; line += strcspn(line, "\n") + 1) {
        hl_text_print(t, "%*s%.*s\n", HELP_COLUMN - column, "", (int)strcspn(line, "\n"), line);
        column = 0;
    }
    hl_text_free(&lines);
    hl_text_free(words);
}

/* Whether the key is the first of its section. */
static bool begins_section(int k)
{
    return k == 0 || hl_config_keys[k].section != hl_config_keys[k - 1].section;
}

char *hl_config_help(void)
{
    hl_text t = { 0 };
    for (int k = 0; k < hl_config_n_keys; k++) {
        const hl_config_key *key = &hl_config_keys[k];
        const hl_config_section *section = &hl_config_sections[key->section];
        if (begins_section(k)) {
            hl_text_print(&t, "%s[%s]  %s\n", k > 0 ? "\n" : "", section->name, section->help);
        }
        hl_text values = { 0 }, meaning = { 0 };
        add_values(&values, key);
        hl_text_print(&values, " (default: %s)", described_default(key));
        add_meaning(&meaning, key);
        hl_text_print(&t, "%*s%s", KEY_COLUMN, "", key->name);
        add_wrapped(&t, KEY_COLUMN + (int)strlen(key->name), &values);
        add_wrapped(&t, 0, &meaning);
    }
    return finish(&t);
}

static const char preface[] =
    "# Config keys\n"
    "\n"
    "A config is a text file of `[section]` lines and `key = value` lines. `#` and `;` start a comment, also after a\n"
    "value; in quotes, as in `out = \"runs/a # b\"`, they do not, and `\\\"`, `\\\\` and `\\x0a` (for any byte but 0)\n"
    "stand for what cannot stand there otherwise. Every key may be left out. An argument `section.key=value` after\n"
    "the config's name replaces a value.\n"
    "Unknown and repeated keys, and values outside the ranges below, are refused. `train --help` prints this list.\n";

char *hl_config_reference(void)
{
    hl_text t = { 0 };
    hl_text_print(&t, "%s", preface);
    for (int k = 0; k < hl_config_n_keys; k++) {
        const hl_config_key *key = &hl_config_keys[k];
        const hl_config_section *section = &hl_config_sections[key->section];
        if (begins_section(k)) {
            hl_text_print(&t, "\n## [%s]\n\n%s\n\n| key | values | default | meaning |\n|---|---|---|---|\n",
                          section->name, section->help);
        }
        hl_text_print(&t, "| `%s` | ", key->name);
        add_values(&t, key);
        hl_text_print(&t, " | `%s` | ", described_default(key));
        add_meaning(&t, key);
        hl_text_print(&t, " |\n");
    }
    return finish(&t);
}
