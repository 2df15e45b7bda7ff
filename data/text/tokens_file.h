/* Files of tokens: our own tokens.json, and those that BERT, GPT-2 and the `tokenizers` library have.
 *
 * Every reader refuses, as HL_BAD_FILE "<path>: <what is wrong>" (with the line in files of lines): a file that cannot
 * be read or is larger than 256 MiB, of JSON 64 MiB, JSON that is none or nests deeply, bytes that are not UTF-8, zero
 * bytes, no pieces or more than HL_TOKENS_MAX, a piece that is empty or comes twice, ids with gaps, a missing unknown
 * token where the kind needs one, merges of unknown pieces, and by name whatever changes pieces and is not supported
 * here. HL_NO_MEMORY. On success *out is the caller's: hl_tokens_free. */
#ifndef HL_DATA_TEXT_TOKENS_FILE_H
#define HL_DATA_TEXT_TOKENS_FILE_H

#include "core/base/declarations.h"
#include "core/base/status.h"
#include "core/base/text.h"
#include "data/text/tokens.h"

#include <stdbool.h>
#include <stdint.h>

HL_BEGIN_DECLS

enum { HL_TOKENS_FORMAT = 2 };

/* Adds the content of a tokens.json, the same bytes for the same tokens; it holds all that the object knows:
 *
 *   format           1, with `added` 2         kind             chars, bytes, words, wordpiece or bpe
 *   rules            clean_text, cjk_alone, strip_accents, lowercase: BertNormalizer's; word_characters: a longer word
 *                    is unknown (wordpiece); prefix_space: a text begins with a space, unknown_bytes: a byte without a
 *                    piece is unknown instead of left out (bpe)
 *   roles            the ids of pad, unk, cls, sep, mask, begin, end, those that are there
 *   special          [id, whether white space before it goes with it, whether white space behind it does]
 *   added            added tokens with more properties: [id, lstrip, rstrip, single_word, normalized, special] of
 *                    tokenizer.json; and model_pieces, the number of pieces that words are cut into, the first ones
 *   single, pair     what hl_tokens_wrap makes: [id, type]; for the texts "A" and "B" stand in the place of the id
 *   pieces           in the order of their ids          merges    [left id, right id], the first to be merged first
 *
 * HL_NO_MEMORY. */
hl_status hl_tokens_json(const hl_tokens *tokens, hl_text *text);

/* Replaces the file by that (core/files/files.h). HL_BAD_FILE, HL_NO_MEMORY. */
hl_status hl_tokens_save(const hl_tokens *tokens, const char *path);

/* Reads a tokens.json. */
hl_status hl_tokens_load(const char *path, hl_tokens **out);

/* The same tokens as an object of its own, the caller's: hl_tokens_free. HL_NO_MEMORY. */
hl_status hl_tokens_copy(const hl_tokens *tokens, hl_tokens **out);

/* Takes n labels that a file at `path` names, in their order, as pieces of the kind words. */
hl_status hl_tokens_of_labels(const char *const *labels, int64_t n, const char *path, hl_tokens **out);

/* Reads BERT's vocab.txt: a piece a line, its id the line's number from 0; white space at the end of a line does not
 * count. `lowercase` (and with it the accents) is not in the file: true for an "uncased" model. The roles are [PAD],
 * [UNK], [CLS], [SEP] and [MASK]; only [UNK] must be there. */
hl_status hl_tokens_load_vocabulary(const char *path, bool lowercase, hl_tokens **out);

/* Reads GPT-2's pair of files: vocab.json, pieces with their ids, and merges.txt, a pair a line, the earlier the first.
 * `roberta`: RoBERTa's, whose texts stand between <s> and </s>, and whose <mask> takes the white space before it
 * along; these two must then be there. */
hl_status hl_tokens_load_merges(const char *vocabulary, const char *merges, bool roberta, hl_tokens **out);

/* Reads a tokenizer.json with the model WordPiece (BertNormalizer, BertPreTokenizer) or BPE (ByteLevel), its added
 * tokens, and what its post-processor puts around a text. *ignored tells whether the file also asks for truncation or
 * padding, which are left to the caller. */
hl_status hl_tokens_load_tokenizer(const char *path, hl_tokens **out, bool *ignored);

/* Has wordpieces cut texts by these of BERT's rules, and clean them; *changed: whether that is another way than before.
 * Other kinds stay as they are. HL_BAD_FILE where nothing is left of an added token; HL_NO_MEMORY. */
hl_status hl_tokens_set_bert_rules(hl_tokens *tokens, bool lowercase, bool accents, bool cjk, bool *changed);

/* Makes every text, and every sentence's first word, begin with a space. HL_INVALID, naming task.prefix_space: the kind
 * is not bpe. */
hl_status hl_tokens_set_prefix_space(hl_tokens *tokens);

/* Replaces the file by a tokenizer.json that hl_tokens_load_tokenizer and the `tokenizers` library read as these
 * tokens. HL_INVALID: neither wordpiece nor bpe; HL_BAD_FILE, HL_NO_MEMORY. */
hl_status hl_tokens_save_tokenizer(const hl_tokens *tokens, const char *path);

HL_END_DECLS

#endif
