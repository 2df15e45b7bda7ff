/* How a plan's variants are made, one after the other; for plan.c alone. */
#ifndef HL_PROGRAMS_ABLATE_VARIANTS_H
#define HL_PROGRAMS_ABLATE_VARIANTS_H

#include "programs/ablate/plan.h"

enum { HL_ABLATE_SETTING_TEXT = 256, HL_ABLATE_MAX_SETTINGS = HL_ABLATE_MAX_KEYS };

/* Overrides of the config: what makes a variant. A zeroed one is the base. */
typedef struct hl_ablate_settings {
    char texts[HL_ABLATE_MAX_SETTINGS][HL_ABLATE_SETTING_TEXT]; /* "model.heads=8" */
    int n;
    char row; /* of table 3 */
} hl_ablate_settings;

/* Called for each variant, in the order of the table. */
typedef hl_status hl_ablate_settings_take(void *context, const hl_ablate_settings *settings);

/* Sets the plan's keys. HL_INVALID: an unknown key, or one that cannot vary. */
hl_status hl_ablate_variants_keys(const hl_ablate_command *command, const hl_config *base, hl_ablate_plan *plan);

/* Hands over the settings of every variant that the command asks for, in the order of its table; those of the base may
 * be among them. Fails as `take` does; HL_INVALID: no value, or a base that table 3 cannot be scaled to. */
hl_status hl_ablate_variants_each(const hl_ablate_command *command, const hl_config *base,
                                  hl_ablate_settings_take *take, void *context);

#endif
