/* A user's files as examples: text, treebanks and tables, with tokens and targets, by (split, index).
 *
 *   masked    a sentence a line, or with `length` windows of running text; 15% of the pieces are to be found again
 *   next      windows of running text; the target of each row is the next piece
 *   tags      CoNLL-U; the target of a word's first piece is the word's label, its `column`
 *   classes   a table: a text or a pair of texts, and one label, in row 0
 *   file      a table with the header tokens, targets and perhaps sources (hl_table_task): a toy task of one's own
 * What is made stands in a folder and is taken up where it is there: tokens.json, labels.json (tags, classes: the same
 * format, labels are its pieces), train.cache and validation.cache (data/text/corpus.h). Two programs may make it at
 * once, and one that is killed leaves nothing that the next cannot use. Tokens and labels come from the training part
 * alone: validation shall tell how the model does on text that had no part in making it. It is a file of its own, or a
 * share: of running text the last bytes, from a character's beginning on; else each sentence by a hash of its content
 * without labels, so that none is in both. In running text the texts of special tokens (<|endoftext|> between
 * documents) become those tokens, and line ends are text; in sentences special tokens' texts are text like others. */
#ifndef HL_DATA_TEXT_TEXT_DATA_H
#define HL_DATA_TEXT_TEXT_DATA_H

#include "core/base/declarations.h"
#include "core/base/status.h"
#include "core/examples.h"
#include "data/text/text_spec.h"
#include "data/text/tokens.h"

#include <stdbool.h>
#include <stdint.h>

HL_BEGIN_DECLS

/* What was left out or changed while a split's cache was made; all 0 where it was taken up. */
typedef struct hl_text_notices {
    int64_t cut;   /* sentences cut to max_length: of tags after whole words; of a pair the longer text, from its end */
    int64_t empty; /* lines, rows or sentences without a piece, left out */
    int64_t unseen;  /* targets of validation that training does not have: id -1, to be scored as wrong */
    int64_t unknown; /* pieces that became the unknown token */
    int64_t crlf;    /* lines that ended with a carriage return */
    bool mark;       /* a byte order mark at the start */
    bool ignored;    /* tokenizer.json asks for truncation or padding, of which there is none here */
    char made_because[HL_STATUS_TEXT]; /* as hl_corpus_made_because */
} hl_text_notices;

/* Opens what the spec describes; makes what is not there yet. HL_INVALID: a value is impossible, missing, or does not
 * fit the others or the file (the text names the key), or no tokens can be learned; HL_BAD_FILE: as the readers say,
 * and <file>: its validation part has 30 pieces, too few for a window of 64; holds no example: ...
 *     <file>:<line>: the label is empty; has 70 tokens, more than max_length = 64; at byte 3: no piece is ...
 *     <file>:<line>: the label X is not in <folder>/labels.json (training): remove that file, and it is made anew
 * HL_NO_MEMORY; what `progress` fails with. On success *out is the caller's: hl_text_data_close; else NULL. */
typedef struct hl_text_data hl_text_data;
hl_status hl_text_data_open(const hl_text_spec *spec, hl_text_data **out);
void hl_text_data_close(hl_text_data *data); /* NULL is allowed */

/* Tokens, and labels or NULL, without examples, for texts that a model shall read; they become the data's, also where
 * this fails. HL_NO_MEMORY. On success *out is the caller's: hl_text_data_close. */
hl_status hl_text_data_of_tokens(hl_text_task task, hl_tokens *tokens, hl_tokens *labels, hl_text_data **out);

/* The tokens, and what target ids name: labels for tags and classes, sorted by their bytes, or
 * as an open model has them; else the tokens. */
const hl_tokens *hl_text_data_tokens(const hl_text_data *data);
const hl_tokens *hl_text_data_targets(const hl_text_data *data);

/* N, at least 1, the most rows of an example, and the most targets of one of so many rows. Windows of training begin at
 * every piece, those of validation lie side by side. Of what is no split 0 and NULL. */
int64_t hl_text_data_examples(const hl_text_data *data, hl_split split);
int64_t hl_text_data_longest(const hl_text_data *data, hl_split split);
int64_t hl_text_data_most_targets(const hl_text_data *data, int64_t rows);

/* The mean rows of an example of training, of some hundreds of all. HL_BAD_FILE, HL_NO_MEMORY. */
hl_status hl_text_data_mean_length(const hl_text_data *data, double *mean);

const hl_text_notices *hl_text_data_noticed(const hl_text_data *data, hl_split split);

/* Stands until the reader's next example. */
typedef struct hl_text_example {
    int64_t n_tokens;
    const int32_t *tokens;     /* T ids */
    const int32_t *types;      /* T; 0, or 1 in the second of two texts; NULL: all are 0 */
    const int32_t *sources;    /* T positions or HL_IGNORE (core/examples.h); NULL where the file states none */
    const int32_t *rows, *ids; /* the targets: rows in ascending order, each with the id it should have, or -1 */
    int64_t n_targets;         /* at least 1; 0 only where a masked window holds nothing but special tokens */
    const int32_t *words;      /* the rows that words begin in, row 0 first; a special token is a word of its own. A */
    int64_t n_words;           /* word of chars, bytes and bpe begins with the white space before it */
    int64_t line, number;      /* of a sentence: its first line and its number in the file, from 1; of a window: 0, and
                                  the number of its first piece in its part, from 0 */
} hl_text_example;

/* One thread's place to read into, with all memory that reading needs; closed before the data are. HL_NO_MEMORY. */
typedef struct hl_text_reader hl_text_reader;
hl_status hl_text_reader_open(const hl_text_data *data, hl_text_reader **out);
void hl_text_reader_close(hl_text_reader *reader); /* NULL is allowed */

/* Example `index` of a split, 0 <= index: a pure function of the data, (seed, split, index). Training takes all N in an
 * order of the pass, index / N (below 2^32), another for each (hl_permute); validation, index < N, stands in order.
 *
 * `masked` chooses max(1, round(0.15 n)) of the n pieces that are not special (halves go up), for each pass anew, in
 * validation the same at any time. A chosen one becomes the mask in 80% of cases, in 10% a piece drawn from all that
 * are not special, else it stays. With whole words they are taken in random order, and one that would exceed the number
 * is passed over, unless all do. Dropped pieces are drawn anew, too; `words` stay. HL_INVALID; as hl_corpus_read. */
hl_status hl_text_data_read(hl_text_reader *reader, hl_split split, uint64_t seed, int64_t index,
                            hl_text_example *example);

HL_END_DECLS

#endif
