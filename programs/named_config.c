#include "programs/named_config.h"

#include "core/base/memory.h"
#include "programs/print_line.h"
#include "train/setup.h"

#include <string.h>

hl_status hl_named_config_override(hl_named_config *named, const char *override)
{
    if (named->n_overrides >= HL_MAX_OVERRIDES + (named->by_program ? HL_OWN_OVERRIDES : 0)) {
        return hl_error(HL_INVALID, "command line: more than %d overrides", HL_MAX_OVERRIDES);
    }
    named->overrides[named->n_overrides++] = override;
    return hl_ok();
}

/* Whether the override is of the key that these `length` bytes name. Blanks around it do not count (train/config.c). */
static bool is_of_key(const char *override, const char *key, size_t length)
{
    static const char blanks[] = " \t";
    override += strspn(override, blanks);
    return strncmp(override, key, length) == 0 && override[length + strspn(override + length, blanks)] == '=';
}

bool hl_named_config_sets(const hl_named_config *named, const char *key)
{
    bool sets = false;
    for (int i = 0; i < named->n_overrides; i++) {
        sets = sets || is_of_key(named->overrides[i], key, strlen(key));
    }
    return sets;
}

void hl_named_config_set(hl_named_config *named, const char *override)
{
    int n = 0;
    for (int i = 0; i < named->n_overrides; i++) {
        if (!is_of_key(named->overrides[i], override, strcspn(override, "="))) {
            named->overrides[n++] = named->overrides[i];
        }
    }
    named->overrides[n++] = override;
    named->n_overrides = n;
}

hl_status hl_named_config_argument(hl_named_config *named, const char *word)
{
    if (named->path == NULL) {
        named->path = word;
        return hl_ok();
    }
    if (strchr(word, '=') == NULL) {
        return hl_error(HL_INVALID, "command line: %s: one config is enough, and an override is section.key=value",
                        word);
    }
    return hl_named_config_override(named, word);
}

/* Standard input to its end, in new memory. */
static hl_status read_standard_input(char **text, size_t *size)
{
    *size = 0;
    *text = hl_malloc(HL_CONFIG_MAX_BYTES + 1);
    HL_NEED(*text != NULL, "a config");
    *size = fread(*text, 1, HL_CONFIG_MAX_BYTES + 1, stdin);
    if (ferror(stdin) || *size > HL_CONFIG_MAX_BYTES) {
        return hl_error(HL_BAD_FILE, "-: standard input cannot be read, or is larger than %d bytes",
                        HL_CONFIG_MAX_BYTES);
    }
    return hl_ok();
}

/* hl_config_load, also of standard input. */
static hl_status load(hl_config_options options, hl_config *config, hl_problems *problems)
{
    if (strcmp(options.path, "-") != 0) {
        return hl_config_load(options, config, problems);
    }
    char *text;
    size_t size;
    hl_status status = read_standard_input(&text, &size);
    HL_THEN(status, hl_config_parse(options, text, size, config, problems));
    hl_free(text);
    return status;
}

hl_status hl_load_config(hl_config_options options, FILE *err, hl_config *config)
{
    hl_problems problems = { 0 };
    hl_status status = load(options, config, &problems);
    if (err != NULL) {
        for (int i = 0; i + 1 < problems.n; i++) {
            fprintf(err, "%s\n", problems.lines[i]);
        }
        if (status.code == HL_INVALID && problems.n > 0) {
            status = hl_error(HL_INVALID, "%s", problems.lines[problems.n - 1]);
        }
    }
    hl_problems_free(&problems);
    HL_THEN(status, hl_setup_check_trained(config, options.path));
    HL_THEN(status, hl_setup_check_precision(config, options.path));
    return status;
}

void hl_resolve_precision(hl_config *config, const char *path, FILE *err)
{
    const char *missing = hl_setup_resolve_precision(config);
    if (missing != NULL && err != NULL) {
        hl_print_line(err, "%s: train.precision: auto is float here: %s", path, missing);
    }
}
