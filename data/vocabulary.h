/* Maps token texts to ids and back, and gives the kind of each token. Also the file vocab.txt, which only the Python
 * package reads: one token per line, line number = id. For toy tasks, for texts, and for the labels of texts. */
#pragma once

#include "core/base/declarations.h"
#include "core/base/status.h"
#include "core/examples.h"
#include "data/text/tokens.h"

#include <stddef.h>
#include <stdint.h>

HL_BEGIN_DECLS

/* Every toy task's vocabulary begins with <pad>, <sep>, <mask>; <pad> is HL_PAD of core/examples.h. */
enum {
    HL_SEPARATOR = 1,
    HL_MASK = 2,
    HL_SPECIAL_TOKENS = 3,
    HL_TOKEN_MAX_BYTES = 255, /* in a toy task's token */
};

typedef struct hl_vocabulary hl_vocabulary;

/* Makes a toy task's vocabulary of the `size` bytes of its tokens, the three special ones first. Each is a line that
 * ends in a newline, at most HL_TOKEN_MAX_BYTES of UTF-8 without white space or control characters, and none occurs
 * twice: the caller's lines are its own, so that this is only asserted. HL_NO_MEMORY. The caller owns *out:
 * hl_vocabulary_free. */
hl_status hl_vocabulary_of_lines(const char *lines, size_t size, hl_vocabulary **out);

/* Makes the vocabulary of these tokens. It copies them, spelled as in files. HL_NO_MEMORY. The caller owns *out:
 * hl_vocabulary_free. */
hl_status hl_vocabulary_of_tokens(const hl_tokens *tokens, hl_vocabulary **out);

void hl_vocabulary_free(hl_vocabulary *vocabulary); /* NULL is allowed */

/* Returns the content of its vocab.txt, *size bytes and a zero byte, in new memory: hl_free. In tokens, \s stands for a
 * space, \n, \r and \t for these characters, and \\ for a backslash. Any other white space or control character is
 * written as its code: \x85 or \u2028. HL_NO_MEMORY. */
hl_status hl_vocabulary_text(const hl_vocabulary *vocabulary, char **text, size_t *size);

/* V, including the special tokens. */
int64_t hl_vocabulary_size(const hl_vocabulary *vocabulary);

/* The text of the token, owned by the vocabulary; NULL if the id is outside 0 .. V - 1. */
const char *hl_vocabulary_token(const hl_vocabulary *vocabulary, int32_t id);

/* The id of the token with that text; -1 if there is none or the text is NULL. */
int32_t hl_vocabulary_find(const hl_vocabulary *vocabulary, const char *token);

/* Bits of hl_token_kind by id, (V), owned by the vocabulary. */
const unsigned char *hl_vocabulary_kinds(const hl_vocabulary *vocabulary);

/* The first id whose kind has that bit; -1 if there is none. */
int32_t hl_vocabulary_special(const hl_vocabulary *vocabulary, hl_token_kind kind);

HL_END_DECLS
