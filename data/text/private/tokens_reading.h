/* What readers of tokens' files share. */
#ifndef HL_DATA_TEXT_PRIVATE_TOKENS_READING_H
#define HL_DATA_TEXT_PRIVATE_TOKENS_READING_H

#include "core/base/status.h"
#include "core/files/json.h"
#include "data/text/private/tokens_parts.h"

#include <stddef.h>
#include <stdint.h>

/* JSON takes up to 100 times its bytes while it is read. */
enum { HL_TOKENS_JSON_BYTES = 64 << 20, HL_TOKENS_FILE_BYTES = 256 << 20, HL_WORD_CHARACTERS_MAX = 10000 };

/* Reads the file and calls `read` with its JSON; frees what `read` began to make in *out where it fails. HL_BAD_FILE,
 * HL_NO_MEMORY, and what `read` fails with. */
typedef hl_status hl_tokens_read(const char *path, json_t *root, void *context, hl_tokens **out);
hl_status hl_tokens_read_json(const char *path, hl_tokens_read *read, void *context, hl_tokens **out);

/* The integer as an id; INT32_MIN, which is no id, where it is none. */
int32_t hl_json_id(const json_t *id);

/* Adds the strings of an array as pieces, or an object's keys by their values, which must be 0, 1, 2 ... in any order.
 * HL_BAD_FILE, HL_NO_MEMORY. */
hl_status hl_json_pieces(const char *path, json_t *pieces, hl_tokens *tokens);

/* Makes the added special tokens that have one of the usual texts ([PAD], <s>, <|endoftext|>, ...) serve in its roles,
 * where a role is not taken yet. */
void hl_tokens_usual_roles(hl_tokens *tokens);

/* The templates <s> A </s> and <s> A </s> </s> B </s>, all of type 0. */
void hl_tokens_wrap_as_roberta(hl_tokens *tokens, int32_t before, int32_t after);

#endif
