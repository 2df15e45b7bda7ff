/* Folders, and the paths of what is in them; all calls go through the table of core/files/files.h. */
#ifndef HL_CORE_FILES_FOLDERS_H
#define HL_CORE_FILES_FOLDERS_H

#include "core/base/declarations.h"
#include "core/base/status.h"

#include <stddef.h>

HL_BEGIN_DECLS

/* Makes the folder and its missing parents, and waits until they are on disk; it may be there already. HL_BAD_FILE. */
hl_status hl_folder_make(const char *path);

/* Calls `visit` with every name in the folder, in no order, until one fails; a missing folder has no names.
 * HL_BAD_FILE, or what `visit` returned. */
typedef hl_status hl_folder_visit(void *context, const char *name);
hl_status hl_folder_list(const char *path, hl_folder_visit *visit, void *context);

/* Removes the file; one that is not there is removed already. HL_BAD_FILE. */
hl_status hl_file_remove(const char *path);

/* Cuts a regular file to its first `size` bytes, in place: whoever has it open sees that, and a full disk has room for
 * it. Does not wait for the disk. HL_BAD_FILE. */
hl_status hl_file_cut(const char *path, size_t size);

/* "<folder>/<name>", the name formatted as by printf, in new memory: hl_free. NULL when out of memory. */
char *hl_path_join(const char *folder, const char *format, ...) __attribute__((format(printf, 2, 3)));

HL_END_DECLS

#endif
