#include "train/config.h"

#include "core/files.h"
#include "core/memory.h"
#include "train/ini.h"
#include "train/private/config_reader.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

enum { NO_SECTION = -2, UNKNOWN_SECTION = -1 };

/* The section that a [name] line opens; `first` holds the line on which each was opened first, or 0. */
static int open_section(hl_config_reader *reader, const hl_ini *ini, int first[HL_CONFIG_SECTIONS])
{
    int section = hl_config_find_section(reader, ini->line, ini->name);
    if (section != UNKNOWN_SECTION && first[section] == 0) {
        first[section] = ini->line;
    } else if (section != UNKNOWN_SECTION) {
        hl_config_complain(reader, ini->line, "[%s]: the section was opened before, on line %d", ini->name,
                           first[section]);
    }
    return section;
}

static void complain_of_no_section(hl_config_reader *reader, int line, const char *what, const char *name)
{
    int k = hl_config_find_key(name);
    if (k >= 0) {
        reader->given[k].faulty = true;
        hl_config_complain(reader, line, "%s: %s (belongs to [%s])", name, what,
                           hl_config_sections[hl_config_keys[k].section].name);
    } else {
        reader->unclear = true;
        hl_config_complain(reader, line, "%s: %s", name, what);
    }
}

static bool is_section(const char *name)
{
    bool known = false;
    for (int i = 0; i < HL_CONFIG_SECTIONS; i++) {
        known = known || strcmp(name, hl_config_sections[i].name) == 0;
    }
    return known;
}

/* A text of another kind: several lines that cannot be a config's, and no section of a config. */
static bool is_prose(const char *text, size_t size)
{
    hl_ini ini;
    hl_ini_begin(&ini, text, size);
    int sections = 0, wrong = 0;
    for (hl_ini_kind kind; (kind = hl_ini_next(&ini)) != HL_INI_END;) {
        sections += kind == HL_INI_SECTION && is_section(ini.name);
        wrong += kind == HL_INI_WRONG || kind == HL_INI_WRONG_SECTION;
    }
    return sections == 0 && wrong >= 3;
}

static void read_text(hl_config_reader *reader, const char *text, size_t size)
{
    hl_ini ini;
    if (is_prose(text, size)) {
        reader->unclear = true;
        hl_config_complain(reader, HL_CONFIG_NOWHERE,
                           "is no config: a config has lines as [model] and heads = 4, this file has neither");
        return;
    }
    hl_ini_begin(&ini, text, size);
    int section = NO_SECTION;
    int first[HL_CONFIG_SECTIONS] = { 0 };
    for (hl_ini_kind kind; (kind = hl_ini_next(&ini)) != HL_INI_END;) {
        if (kind == HL_INI_WRONG || kind == HL_INI_WRONG_SECTION) {
            reader->unclear = true;
            hl_config_complain(reader, ini.line, "%s", ini.wrong);
            section = kind == HL_INI_WRONG_SECTION ? UNKNOWN_SECTION : section;
        } else if (kind == HL_INI_SECTION) {
            section = open_section(reader, &ini, first);
        } else if (section == NO_SECTION) {
            complain_of_no_section(reader, ini.line, "a key before any section", ini.name);
        } else if (section != UNKNOWN_SECTION) { /* keys of an unknown section are not checked: its name needs repair */
            hl_config_set(reader, ini.line, section, ini.name, ini.value);
        }
    }
}

/* An override split up: name "section.key" cut at its dot. */
static void set_override(hl_config_reader *reader, char *name, const char *value)
{
    char *dot = strchr(name, '.');
    if (dot == NULL) {
        complain_of_no_section(reader, HL_CONFIG_COMMAND_LINE, "not of the form section.key=value", name);
        return;
    }
    *dot = '\0';
    int section = hl_config_find_section(reader, HL_CONFIG_COMMAND_LINE, name);
    if (section != UNKNOWN_SECTION) {
        hl_config_set(reader, HL_CONFIG_COMMAND_LINE, section, dot + 1, value);
    }
}

