/* Folders, and the paths of their content. All calls go through the table of core/files/files.h. */
#pragma once

#include "core/base/declarations.h"
#include "core/base/status.h"

#include <stddef.h>

HL_BEGIN_DECLS

/* Makes the folder and its missing parents, and waits until they are on disk. The folder may already exist.
 * HL_BAD_FILE. */
hl_status hl_folder_make(const char *path);

/* Calls `visit` with every name in the folder, in no particular order, until one call fails. A missing folder has no
 * names. HL_BAD_FILE, or what `visit` returned. */
typedef hl_status hl_folder_visit(void *context, const char *name);
hl_status hl_folder_list(const char *path, hl_folder_visit *visit, void *context);

/* Removes the file. A missing file counts as removed. HL_BAD_FILE. */
hl_status hl_file_remove(const char *path);

/* Cuts a regular file to its first `size` bytes, in place. Programs that have it open see the change, and it works on a
 * full disk. Does not wait for the disk. HL_BAD_FILE. */
hl_status hl_file_cut(const char *path, size_t size);

/* Returns "<folder>/<name>" in new memory (hl_free), with the name formatted as by printf. NULL when out of memory. */
char *hl_path_join(const char *folder, const char *format, ...) __attribute__((format(printf, 2, 3)));

HL_END_DECLS
