/* Parses JSON with jansson, and distinguishes a damaged text from a failed allocation. */
#pragma once

#include "core/base/declarations.h"
#include "core/base/status.h"

#include <jansson.h>
#include <stddef.h>

HL_BEGIN_DECLS

/* Parses `size` bytes of text, which may be any JSON value. A repeated key in an object is an error. `path` is for
 * messages. HL_BAD_FILE, HL_NO_MEMORY; *root is then NULL. After success, the caller owns *root: json_decref. */
hl_status hl_json_parse(const char *path, const char *text, size_t size, json_t **root);

/* The same for a file of at most `limit` bytes. `flags`: jansson's. With JSON_DECODE_INT_AS_REAL, whole numbers may be
 * of any size, such as a length of 10^30 that means "any". */
hl_status hl_json_read(const char *path, size_t limit, size_t flags, json_t **root);

/* Makes jansson allocate through core/base/memory.h. The setting holds for the whole process, so the program calls it,
 * not the library: once, at start, before jansson allocates anything. */
void hl_json_use_allocator(void);

HL_END_DECLS