/* Whether a side of the dot is missing, or both. */
static bool is_incomplete(const char *name)
{
    return *name == '\0' || *name == '.' || name[strlen(name) - 1] == '.';
}

/* Reads the value of an override and sets its key. */
static void read_pair(hl_config_reader *reader, const char *override, char *name, char *value)
{
    char wrong[HL_INI_WRONG_TEXT];
    if (hl_ini_unquote(value, wrong)) {
        set_override(reader, name, value);
    } else {
        reader->unclear = true;
        hl_config_complain(reader, HL_CONFIG_COMMAND_LINE, "%s: %s", override, wrong);
    }
}

/* An override is not read as a line of a file, where a comment sign in a path would cut it silently. */
static void read_override(hl_config_reader *reader, const char *override)
{
    char text[HL_INI_MAX_LINE + 1];
    char wrong[HL_INI_WRONG_TEXT];
    size_t length = strlen(override);
    if (length > HL_INI_MAX_LINE) {
        reader->unclear = true;
        hl_config_complain(reader, HL_CONFIG_COMMAND_LINE, "an override is longer than %d bytes", (int)HL_INI_MAX_LINE);
        return;
    }
    if (!hl_ini_bytes_allowed(override, length, wrong)) {
        reader->unclear = true;
        hl_config_complain(reader, HL_CONFIG_COMMAND_LINE, "%s: %s", override, wrong);
        return;
    }
    memcpy(text, override, length + 1);
    char *equals = strchr(text, '=');
    if (equals != NULL) {
        *equals = '\0';
    }
    char *name = hl_ini_trim(text);
    if (equals != NULL && !is_incomplete(name)) {
        read_pair(reader, override, name, hl_ini_trim(equals + 1));
    } else {
        reader->unclear = true;
        hl_config_complain(reader, HL_CONFIG_COMMAND_LINE, "%s: not of the form section.key=value", override);
    }
}

bool hl_config_out_override(const char *out, char override[HL_CONFIG_OVERRIDE])
{
    int key = snprintf(override, HL_CONFIG_OVERRIDE, "train.out=");
    return strlen(out) < HL_CONFIG_MAX_PATH && hl_ini_quote(out, override + key, (size_t)(HL_CONFIG_OVERRIDE - key));
}

static void set_initial(hl_config *config)
{
    memset(config, 0, sizeof *config);
    for (int k = 0; k < HL_CONFIG_KEYS; k++) {
        char wrong[HL_CONFIG_WRONG_TEXT];
        int count;
        bool valid = hl_config_read_value(&hl_config_keys[k], hl_config_keys[k].initial, config, &count, wrong);
        assert(valid);
        (void)valid;
    }
}

static hl_status outcome(const hl_problems *problems)
{
    if (problems->no_memory) {
        return hl_error_memory("the problems of a config");
    }
    return problems->n > 0 ? hl_error(HL_INVALID, "%s", problems->lines[0]) : hl_ok();
}

hl_status hl_config_parse(hl_config_options options, const char *text, size_t size, hl_config *config,
                          hl_problems *problems)
{
    hl_config_reader reader = { .path = options.path, .config = config, .problems = problems };
    for (int k = 0; k < HL_CONFIG_KEYS; k++) {
        reader.given[k].count = 1;
    }
    set_initial(config);
    read_text(&reader, text, size);
    for (int i = 0; i < options.n_overrides; i++) {
        read_override(&reader, options.overrides[i]);
    }
    hl_config_resolve(&reader);
    return outcome(problems);
}

hl_status hl_config_load(hl_config_options options, hl_config *config, hl_problems *problems)
{
    char *text;
    size_t size;
    hl_status read = hl_file_read(options.path, HL_CONFIG_MAX_BYTES, &text, &size);
    if (read.code == HL_NO_MEMORY) {
        return read;
    }
    if (read.code != HL_OK) {
        hl_problems_add(problems, "%s", read.text);
        return outcome(problems);
    }
    hl_status status = hl_config_parse(options, text, size, config, problems);
    hl_free(text);
    return status;
}
