/* The keys of a config that a sweep can vary, and what they are called in its table, its CSV and its folders' names. */
#ifndef HL_PROGRAMS_ABLATE_KEYS_H
#define HL_PROGRAMS_ABLATE_KEYS_H

#include "train/config_keys.h"

enum { HL_ABLATE_VALUE_TEXT = 512 };

/* The key of that full name, "model.heads". HL_INVALID: there is none (with the one that may be meant), or it changes
 * no result. */
hl_status hl_ablate_key_find(const char *full, const hl_config_key **key);

/* Its name without the section, or with it where another key or a column of ablation.csv has that name. */
const char *hl_ablate_key_label(const hl_config_key *key);

/* Its value in a resolved config, without commas and blanks: numbers that differ between layers are joined by dashes,
 * as in "4-2-8". A text that is too long is cut. */
void hl_ablate_key_value(const hl_config_key *key, const hl_config *config, char text[HL_ABLATE_VALUE_TEXT]);

#endif
