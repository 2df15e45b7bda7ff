/* The keys of a config that a sweep can vary, and their names in its table, its CSV and its folders. */
#pragma once

#include "train/config_keys.h"

enum { HL_ABLATE_VALUE_TEXT = 512 };

/* The key with this full name, such as "model.heads". HL_INVALID: there is no such key (with a suggestion), or it
 * changes no result. */
hl_status hl_ablate_key_find(const char *full, const hl_config_key **key);

/* Its name without the section; with the section if another key or a column of ablation.csv has the same name. */
const char *hl_ablate_key_label(const hl_config_key *key);

/* Its value in a resolved config, without commas and blanks. Numbers that differ between layers are joined by dashes,
 * as in "4-2-8". Text that is too long is cut. */
void hl_ablate_key_value(const hl_config_key *key, const hl_config *config, char text[HL_ABLATE_VALUE_TEXT]);
