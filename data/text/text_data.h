/* A user's files as examples: text, treebanks and tables, with tokens and targets, by (split, index).
 *
 *   masked    one sentence per line, or with `length` windows of running text; 15% of the pieces must be predicted
 *   next      windows of running text; the target of each row is the next piece
 *   tags      CoNLL-U; the target of a word's first piece is the word's label, its `column`
 *   classes   a table: a text or a pair of texts, and one label, in row 0
 *   file      a table with the header tokens, targets and perhaps sources (hl_table_task): your own toy task
 * What is made from them is kept in a folder and reused if it exists: tokens.json, labels.json (for tags and classes,
 * in the same format; the labels are its pieces), train.cache and validation.cache (data/text/corpus.h). Two programs
 * may make it at once, and a killed program leaves nothing that the next one cannot use. Tokens and labels come only
 * from the training part, because validation measures the model on text that had no part in making it. Validation is a
 * separate file or a share. In running text the share is the last bytes, from the beginning of a character on.
 * Otherwise each sentence is assigned by a hash of its content without labels, so that none is in both. In running
 * text, the texts of special tokens (<|endoftext|> between documents) become those tokens, and line ends are text. In
 * sentences, the texts of special tokens are ordinary text. */
#pragma once

#include "core/base/declarations.h"
#include "core/base/status.h"
#include "core/examples.h"
#include "data/text/text_spec.h"
#include "data/text/tokens.h"

#include <stdbool.h>
#include <stdint.h>

HL_BEGIN_DECLS

/* What was left out or changed while a split's cache was made; all 0 if the cache was reused. */
typedef struct hl_text_notices {
    int64_t cut;     /* sentences cut to max_length: in tags after whole words; in a pair the longer text, at its end */
    int64_t empty;   /* lines, rows or sentences without a piece, which are left out */
    int64_t unseen;  /* targets of validation that training does not have: id -1, scored as wrong */
    int64_t unknown; /* pieces that became the unknown token */
    int64_t crlf;    /* lines that ended with a carriage return */
    bool mark;       /* a byte order mark at the start */
    bool ignored;    /* tokenizer.json asks for truncation or padding, which is not done here */
    char made_because[HL_STATUS_TEXT]; /* as hl_corpus_made_because */
} hl_text_notices;

/* Opens what the spec describes, and makes what does not exist yet. HL_INVALID: a value is impossible, missing, or does
 * not fit the others or the file (the text names the key), or no tokens can be learned; HL_BAD_FILE: from the readers,
 * and <file>: its validation part has 30 pieces, too few for a window of 64; holds no example: ...
 *     <file>:<line>: the label is empty; has 70 tokens, more than max_length = 64; at byte 3: no piece is ...
 *     <file>:<line>: the label X is not in <folder>/labels.json (training): remove that file, and it is made anew
 * HL_NO_MEMORY; failures of `progress`. After success the caller owns *out: hl_text_data_close; otherwise it is
 * NULL. */
typedef struct hl_text_data hl_text_data;
hl_status hl_text_data_open(const hl_text_spec *spec, hl_text_data **out);
void hl_text_data_close(hl_text_data *data); /* NULL is allowed */

/* Tokens, and labels or NULL, without examples, for texts that a model will read. They belong to the data, also on
 * failure. HL_NO_MEMORY. After success the caller owns *out: hl_text_data_close. */
hl_status hl_text_data_of_tokens(hl_text_task task, hl_tokens *tokens, hl_tokens *labels, hl_text_data **out);

/* The tokens. _targets: what target ids name: for tags and classes the labels, sorted by their bytes or in the order of
 * an open model; otherwise the tokens. */
const hl_tokens *hl_text_data_tokens(const hl_text_data *data);
const hl_tokens *hl_text_data_targets(const hl_text_data *data);

/* The number of examples N, at least 1; the most rows in an example; and the most targets in an example with `rows`
 * rows. Training windows begin at every piece; validation windows lie side by side. For an unknown split, the result is
 * 0, and hl_text_data_noticed returns NULL. */
int64_t hl_text_data_examples(const hl_text_data *data, hl_split split);
int64_t hl_text_data_longest(const hl_text_data *data, hl_split split);
int64_t hl_text_data_most_targets(const hl_text_data *data, int64_t rows);

/* The mean number of rows in a training example, measured on a few hundred examples. HL_BAD_FILE, HL_NO_MEMORY. */
hl_status hl_text_data_mean_length(const hl_text_data *data, double *mean);

const hl_text_notices *hl_text_data_noticed(const hl_text_data *data, hl_split split);

/* Valid until the reader's next example. */
typedef struct hl_text_example {
    int64_t n_tokens;
    const int32_t *tokens;     /* T ids */
    const int32_t *types;      /* T; 0, or 1 in the second of two texts; NULL: every type is 0 */
    const int32_t *sources;    /* T positions or HL_IGNORE (core/examples.h); NULL if the file has no sources */
    const int32_t *rows, *ids; /* the targets: rows in ascending order, each with its correct id, or -1 */
    int64_t n_targets;         /* at least 1; 0 only if a masked window holds only special tokens */
    const int32_t *words;      /* the rows in which words begin, row 0 first; a special token is a word by itself */
    int64_t n_words;           /* how many; in chars, bytes and bpe a word begins with the white space before it */
    int64_t line, number;      /* for a sentence: its first line and its number in the file, from 1; for a window: 0,
                                  and the number of its first piece in its part, from 0 */
} hl_text_example;

/* Finds where the words of an example begin, which may be any with tokens and, for tags, rows of all its words. Writes
 * this to `words`, which has room for all tokens, and makes it example->words. */
void hl_text_data_find_words(const hl_text_data *data, hl_text_example *example, int32_t *words);

/* One thread's memory for reading, allocated once; close it before the data. HL_NO_MEMORY. */
typedef struct hl_text_reader hl_text_reader;
hl_status hl_text_reader_open(const hl_text_data *data, hl_text_reader **out);
void hl_text_reader_close(hl_text_reader *reader); /* NULL is allowed */

/* Reads example `index` >= 0 of a split, a pure function of the data and (seed, split, index). Training goes through
 * all N examples in an order that depends on the pass, index / N (below 2^32; hl_permute). In validation, index < N,
 * and the order is that of the file.
 *
 * `masked` chooses max(1, round(0.15 n)) of the n pieces that are not special (halves round up): anew for each pass,
 * but in validation always the same. A chosen piece becomes the mask in 80% of cases and a random piece that is not
 * special in 10%; otherwise it stays. Whole words are chosen in random order, and a word that would exceed the number
 * is skipped, unless all would. Dropped pieces are also drawn anew; `words` stay. HL_INVALID; as hl_corpus_read. */
hl_status hl_text_data_read(hl_text_reader *reader, hl_split split, uint64_t seed, int64_t index,
                            hl_text_example *example);

HL_END_DECLS
