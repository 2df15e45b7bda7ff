/* Learns tokens from text. The same texts and options give the same object on every machine.
 *
 *   chars, words      the most frequent first, ties by their bytes, until the size is reached
 *   bytes             nothing is learned: the 256 bytes in order
 *   wordpiece, bpe    the alphabet first; then, until the size is reached, the most frequent pair of neighbouring
 *                     pieces within a word becomes a piece; ties go to the pair with the lower first id, then second id
 *
 * For bpe, this is piece by piece what the BpeTrainer of `tokenizers` learns with ByteLevel's alphabet. The alphabet of
 * wordpiece is the most frequent characters, at most 1000 and at most a quarter of the size. They are in the order of
 * their code points: first each alone, then those that continue a word with "##". Words with other characters are not
 * used for learning. */
#pragma once

#include "core/base/declarations.h"
#include "core/base/status.h"
#include "data/text/tokens.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

HL_BEGIN_DECLS

typedef struct hl_tokens_options {
    hl_tokens_kind kind;
    int64_t size;      /* the largest V, including special tokens; ignored by bytes */
    int64_t min_count; /* how often a character, word or pair must occur; 0 counts as 1 */
    bool lowercase;    /* chars, words, wordpiece; for wordpiece it also removes accents */
    unsigned roles;    /* 1 << HL_ROLE_CLS | ...: the special tokens, which come first, in the order of hl_role. In
                          wordpiece they are spelled [CLS], otherwise <cls>. wordpiece always has [UNK]. A text is
                          wrapped in cls (or begin, if there is no cls) and sep (or end, if there is no sep) */
} hl_tokens_options;

/* Returns the next text in *text and *size, valid until the next call; NULL after the last one. A failure ends the
 * learning. */
typedef hl_status hl_tokens_source(void *context, const char **text, size_t *size);

/* Reads all texts once (bytes: none). Special tokens in them are ordinary text. HL_INVALID: a size that cannot hold the
 * special tokens and the alphabet or exceeds HL_TOKENS_MAX, unknown roles or an unknown kind, a text that is not UTF-8
 * (except for bytes) or, for chars and words, holds a zero byte, or no text to learn from; failures of `source`;
 * HL_NO_MEMORY. After success the caller owns *out: hl_tokens_free. */
hl_status hl_tokens_learn(const hl_tokens_options *options, hl_tokens_source *source, void *context, hl_tokens **out);

HL_END_DECLS
