/* Parses JSON with jansson and tells a damaged text from a failed allocation. */
#ifndef HL_CORE_FILES_JSON_H
#define HL_CORE_FILES_JSON_H

#include "core/base/declarations.h"
#include "core/base/status.h"

#include <jansson.h>
#include <stddef.h>

HL_BEGIN_DECLS

/* Parses `size` bytes of text, a value of any kind; a key that comes twice in an object is an error. `path` is for the
 * messages. HL_BAD_FILE, HL_NO_MEMORY; *root is then NULL. On success *root is owned by the caller: json_decref. */
hl_status hl_json_parse(const char *path, const char *text, size_t size, json_t **root);

/* The same, with whole numbers as reals, so that they may be of any size, as a length of 10^30 that says "any". */
hl_status hl_json_parse_reals(const char *path, const char *text, size_t size, json_t **root);

/* Makes jansson allocate through core/base/memory.h. The setting holds for the whole process, so a program makes it,
 * not the library: call it once, at start, before jansson allocates anything. */
void hl_json_use_allocator(void);

HL_END_DECLS

#endif
