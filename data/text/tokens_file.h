/* Files of tokens: our own tokens.json, and the files of BERT, GPT-2 and the `tokenizers` library.
 *
 * Every reader returns HL_BAD_FILE "<path>: <what is wrong>" (with the line, if the file consists of lines) for: a file
 * that cannot be read or is larger than 256 MiB (JSON: 64 MiB), invalid or deeply nested JSON, bytes that are not
 * UTF-8, zero bytes, no pieces or more than HL_TOKENS_MAX, an empty or repeated piece, ids with gaps, a missing unknown
 * token if the kind needs one, merges of unknown pieces, and, by name, anything that changes pieces and is not
 * supported here. HL_NO_MEMORY. After success the caller owns *out: hl_tokens_free. */
#pragma once

#include "core/base/declarations.h"
#include "core/base/status.h"
#include "core/base/text.h"
#include "data/text/tokens.h"

#include <stdbool.h>
#include <stdint.h>

HL_BEGIN_DECLS

enum { HL_TOKENS_FORMAT = 4 };

/* Adds the content of a tokens.json. The same tokens give the same bytes. It holds everything that the object knows:
 *
 *   format           1; 2 with `added`; 3 with `unigram`; 4 with nfc
 *   kind             chars, bytes, words, wordpiece, bpe or unigram
 *   rules            clean_text, cjk_alone, strip_accents, lowercase: BertNormalizer's; word_characters: a longer word
 *                    is unknown (wordpiece); prefix_space: a text begins with a space (bpe, unigram); unknown_bytes: a
 *                    byte without a piece is unknown instead of left out (bpe); nfc: texts are made NFC (bpe; only
 *                    written if true)
 *   roles            the ids of pad, unk, cls, sep, mask, begin, end, as far as they exist
 *   special          [id, whether it takes the white space before it, whether it takes the white space after it]
 *   added            added tokens with more properties: [id, lstrip, rstrip, single_word, normalized, special] of
 *                    tokenizer.json; and model_pieces, how many of the first pieces words are cut into
 *   single, pair     the result of hl_tokens_wrap: [id, type], where "A" and "B" replace the id for the texts
 *   pieces           in the order of their ids          merges    [left id, right id], the first to be merged first
 *   unigram          scores: of the first pieces, into which words are cut; charsmap: SentencePiece's, or null; spaces:
 *                    whether several in a row stay, become one, or become a mark; strips_end: white space at the end of
 *                    a text is dropped; drops_white: so is that between words; first_only: prefix_space holds only for
 *                    the first word of a text
 *
 * HL_NO_MEMORY. */
hl_status hl_tokens_json(const hl_tokens *tokens, hl_text *text);

/* Replaces the file by that content (core/files/files.h). HL_BAD_FILE, HL_NO_MEMORY. */
hl_status hl_tokens_save(const hl_tokens *tokens, const char *path);

/* Reads a tokens.json. */
hl_status hl_tokens_load(const char *path, hl_tokens **out);

/* Copies the tokens to a new object, owned by the caller: hl_tokens_free. HL_NO_MEMORY. */
hl_status hl_tokens_copy(const hl_tokens *tokens, hl_tokens **out);

/* Makes tokens of the kind words from n labels, in their order. `path` is the file that names them. */
hl_status hl_tokens_of_labels(const char *const *labels, int64_t n, const char *path, hl_tokens **out);

/* Reads BERT's vocab.txt: one piece per line, whose id is the line's number from 0. White space at the end of a line is
 * ignored. The file does not contain `lowercase`, which also removes accents: true for an "uncased" model. The roles
 * are [PAD], [UNK], [CLS], [SEP] and [MASK]; only [UNK] is required. */
hl_status hl_tokens_load_vocabulary(const char *path, bool lowercase, hl_tokens **out);

/* Reads GPT-2's pair of files: vocab.json, pieces with their ids, and merges.txt, one pair per line, in order of
 * priority. `roberta`: RoBERTa's files, where <s> and </s> enclose texts and <mask> takes the white space before it.
 * These tokens must then exist. */
hl_status hl_tokens_load_merges(const char *vocabulary, const char *merges, bool roberta, hl_tokens **out);

/* Reads a tokenizer.json with the model WordPiece (BertNormalizer, BertPreTokenizer), BPE (NFC or no normalizer,
 * ByteLevel) or Unigram (Precompiled, Strip, Replace; WhitespaceSplit, Metaspace), its added tokens, and what its
 * post-processor puts around a text. *ignored: whether the file also asks for truncation or padding, which the caller
 * must do. */
hl_status hl_tokens_load_tokenizer(const char *path, hl_tokens **out, bool *ignored);

/* Makes wordpiece tokens clean texts and cut them by these BERT rules. *changed: whether the rules differ from before.
 * Other kinds do not change. HL_BAD_FILE if nothing is left of an added token; HL_NO_MEMORY. */
hl_status hl_tokens_set_bert_rules(hl_tokens *tokens, bool lowercase, bool accents, bool cjk, bool *changed);

/* Makes every text, and the first word of every sentence, begin with a space. HL_INVALID, naming task.prefix_space, if
 * the kind is neither bpe nor unigram. */
hl_status hl_tokens_set_prefix_space(hl_tokens *tokens);

/* Replaces the file by a tokenizer.json that hl_tokens_load_tokenizer and the `tokenizers` library read as these
 * tokens. HL_INVALID: not wordpiece, bpe or unigram; HL_BAD_FILE, HL_NO_MEMORY. */
hl_status hl_tokens_save_tokenizer(const hl_tokens *tokens, const char *path);

HL_END_DECLS
