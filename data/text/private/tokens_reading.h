/* What the readers of token files share. */
#pragma once

#include "core/base/status.h"
#include "core/files/json.h"
#include "data/text/private/tokens_parts.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* While it is read, JSON needs up to 100 times its bytes. */
enum { HL_TOKENS_JSON_BYTES = 64 << 20, HL_TOKENS_FILE_BYTES = 256 << 20, HL_WORD_CHARACTERS_MAX = 10000 };

/* Reads the file and calls `read` with its JSON. If `read` fails, frees what it began in *out. HL_BAD_FILE,
 * HL_NO_MEMORY, failures of `read`. */
typedef hl_status hl_tokens_read(const char *path, json_t *root, void *context, hl_tokens **out);
hl_status hl_tokens_read_json(const char *path, hl_tokens_read *read, void *context, hl_tokens **out);

/* The integer as an id; INT32_MIN, which is not an id, if it is not one. */
int32_t hl_json_id(const json_t *id);

/* Adds the strings of an array as pieces; or the keys of an object in the order of their values, which must be 0, 1, 2
 * ... in any order. HL_BAD_FILE, HL_NO_MEMORY. */
hl_status hl_json_pieces(const char *path, json_t *pieces, hl_tokens *tokens);

/* Gives roles to added special tokens with one of the usual texts ([PAD], <s>, <|endoftext|>, ...), if the roles are
 * still free. */
void hl_tokens_usual_roles(hl_tokens *tokens);

/* Sets the templates <s> A </s> and <s> A </s> </s> B </s>, all with type 0. */
void hl_tokens_wrap_as_roberta(hl_tokens *tokens, int32_t before, int32_t after);

/* ---- tokenizer.json ---- */

/* The text of a member; "" if it is missing or no text. */
const char *hl_tokenizer_text(const json_t *object, const char *key);

/* Whether the object's `type` is this one. */
bool hl_tokenizer_is(const json_t *object, const char *type);

/* Whether a member is missing or null, false, 0 or "". */
bool hl_tokenizer_is_off(const json_t *object, const char *key);

/* HL_BAD_FILE "<path>: <section>: <what> is not supported". */
hl_status hl_tokenizer_unsupported(const char *path, const char *section, const char *what);

/* The parts of Unigram. HL_BAD_FILE, naming `path`; HL_NO_MEMORY. */
hl_status hl_tokenizer_read_unigram(const char *path, const json_t *model, hl_tokens **out);
hl_status hl_tokenizer_read_unigram_normalizer(const char *path, const json_t *normalizer, hl_unigram *unigram);
hl_status hl_tokenizer_read_metaspace(const char *path, const json_t *pre_tokenizer, hl_tokens *tokens);
