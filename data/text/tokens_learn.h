/* Learns tokens from text: the same object for the same texts and options, whatever the machine.
 *
 *   chars, words      the most frequent first, ties by their bytes, until the size is reached
 *   bytes             nothing is learned: the 256 bytes in order
 *   wordpiece, bpe    the alphabet first; then, until the size is reached, the most frequent pair of neighbouring
 *                     pieces within a word becomes a piece; ties go to the pair with the lower first id, then second id
 *
 * For bpe that is, piece by piece, what the BpeTrainer of `tokenizers` learns with ByteLevel's alphabet. The alphabet
 * of wordpiece is the most frequent characters, at most 1000 and a quarter of the size, in the order of their code
 * points, each alone and then those that continue a word with "##"; words with another character are not learned from.
 * */
#ifndef HL_DATA_TEXT_TOKENS_LEARN_H
#define HL_DATA_TEXT_TOKENS_LEARN_H

#include "core/base/declarations.h"
#include "core/base/status.h"
#include "data/text/tokens.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

HL_BEGIN_DECLS

typedef struct hl_tokens_options {
    hl_tokens_kind kind;
    int64_t size;      /* V at most, special tokens included; ignored by bytes */
    int64_t min_count; /* how often a character, word or pair must occur; 0 and 1 are the same */
    bool lowercase;    /* chars, words, wordpiece; for wordpiece accents go, too */
    unsigned roles;    /* 1 << HL_ROLE_CLS | ...: the special tokens, which come first, in the order of hl_role. Those
                          of wordpiece are spelled [CLS], the others <cls>. wordpiece always has [UNK]. A text is
                          wrapped in cls, or without it begin, and sep, or without it end */
} hl_tokens_options;

/* Gives the next text, which stands until the next call, in *text and *size; NULL after the last one. What it fails
 * with ends the learning. */
typedef hl_status hl_tokens_source(void *context, const char **text, size_t *size);

/* Reads all texts once (bytes: none). Special tokens in them are text. HL_INVALID: a size that cannot hold the special
 * tokens and the alphabet or exceeds HL_TOKENS_MAX, roles or a kind that do not exist, a text that is not UTF-8 (but
 * for bytes) or for chars and words holds a zero byte, or no text to learn from; what `source` fails with;
 * HL_NO_MEMORY. On success *out is the caller's: hl_tokens_free. */
hl_status hl_tokens_learn(const hl_tokens_options *options, hl_tokens_source *source, void *context, hl_tokens **out);

HL_END_DECLS

#endif
