/* What opened text data are made of, for the files that make and read them. */
#ifndef HL_DATA_TEXT_PRIVATE_TEXT_DATA_PARTS_H
#define HL_DATA_TEXT_PRIVATE_TEXT_DATA_PARTS_H

#include "core/base/status.h"
#include "data/text/corpus.h"
#include "data/text/split.h"
#include "data/text/text_data.h"

#include <stdbool.h>
#include <stdint.h>

/* Columns of the caches of sentences; those that a task has no use for are empty. */
enum {
    HL_TEXT_TOKENS,
    HL_TEXT_TYPES,
    HL_TEXT_ROWS,
    HL_TEXT_IDS,
    HL_TEXT_SOURCES,
    HL_TEXT_PLACE, /* line, number */
    HL_TEXT_COLUMNS
};

/* What a piece says about words, bits: a special token; one that is a word of its own (all but the unknown token); one
 * that continues a word (##ing); one that begins with white space, and one that is nothing else. */
enum {
    HL_PIECE_SPECIAL = 1,
    HL_PIECE_APART = 2,
    HL_PIECE_CONTINUES = 4,
    HL_PIECE_WHITE_FIRST = 8,
    HL_PIECE_WHITE = 16
};

struct hl_text_data {
    hl_text_task task;
    bool running, whole_words;
    int64_t length;
    double drop_pieces;
    const hl_text_data *of;     /* of examples in another's tokens: whose tokens and labels these are; else NULL */
    bool written;               /* whether these are examples that somebody wrote to look at */
    hl_tokens *tokens, *labels; /* labels: NULL where the tokens are the targets' names */
    unsigned char *pieces;      /* V, bits */
    int32_t n_usable;           /* pieces that are not special */
    hl_corpus *corpora[2];      /* by split, as all below */
    hl_windows windows[2];
    hl_text_notices notices[2];
};

/* Tokens and labels, out of the folder, the vocabulary, or the training part. */
hl_status hl_text_data_make_tokens(const hl_text_spec *spec, hl_text_data *data);

/* Sets data->pieces. HL_NO_MEMORY. */
hl_status hl_text_data_list_pieces(hl_text_data *data);

/* The same, checked. HL_INVALID where the tokens cannot serve the spec; HL_NO_MEMORY. */
hl_status hl_text_data_look_at_pieces(const hl_text_spec *spec, hl_text_data *data);

/* Writes where the words of an example's tokens begin to `words`, which has room for all tokens, and makes the
 * example's words those: of tags by the treebank's words, whose rows it must have, of all others by their pieces. */
void hl_text_data_find_words(const hl_text_data *data, hl_text_example *example, int32_t *words);

/* Reads example i of a cache of sentences as it stands there, in the reader's memory, without words. Whoever wrote the
 * file: its numbers are those that an example of the data can have. HL_BAD_FILE as hl_corpus_read, and
 * "<path>: is damaged: token 900 is not in 0 .. 399; remove the file, and it is made again". */
hl_status hl_text_data_sentence(const hl_text_data *data, hl_corpus_reader *reader, int64_t i,
                                hl_text_example *example);

/* The same of running text: reads `count` pieces from number `first` on. */
hl_status hl_text_data_pieces(const hl_text_data *data, hl_corpus_reader *reader, int64_t first, int64_t count,
                              int32_t *tokens);

/* Gives all of a split in order, as its cache holds it: sentence by sentence with targets, or running text in chunks,
 * each of which ends with a word where it has a whole one; their words are known, and nothing is masked. Ends once
 * `most` pieces were given, or with the failure that `visit` returns. HL_BAD_FILE as hl_corpus_read, HL_NO_MEMORY. */
typedef hl_status hl_text_visit(void *context, const hl_text_example *example);
hl_status hl_text_data_visit(const hl_text_data *data, hl_split split, int64_t most, hl_text_visit *visit,
                             void *context);

/* The tokens that training's example `index` has, as hl_text_data_read reads it, without reading it. Fails likewise. */
hl_status hl_text_data_read_length(hl_text_reader *reader, uint64_t seed, int64_t index, int64_t *n_tokens);

/* The caches; of examples that somebody wrote, theirs alone. */
hl_status hl_text_data_make_caches(const hl_text_spec *spec, hl_text_data *data);

/* Whether special tokens stand around a text: windows of running text have none, nor sentences in the place of such. */
static inline bool hl_text_data_wraps(const hl_text_data *data)
{
    return data->of != NULL ? !data->of->running : data->task != HL_TEXT_NEXT;
}

static inline bool hl_is_split(hl_split split)
{
    return split == HL_TRAIN || split == HL_VALIDATION;
}

/* Opens spec->file, all of it validation's, in the tokens and labels of `of`, which must outlive it; its cache is
 * spec->folder's examples.cache. Longer examples are cut to spec->max_length. Fails as hl_text_data_open.
 *
 * `written`: examples that somebody wrote to look at, in the form of the files of spec->task, but where these are
 * running text a line each. The text of a special token in masked and next lines is that token, and nothing is masked:
 * masks are asked for, with an answer that nobody knows (id -1), and of next each piece after another. Of another task
 * than that of `of` labels are passed over, and so are masks where `of` has labels. Else they are examples of the
 * spec's task, whose pieces are masked and which lie in windows as those of validation. */
hl_status hl_text_data_open_others(const hl_text_spec *spec, const hl_text_data *of, bool written, hl_text_data **out);

#endif
