/* Makes a plan's variants, one after the other. Only plan.c uses this. */
#pragma once

#include "programs/ablate/plan.h"

enum { HL_ABLATE_SETTING_TEXT = 256, HL_ABLATE_MAX_SETTINGS = HL_ABLATE_MAX_KEYS };

/* The overrides of the config that make a variant. A zeroed struct is the base. */
typedef struct hl_ablate_settings {
    char texts[HL_ABLATE_MAX_SETTINGS][HL_ABLATE_SETTING_TEXT]; /* "model.heads=8" */
    int n;
    char row; /* of table 3 */
} hl_ablate_settings;

/* Called for each variant, in the order of the table. */
typedef hl_status hl_ablate_settings_take(void *context, const hl_ablate_settings *settings);

/* Sets the plan's keys. HL_INVALID: an unknown key, or a key that cannot vary. */
hl_status hl_ablate_variants_keys(const hl_ablate_command *command, const hl_config *base, hl_ablate_plan *plan);

/* Calls `take` with the settings of every requested variant, in the order of the table. The base may be among them.
 * Fails as `take` fails; HL_INVALID: no value, or a base to which table 3 cannot be scaled. */
hl_status hl_ablate_variants_each(const hl_ablate_command *command, const hl_config *base,
                                  hl_ablate_settings_take *take, void *context);
