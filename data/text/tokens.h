/* Converts text to token ids and back. A tokens object has the pieces, the rules by which a text is cut into them, and
 * the roles of special tokens. It never changes, so any number of threads may use one.
 *
 *   chars, bytes       every character, every byte is a piece      words    white space separates the pieces
 *   wordpiece, bpe, unigram      BERT's, GPT-2's and SentencePiece's, exactly as in `tokenizers` 0.23.3
 *
 * Objects come from a file (data/text/tokens_file.h) or are learned from text (data/text/tokens_learn.h). */
#pragma once

#include "core/base/declarations.h"
#include "core/base/status.h"
#include "core/base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

HL_BEGIN_DECLS

typedef enum hl_tokens_kind {
    HL_TOKENS_CHARS,
    HL_TOKENS_BYTES,
    HL_TOKENS_WORDS,
    HL_TOKENS_WORDPIECE,
    HL_TOKENS_BPE,
    HL_TOKENS_UNIGRAM,
    HL_TOKENS_KINDS,
    HL_TOKENS_LEARNED = HL_TOKENS_UNIGRAM /* the kinds before it can be learned */
} hl_tokens_kind;

/* The purpose of a special token. Ids are not fixed, a role may be absent, and one token may have several. */
typedef enum hl_role {
    HL_ROLE_PAD,
    HL_ROLE_UNK,
    HL_ROLE_CLS,
    HL_ROLE_SEP,
    HL_ROLE_MASK,
    HL_ROLE_BEGIN,
    HL_ROLE_END,
    HL_ROLES
} hl_role;

enum { HL_TOKENS_MAX = 1 << 21 }; /* the most pieces in an object */

typedef struct hl_tokens hl_tokens;

/* "chars", "bytes", ...; "pad", "unk", ...; NULL for an unknown kind or role. */
const char *hl_tokens_kind_name(hl_tokens_kind kind);
const char *hl_role_name(hl_role role);

void hl_tokens_free(hl_tokens *tokens); /* NULL is allowed */

hl_tokens_kind hl_tokens_get_kind(const hl_tokens *tokens);

/* V, including the special tokens. */
int64_t hl_tokens_size(const hl_tokens *tokens);

/* The id of the special token with that role; -1 if there is none. */
int32_t hl_tokens_role(const hl_tokens *tokens, hl_role role);

/* Whether it is a special token. Such a token, with or without a role, comes from a text only if it is asked for. */
bool hl_tokens_is_special(const hl_tokens *tokens, int32_t id);

/* Whether only the first word of a sentence is read without a space: bpe and unigram without their prefix_space. */
bool hl_tokens_first_word_is_bare(const hl_tokens *tokens);

/* The text of a piece as files spell it ("##ing", "Ġthe", "▁the"; for a byte its stand-in, as in bpe), owned by the
 * tokens. It is UTF-8 of *size bytes (NULL is allowed) and a zero byte. NULL if the id is outside 0 .. V - 1. */
const char *hl_tokens_piece(const hl_tokens *tokens, int32_t id, size_t *size);

/* The id of the piece with that spelling; -1 if there is none. */
int32_t hl_tokens_find(const hl_tokens *tokens, const char *piece, size_t size);

/* One piece of a text: its bytes begin .. end - 1. These are whole characters, so pieces that share one character's
 * bytes have the same range. Pieces are in order, except for marks that the normaliser moves into another one. A
 * special token added by hl_tokens_wrap has begin = end = 0. `type`: 0, or 1 (a pair's second text). */
typedef struct hl_piece {
    int32_t id, type;
    size_t begin, end;
} hl_piece;

/* The pieces of a text, with memory that grows and is reused. A zeroed one is empty; to begin anew, set n to 0. Use one
 * per thread. Owned by the caller: hl_pieces_free. */
typedef struct hl_pieces {
    hl_piece *at;
    size_t n, capacity;
    struct hl_tokens_scratch *scratch;
} hl_pieces;

void hl_pieces_free(hl_pieces *pieces);

/* Adds the pieces of a text of `size` bytes. With `specials`, the texts of special tokens in it, even inside a word,
 * become those tokens; without it, they are ordinary text. Ordinary added tokens are always found. On failure, the
 * pieces stay as they were. HL_INVALID: bytes that are not UTF-8 (bytes accepts any), 2 GiB or more, or a character or
 * word that is not a piece if there is no unknown token; HL_NO_MEMORY. */
hl_status hl_tokens_encode(const hl_tokens *tokens, const char *text, size_t size, bool specials, hl_pieces *pieces);

/* The same for a text that continues the one before it: no space is put before it, whatever the rules say. */
hl_status hl_tokens_encode_more(const hl_tokens *tokens, const char *text, size_t size, bool specials,
                                hl_pieces *pieces);

/* Adds the pieces of one word, when a sentence is passed word by word. Ordinary added tokens are found in it, special
 * ones are not. A word without a piece becomes the unknown token. For bpe and unigram, a space comes before every word
 * except the `first`. Offsets are within the word. Fails as hl_tokens_encode. */
hl_status hl_tokens_encode_word(const hl_tokens *tokens, const char *word, size_t size, bool first, hl_pieces *pieces);

/* Puts the model's own special tokens around the pieces and sets all types. One text (n_first = n) becomes [CLS] A
 * [SEP]; two texts, the first with n_first pieces, become [CLS] A [SEP] B [SEP] (an empty second text counts as none).
 * Some models have none. HL_NO_MEMORY, or HL_INVALID (n_first above n), leaves the pieces unchanged. */
hl_status hl_tokens_wrap(const hl_tokens *tokens, size_t n_first, hl_pieces *pieces);

/* Adds the text of n ids. For words and wordpiece, words are separated by a space; otherwise pieces are joined end to
 * end, so that a cut character stays cut. Unigram's marks of spaces become spaces. An added token gives its own text.
 * Special tokens are left out unless `specials`. HL_INVALID, with nothing added: no such id; HL_NO_MEMORY. */
hl_status hl_tokens_decode(const hl_tokens *tokens, const int32_t *ids, size_t n, bool specials, hl_text *text);

HL_END_DECLS
