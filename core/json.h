/* JSON text through jansson, with a damaged text and missing memory told apart. */
#ifndef HL_CORE_JSON_H
#define HL_CORE_JSON_H

#include "core/declarations.h"
#include "core/status.h"

#include <jansson.h>
#include <stddef.h>

HL_BEGIN_DECLS

/* Parses `size` bytes of text, a value of any kind; a key that comes twice in an object is an error. `path` is for the
 * messages. HL_BAD_FILE, HL_NO_MEMORY; *root is then NULL. On success *root is owned by the caller: json_decref. */
hl_status hl_json_parse(const char *path, const char *text, size_t size, json_t **root);

/* Lets jansson take its memory from core/memory.h. The setting is the whole process's, so a program decides, not the
 * library: to be called once, at start, before anything of jansson's was allocated. */
void hl_json_use_allocator(void);

HL_END_DECLS

#endif
