#include "train/config.h"

#include "core/base/memory.h"
#include "core/base/nearest.h"
#include "core/base/text.h"
#include "core/files/files.h"
#include "train/config/reader.h"
#include "train/ini.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

/* Used instead of a section's index. */
enum { ANY_SECTION = -1, UNKNOWN_SECTION = -1, NO_SECTION = -2 };

/* ---- sections and keys by name ---- */

static int find_section(const char *name)
{
    for (int s = 0; s < HL_CONFIG_SECTIONS; s++) {
        if (strcmp(hl_config_sections[s].name, name) == 0) {
            return s;
        }
    }
    return UNKNOWN_SECTION;
}

/* The index of the section, or UNKNOWN_SECTION after a complaint. */
static int known_section(hl_config_reader *reader, int line, const char *name)
{
    int section = find_section(name);
    if (section != UNKNOWN_SECTION) {
        return section;
    }
    reader->unclear = true;
    const char *names[HL_CONFIG_SECTIONS];
    for (int s = 0; s < HL_CONFIG_SECTIONS; s++) {
        names[s] = hl_config_sections[s].name;
    }
    int nearest = hl_nearest_name(name, names, HL_CONFIG_SECTIONS);
    if (nearest >= 0) {
        hl_config_complain(reader, line, "%s: unknown section (did you mean \"%s\"?)", name, names[nearest]);
    } else {
        hl_config_complain(reader, line, "%s: unknown section", name);
    }
    return UNKNOWN_SECTION;
}

static bool is_in(int k, int section)
{
    return section == ANY_SECTION || hl_config_keys[k].section == section;
}

/* The index of the first key with that name in the section, or -1. */
static int find_key(int section, const char *name)
{
    for (int k = 0; k < hl_config_n_keys; k++) {
        if (is_in(k, section) && strcmp(hl_config_keys[k].name, name) == 0) {
            return k;
        }
    }
    return -1;
}

/* The key in the section that a misspelt name may mean, or -1. */
static int find_similar_key(int section, const char *name)
{
    const char *names[HL_CONFIG_MOST_KEYS];
    int keys[HL_CONFIG_MOST_KEYS], n = 0;
    for (int k = 0; k < hl_config_n_keys; k++) {
        if (is_in(k, section)) {
            names[n] = hl_config_keys[k].name;
            keys[n++] = k;
        }
    }
    int nearest = hl_nearest_name(name, names, n);
    return nearest >= 0 ? keys[nearest] : -1;
}

static void complain_of_unknown_key(hl_config_reader *reader, int line, int section, const char *name)
{
    const char *in = hl_config_sections[section].name;
    int k;
    if ((k = find_key(ANY_SECTION, name)) >= 0) {
        hl_config_complain(reader, line, "%s.%s: unknown key (belongs to [%s])", in, name,
                           hl_config_sections[hl_config_keys[k].section].name);
    } else if ((k = find_similar_key(section, name)) >= 0) {
        hl_config_complain(reader, line, "%s.%s: unknown key (did you mean \"%s\"?)", in, name, hl_config_keys[k].name);
    } else if ((k = find_similar_key(ANY_SECTION, name)) >= 0) {
        hl_config_complain(reader, line, "%s.%s: unknown key (did you mean \"%s\"?)", in, name, hl_config_keys[k].full);
    } else {
        reader->unclear = true;
        hl_config_complain(reader, line, "%s.%s: unknown key", in, name);
        return;
    }
    reader->given[k].faulty = true;
}

/* `what`: what is wrong with a key outside all sections. */
static void complain_of_no_section(hl_config_reader *reader, int line, const char *what, const char *name)
{
    int k = find_key(ANY_SECTION, name);
    if (k >= 0) {
        reader->given[k].faulty = true;
        hl_config_complain(reader, line, "%s: %s (belongs to [%s])", name, what,
                           hl_config_sections[hl_config_keys[k].section].name);
    } else {
        reader->unclear = true;
        hl_config_complain(reader, line, "%s: %s", name, what);
    }
}

/* ---- reading ---- */

/* Reads a value into a key. The command line overrides the file, but each may give a key only once. */
static void set_key(hl_config_reader *reader, int line, int section, const char *name, const char *value)
{
    int k = find_key(section, name);
    if (k < 0) {
        complain_of_unknown_key(reader, line, section, name);
        return;
    }
    const char *full = hl_config_keys[k].full;
    hl_config_given *given = &reader->given[k];
    if (given->line == HL_CONFIG_COMMAND_LINE) {
        hl_config_complain(reader, line, "%s: given twice", full);
        return;
    }
    if (given->line != HL_CONFIG_NOWHERE && line != HL_CONFIG_COMMAND_LINE) {
        hl_config_complain(reader, line, "%s: given before, on line %d", full, given->line);
        return;
    }
    given->line = line;
    char wrong[HL_CONFIG_WRONG_TEXT] = "the value is missing";
    bool missing = *value == '\0' && hl_config_keys[k].type != HL_CONFIG_STRING;
    if (missing || !hl_config_read_value(&hl_config_keys[k], value, reader->config, wrong)) {
        given->faulty = true;
        hl_config_complain(reader, line, "%s: %s", full, wrong);
    }
}

/* A text of another kind: several lines that cannot belong to a config, and no section of a config. */
static bool is_prose(const char *text, size_t size)
{
    hl_ini ini;
    hl_ini_begin(&ini, text, size);
    int sections = 0, wrong = 0;
    for (hl_ini_kind kind; (kind = hl_ini_next(&ini)) != HL_INI_END;) {
        sections += kind == HL_INI_SECTION && find_section(ini.name) != UNKNOWN_SECTION;
        wrong += kind == HL_INI_WRONG || kind == HL_INI_WRONG_SECTION;
    }
    return sections == 0 && wrong >= 3;
}

