#include "programs/ablate/keys.h"

#include "core/base/nearest.h"
#include "programs/beside.h"

#include <stddef.h>
#include <string.h>

hl_status hl_ablate_key_find(const char *full, const hl_config_key **key)
{
    for (int k = 0; k < hl_config_n_keys; k++) {
        if (strcmp(hl_config_keys[k].full, full) != 0) {
            continue;
        }
        *key = &hl_config_keys[k];
        if ((*key)->offset == offsetof(hl_config, train.seed)) {
            return hl_error(HL_INVALID, "command line: %s: every row is trained with the same seeds; give --seeds N",
                            full);
        }
        return hl_config_key_changes_results(*key)
                   ? hl_ok()
                   : hl_error(HL_INVALID, "command line: %s: cannot vary, because it changes no result", full);
    }
    const char *names[HL_CONFIG_MOST_KEYS];
    for (int k = 0; k < hl_config_n_keys; k++) {
        names[k] = hl_config_keys[k].full;
        if (strcmp(hl_config_keys[k].name, full) == 0) {
            return hl_error(HL_INVALID, "command line: %s: unknown key (did you mean \"%s\"?)", full, names[k]);
        }
    }
    int nearest = hl_nearest_name(full, names, hl_config_n_keys);
    return nearest >= 0
               ? hl_error(HL_INVALID, "command line: %s: unknown key (did you mean \"%s\"?)", full, names[nearest])
               : hl_error(HL_INVALID, "command line: %s: unknown key; %s --help lists all", full,
                          hl_program_name("train"));
}

static bool is_taken(const hl_config_key *key)
{
    static const char *const columns[] = { "cell", "seed", "parameters", "steps", "accuracy", "seconds", "status" };
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
        if (strcmp(columns[i], key->name) == 0) {
            return true;
        }
    }
    for (int k = 0; k < hl_config_n_keys; k++) {
        if (&hl_config_keys[k] != key && strcmp(hl_config_keys[k].name, key->name) == 0) {
            return true;
        }
    }
    return false;
}

const char *hl_ablate_key_label(const hl_config_key *key)
{
    return is_taken(key) ? key->full : key->name;
}

void hl_ablate_key_value(const hl_config_key *key, const hl_config *config, char text[HL_ABLATE_VALUE_TEXT])
{
    char value[HL_CONFIG_VALUE_TEXT];
    hl_config_write_value(key, config, value);
    size_t length = 0;
    for (const char *c = value; *c != '\0' && length < HL_ABLATE_VALUE_TEXT - 1; c++) {
        if (*c != ' ') {
            text[length++] = *c;
        }
        if (*c == ',') {
            text[length - 1] = '-';
        }
    }
    text[length] = '\0';
}
