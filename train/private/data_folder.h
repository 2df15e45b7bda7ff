/* The folder in which data of a user's files are made. It is removed again if they cannot be made. */
#pragma once

#include "core/base/status.h"
#include "data/text/tokens.h"

#include <stddef.h>

/* Makes the folder and its missing parents. The first *there bytes of the path name what existed before; all of it, if
 * the folder itself existed. HL_BAD_FILE; everything made is then removed, and the path is shortened. */
hl_status hl_data_folder_make(char *path, size_t *there);

/* Makes a temporary folder. *path is freed first, and then holds the folder's path in new memory (hl_free).
 * HL_BAD_FILE, HL_NO_MEMORY. */
hl_status hl_data_folder_make_temporary(char **path, size_t *there);

/* Removes the files in the folder, then the folder, and its parents beyond `there` that hold nothing else. Shortens the
 * path. Files that are open stay readable. */
void hl_data_folder_remove(char *path, size_t there);

/* If no file exists at *path, looks for it in the folder of the config `beside` (or NULL). If it exists there, *path
 * becomes that path, and *found owns it in new memory (hl_free); *found must be NULL before. A NULL *path stays NULL.
 * HL_BAD_FILE, HL_NO_MEMORY. */
hl_status hl_data_find_file(const char *beside, const char **path, char **found);

/* Reads tokens.json or labels.json from a run's folder. HL_BAD_FILE, HL_NO_MEMORY. Owned by the caller:
 * hl_tokens_free. */
hl_status hl_data_load_tokens(const char *folder, const char *name, hl_tokens **out);
