/* Reads members of config.json. Every error names the folder, the file and the key. */
#pragma once

#include "pretrained/private/folder.h"

/* The member of that name; NULL if it is missing or null, or if there is no name. */
const json_t *hl_config_json_member(const hl_pretrained *folder, const char *key);

/* The text of that member; `otherwise` if it is missing, and "what stands here", for messages, if it is no text. */
const char *hl_config_json_text(const hl_pretrained *folder, const char *key, const char *otherwise);

/* Reads a size from `least` to 2^30, `otherwise` if it is missing. An `otherwise` below `least` means that it must not
 * be missing. HL_BAD_FILE. */
hl_status hl_config_json_size(const hl_pretrained *folder, const char *key, int64_t least, int64_t otherwise,
                              int64_t *size);

/* Reads a number from 0 to below 1. HL_BAD_FILE. */
hl_status hl_config_json_share(const hl_pretrained *folder, const char *key, double otherwise, double *share);

/* Reads true or false. HL_BAD_FILE. */
hl_status hl_config_json_bool(const hl_pretrained *folder, const char *key, bool otherwise, bool *is);

/* The shortest number that is the same float, as 1e-12 in a run's config.ini. */
double hl_config_json_plain(hl_real value);

/* Reads the windows and rotary positions of a kind that has them into the folder's model. Layers without a window must
 * be every n-th one, from layer 0 on, and angles must be the usual ones. HL_BAD_FILE. */
hl_status hl_config_json_windows(hl_pretrained *folder);
