/* Finds the key of a name, or the key that a misspelt name may mean. */
#include "core/nearest.h"
#include "train/private/config_reader.h"

#include <string.h>

enum { ANY_SECTION = -1 };

/* The key's index, or -1. */
static int find_key(int section, const char *name)
{
    for (int k = 0; k < HL_CONFIG_KEYS; k++) {
        if (hl_config_keys[k].section == section && strcmp(hl_config_keys[k].name, name) == 0) {
            return k;
        }
    }
    return -1;
}

int hl_config_find_key(const char *name)
{
    for (int s = 0; s < HL_CONFIG_SECTIONS; s++) {
        int k = find_key(s, name);
        if (k >= 0) {
            return k;
        }
    }
    return -1;
}

/* The key of the section that a misspelt name may stand for, or -1; in any section where `section` is ANY_SECTION. */
static int find_similar_key(int section, const char *name)
{
    const char *names[HL_CONFIG_KEYS];
    int keys[HL_CONFIG_KEYS];
    int n = 0;
    for (int k = 0; k < HL_CONFIG_KEYS; k++) {
        if (section == ANY_SECTION || hl_config_keys[k].section == section) {
            names[n] = hl_config_keys[k].name;
            keys[n++] = k;
        }
    }
    int nearest = hl_nearest_name(name, names, n);
    return nearest >= 0 ? keys[nearest] : -1;
}

int hl_config_find_section(hl_config_reader *reader, int line, const char *name)
{
    const char *names[HL_CONFIG_SECTIONS];
    for (int s = 0; s < HL_CONFIG_SECTIONS; s++) {
        names[s] = hl_config_sections[s].name;
        if (strcmp(names[s], name) == 0) {
            return s;
        }
    }
    reader->unclear = true;
    int nearest = hl_nearest_name(name, names, HL_CONFIG_SECTIONS);
    if (nearest >= 0) {
        hl_config_complain(reader, line, "%s: unknown section (did you mean \"%s\"?)", name, names[nearest]);
    } else {
        hl_config_complain(reader, line, "%s: unknown section", name);
    }
    return -1;
}

static void complain_of_key(hl_config_reader *reader, int line, int section, const char *name)
{
    const char *in = hl_config_sections[section].name;
    int k;
    if ((k = hl_config_find_key(name)) >= 0) {
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

/* Whether the key was given before in the same place: the command line overrides the file, but each may give a key only
 * once. */
static bool is_repeated(hl_config_reader *reader, int line, int k)
{
    int before = reader->given[k].line;
    if (before == HL_CONFIG_COMMAND_LINE) {
        hl_config_complain(reader, line, "%s: given twice", hl_config_keys[k].full);
        return true;
    }
    if (before != HL_CONFIG_NOWHERE && line != HL_CONFIG_COMMAND_LINE) {
        hl_config_complain(reader, line, "%s: given before, on line %d", hl_config_keys[k].full, before);
        return true;
    }
    return false;
}

void hl_config_set(hl_config_reader *reader, int line, int section, const char *name, const char *value)
{
    int k = find_key(section, name);
    if (k < 0) {
        complain_of_key(reader, line, section, name);
        return;
    }
    if (is_repeated(reader, line, k)) {
        return;
    }
    hl_config_given *given = &reader->given[k];
    given->line = line;
    if (*value == '\0') {
        given->faulty = true;
        hl_config_complain(reader, line, "%s: the value is missing", hl_config_keys[k].full);
        return;
    }
    char wrong[HL_CONFIG_WRONG_TEXT];
    if (!hl_config_read_value(&hl_config_keys[k], value, reader->config, &given->count, wrong)) {
        given->faulty = true;
        hl_config_complain(reader, line, "%s: %s", hl_config_keys[k].full, wrong);
    }
}
