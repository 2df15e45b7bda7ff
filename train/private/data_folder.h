/* The folder that data of a user's files are made in, which goes again where they cannot be made. */
#ifndef HL_TRAIN_PRIVATE_DATA_FOLDER_H
#define HL_TRAIN_PRIVATE_DATA_FOLDER_H

#include "core/base/status.h"
#include "data/text/tokens.h"

#include <stddef.h>

/* Makes the folder and its missing parents; the first *there bytes of the path name what was there before, all where it
 * was there itself. HL_BAD_FILE; nothing is then left of it, and the path is shortened. */
hl_status hl_data_folder_make(char *path, size_t *there);

/* Makes a folder for a short time: *path, which is freed before, is its path in new memory (hl_free). HL_BAD_FILE,
 * HL_NO_MEMORY. */
hl_status hl_data_folder_make_temporary(char **path, size_t *there);

/* Removes the files in it, and the folder and its parents beyond `there` that hold nothing else; shortens the path.
 * Files that are open stay readable. */
void hl_data_folder_remove(char *path, size_t there);

/* *path as it is given, or where no such file is there, that beside the config `beside` (or NULL) which is: *found, in
 * new memory (hl_free), to be NULL before. NULL stays NULL. HL_BAD_FILE, HL_NO_MEMORY. */
hl_status hl_data_find_file(const char *beside, const char **path, char **found);

/* Reads tokens.json or labels.json of a run's folder. HL_BAD_FILE, HL_NO_MEMORY. Owned: hl_tokens_free. */
hl_status hl_data_load_tokens(const char *folder, const char *name, hl_tokens **out);

#endif
