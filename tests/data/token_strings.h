/* Texts of mixed scripts, made up, the same everywhere: check_tokens.py compares what becomes of them with the
 * `tokenizers` library, the suite knows a digest of it. */
#pragma once

#include "core/base/status.h"

#include <stddef.h>
#include <stdint.h>

enum { TOKEN_STRINGS = 3000, TOKEN_STRING_BYTES = 2048 };

/* Text i, without newlines, in `text`; returns its bytes. */
size_t token_string(uint32_t i, char text[TOKEN_STRING_BYTES]);

/* A hl_tokens_source that gives all of them; `context` is a uint32_t that begins at 0. */
hl_status token_strings_next(void *context, const char **text, size_t *size);