static void read_text(hl_config_reader *reader, const char *text, size_t size)
{
    if (is_prose(text, size)) {
        reader->unclear = true;
        hl_config_complain(reader, HL_CONFIG_NOWHERE, "this is a text, not a config");
        hl_config_complain(
            reader, HL_CONFIG_NOWHERE,
            "a config has sections and keys, such as a line \"[model]\" and below it \"heads = 4\"; begin "
            "with a copy of copy_task.ini");
        return;
    }
    hl_ini ini;
    hl_ini_begin(&ini, text, size);
    int section = NO_SECTION;
    int opened[HL_CONFIG_SECTIONS] = { 0 }; /* the line on which each section was first opened, or 0 */
    for (hl_ini_kind kind; (kind = hl_ini_next(&ini)) != HL_INI_END;) {
        if (kind == HL_INI_WRONG || kind == HL_INI_WRONG_SECTION) {
            reader->unclear = true;
            hl_config_complain(reader, ini.line, "%s", ini.wrong);
            section = kind == HL_INI_WRONG_SECTION ? UNKNOWN_SECTION : section;
        } else if (kind == HL_INI_SECTION) {
            section = known_section(reader, ini.line, ini.name);
            if (section != UNKNOWN_SECTION && opened[section] != 0) {
                hl_config_complain(reader, ini.line, "[%s]: the section was opened before, on line %d", ini.name,
                                   opened[section]);
            } else if (section != UNKNOWN_SECTION) {
                opened[section] = ini.line;
            }
        } else if (section == NO_SECTION) {
            complain_of_no_section(reader, ini.line, "a key before any section", ini.name);
        } else if (section != UNKNOWN_SECTION) { /* keys in an unknown section are not checked, because its name must be
                                                    corrected first */
            set_key(reader, ini.line, section, ini.name, ini.value);
        }
    }
}

/* An override is not read as a line of a file, in which a comment sign in a path would silently cut it. */
static void read_override(hl_config_reader *reader, const char *override)
{
    static const char form[] = "not of the form section.key=value";
    char text[HL_INI_MAX_LINE + 1], wrong[HL_INI_WRONG_TEXT];
    size_t length = strlen(override);
    if (length > HL_INI_MAX_LINE) {
        reader->unclear = true;
        hl_config_complain(reader, HL_CONFIG_COMMAND_LINE, "an override is longer than %d bytes", (int)HL_INI_MAX_LINE);
        return;
    }
    memcpy(text, override, length + 1);
    char *equals = strchr(text, '='), *value = equals != NULL ? hl_ini_trim(equals + 1) : text + length;
    if (equals != NULL) {
        *equals = '\0';
    }
    char *name = hl_ini_trim(text), *dot = strchr(name, '.');
    bool complete = equals != NULL && *name != '\0' && *name != '.' && name[strlen(name) - 1] != '.';
    bool readable = hl_ini_bytes_allowed(override, length, wrong) && (!complete || hl_ini_unquote(value, wrong));
    if (!readable || !complete) {
        reader->unclear = true;
        hl_config_complain(reader, HL_CONFIG_COMMAND_LINE, "%s: %s", override, readable ? form : wrong);
    } else if (dot == NULL) {
        complain_of_no_section(reader, HL_CONFIG_COMMAND_LINE, form, name);
    } else {
        *dot = '\0';
        int section = known_section(reader, HL_CONFIG_COMMAND_LINE, name);
        if (section != UNKNOWN_SECTION) {
            set_key(reader, HL_CONFIG_COMMAND_LINE, section, dot + 1, value);
        }
    }
}

bool hl_config_path_override(const char *key, const char *path, char override[HL_CONFIG_OVERRIDE])
{
    int used = snprintf(override, HL_CONFIG_OVERRIDE, "%s=", key);
    return strlen(path) < HL_CONFIG_MAX_PATH &&
           hl_ini_quote(path, override + used, (size_t)(HL_CONFIG_OVERRIDE - used));
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
    hl_config_reader reader = { .path = options.path, .shape = options.shape, .config = config, .problems = problems };
    memset(config, 0, sizeof *config);
    for (int k = 0; k < hl_config_n_keys; k++) {
        const hl_config_key *key = &hl_config_keys[k];
        char wrong[HL_CONFIG_WRONG_TEXT];
        bool valid = hl_config_read_value(key, key->initial, config, wrong);
        assert(valid);
        (void)valid;
    }
    read_text(&reader, text, size);
    for (int i = 0; i < options.n_overrides; i++) {
        read_override(&reader, options.overrides[i]);
    }
    hl_config_resolve_out(&reader);
    HL_TRY(options.find_shape != NULL ? options.find_shape(options.context, config, &reader.shape) : hl_ok());
    if (reader.shape != NULL) {
        hl_config_take_shape(&reader);
    }
    hl_config_resolve(&reader);
    if (reader.shape != NULL && problems->n == 0) {
        hl_config_check_shape(&reader);
    }
    return outcome(problems);
}

hl_status hl_config_load(hl_config_options options, hl_config *config, hl_problems *problems)
{
    char *text;
    size_t size;
    hl_status status = hl_file_read(options.path, HL_CONFIG_MAX_BYTES, &text, &size);
    HL_THEN(status, hl_text_check_format(options.path, text, HL_CONFIG_FORMAT));
    if (status.code == HL_OK) {
        status = hl_config_parse(options, text, size, config, problems);
    } else if (status.code == HL_BAD_FILE) {
        hl_problems_add(problems, "%s", status.text);
        status = outcome(problems);
    }
    hl_free(text);
    return status;
}
