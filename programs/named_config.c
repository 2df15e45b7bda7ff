#include "programs/named_config.h"

#include <string.h>

hl_status hl_named_config_override(hl_named_config *named, const char *override)
{
    if (named->n_overrides == HL_MAX_OVERRIDES) {
        return hl_error(HL_INVALID, "command line: more than %d overrides", HL_MAX_OVERRIDES);
    }
    named->overrides[named->n_overrides++] = override;
    return hl_ok();
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

hl_status hl_load_config(hl_config_options options, FILE *err, hl_config *config)
{
    hl_problems problems = { 0 };
    hl_status status = hl_config_load(options, config, &problems);
    if (err != NULL) {
        for (int i = 0; i + 1 < problems.n; i++) {
            fprintf(err, "%s\n", problems.lines[i]);
        }
        if (status.code == HL_INVALID && problems.n > 0) {
            status = hl_error(HL_INVALID, "%s", problems.lines[problems.n - 1]);
        }
    }
    hl_problems_free(&problems);
    return status;
}
