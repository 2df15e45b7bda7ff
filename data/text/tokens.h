/* Text as ids of tokens and back. A tokens object knows the pieces, by which rules a text is cut into them, and which
 * of them have a role. It never changes: any number of threads may use one.
 *
 *   chars      every character is a piece                  words    what stands between white space is a piece
 *   bytes      every byte is a piece                       wordpiece, bpe    of BERT and of GPT-2: exactly what version
 *                                                          0.23.3 of the `tokenizers` library makes of a text
 *
 * Objects come from a file (data/text/tokens_file.h) or are learned from text (data/text/tokens_learn.h). */
#ifndef HL_DATA_TEXT_TOKENS_H
#define HL_DATA_TEXT_TOKENS_H

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
    HL_TOKENS_KINDS
} hl_tokens_kind;

/* What a special token is for. Ids are not fixed, a role may be absent, and one token may have several. */
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

enum { HL_TOKENS_MAX = 1 << 21 }; /* pieces of an object at most */

typedef struct hl_tokens hl_tokens;

/* "chars", "bytes", ...; "pad", "unk", ...; NULL for what is no kind or role. */
const char *hl_tokens_kind_name(hl_tokens_kind kind);
const char *hl_role_name(hl_role role);

void hl_tokens_free(hl_tokens *tokens); /* NULL is allowed */

hl_tokens_kind hl_tokens_get_kind(const hl_tokens *tokens);

/* V, the special tokens included. */
int64_t hl_tokens_size(const hl_tokens *tokens);

/* The id of the special token of that role, -1 where there is none. */
int32_t hl_tokens_role(const hl_tokens *tokens, hl_role role);

/* Whether it is a special token: with a role or not, such a token comes from no text unless it is asked for. */
bool hl_tokens_is_special(const hl_tokens *tokens, int32_t id);

/* Whether every word of a sentence but the first is read with a space before it: bpe without its prefix_space. */
bool hl_tokens_first_word_is_bare(const hl_tokens *tokens);

/* The text of a piece as files spell it ("##ing", "Ġthe"; of a byte its stand-in, as for bpe), owned by the tokens,
 * UTF-8 of *size bytes (NULL is allowed) and a zero byte; NULL where the id is outside 0 .. V - 1. */
const char *hl_tokens_piece(const hl_tokens *tokens, int32_t id, size_t *size);

/* The id of the piece that is spelled so, -1 where there is none. */
int32_t hl_tokens_find(const hl_tokens *tokens, const char *piece, size_t size);

/* One piece of a text: bytes begin .. end - 1 of it, whole characters, so that pieces of one character's bytes have the
 * same ones. They stand in order, but for marks that the normaliser puts into another. A special token that
 * hl_tokens_wrap added has begin = end = 0. `type`: 0, or 1 (a pair's second text). */
typedef struct hl_piece {
    int32_t id, type;
    size_t begin, end;
} hl_piece;

/* The pieces of a text, with memory to make them in, which grows and is used again. A zeroed one is empty; set n to 0
 * to begin anew. One for each thread. Owned by the caller: hl_pieces_free. */
typedef struct hl_pieces {
    hl_piece *at;
    size_t n, capacity;
    struct hl_tokens_scratch *scratch;
} hl_pieces;

void hl_pieces_free(hl_pieces *pieces);

/* Adds the pieces of a text of `size` bytes. With `specials` the texts of special tokens in it, even inside a word,
 * become those tokens; without it they are text like any other. Ordinary added tokens are found in either case. On
 * failure the pieces are those from before. HL_INVALID: bytes that are not UTF-8 (bytes takes any), 2 GiB or more, or a
 * character or word that is no piece where there is no unknown token; HL_NO_MEMORY. */
hl_status hl_tokens_encode(const hl_tokens *tokens, const char *text, size_t size, bool specials, hl_pieces *pieces);

/* The same of a text that goes on where one before it ended: no space is put before it where the tokens' rules put one
 * before a text. */
hl_status hl_tokens_encode_more(const hl_tokens *tokens, const char *text, size_t size, bool specials,
                                hl_pieces *pieces);

/* Adds the pieces of one word of a sentence that is given word by word: ordinary added tokens are found in it, but no
 * special ones. A word without a piece becomes the unknown token, and for bpe a space comes before every word but the
 * `first`. The offsets are those in the word. As hl_tokens_encode fails. */
hl_status hl_tokens_encode_word(const hl_tokens *tokens, const char *word, size_t size, bool first, hl_pieces *pieces);

/* Puts the model's own special tokens around the pieces of one text (n_first = n), as [CLS] A [SEP], or of two, of
 * which the first n_first are the first text's (an empty second one counts as none), as [CLS] A [SEP] B [SEP], and sets
 * all types. Some models have none. HL_NO_MEMORY, or HL_INVALID (n_first above n), leaves the pieces as they were. */
hl_status hl_tokens_wrap(const hl_tokens *tokens, size_t n_first, hl_pieces *pieces);

/* Adds the text of n ids: words with a space between them for words and wordpiece, else what the pieces hold end to
 * end, so that a character that is cut stays cut. An added token gives its own text. Special tokens are left out unless
 * `specials`. HL_INVALID for an id outside 0 .. V - 1, with nothing added; HL_NO_MEMORY. */
hl_status hl_tokens_decode(const hl_tokens *tokens, const int32_t *ids, size_t n, bool specials, hl_text *text);

HL_END_DECLS

#endif
